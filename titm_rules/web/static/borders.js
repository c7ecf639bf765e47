// Lines between places: rivers from crossing to crossing, and the front between those who hold places.

const MOST_SIDES = 10, BEND = 0.38;

/** List the fields that connections enclose, each as the ids of the connections around it; the ground outside is none. */
export function fields(links, at) {
  const around = compass(links, at), seen = new Set(), found = [];
  for (const [from, steps] of around) {
    for (const step of steps) {
      if (seen.has(`${from} ${step.id}`)) continue;
      found.push(walk(from, step, around, at, seen));
    }
  }
  const outside = Math.sign(found.reduce((most, one) => (Math.abs(one.area) > Math.abs(most.area) ? one : most), { area: 0 }).area);
  return found.filter((one) => Math.sign(one.area) === -outside && one.sides.length <= MOST_SIDES).map((one) => one.sides);
}

/** Sort the connections of each place by their direction. */
function compass(links, at) {
  const around = new Map();
  for (const { id, ends: [one, other] } of links) {
    for (const [from, to] of [[one, other], [other, one]]) {
      const angle = Math.atan2(at.get(to).cy - at.get(from).cy, at.get(to).cx - at.get(from).cx);
      around.set(from, [...(around.get(from) ?? []), { id, to, angle }]);
    }
  }
  for (const steps of around.values()) steps.sort((one, other) => one.angle - other.angle);
  return around;
}

/** Go around a field, always taking the next connection by direction. */
function walk(from, step, around, at, seen) {
  const sides = [];
  let area = 0;
  while (!seen.has(`${from} ${step.id}`)) {
    seen.add(`${from} ${step.id}`);
    sides.push(step.id);
    const here = at.get(from), there = at.get(step.to);
    area += here.cx * there.cy - there.cx * here.cy;
    const steps = around.get(step.to), index = steps.findIndex((one) => one.id === step.id);
    [from, step] = [step.to, steps[(index + 1) % steps.length]];
  }
  return { sides, area };
}

/** Give the curves that lead through crossings, from one to the next across each field: as the data of a path. */
export function through(found, crossed, centres) {
  const curves = [];
  for (const sides of found) {
    const spots = [...new Set(sides)].filter((id) => crossed.has(id)).map((id) => centres.get(id)).filter(Boolean);
    if (spots.length === 2) curves.push(curve(spots[0], spots[1]));
    if (spots.length < 3) continue;
    const middle = { x: mean(spots.map((one) => one.x)), y: mean(spots.map((one) => one.y)) };
    curves.push(...spots.map((one) => curve(one, middle)));
  }
  return curves.join("");
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** Join two spots; a line leaves a crossing across the connection. */
function curve(one, other) {
  const [a, b] = [bent(one, other), bent(other, one)];
  const told = (spot) => `${spot.x.toFixed(1)} ${spot.y.toFixed(1)}`;
  return `M${told(one)}C${told(a)} ${told(b)} ${told(other)}`;
}

function bent(spot, towards) {
  if (spot.ux === undefined) return spot;
  const dx = towards.x - spot.x, dy = towards.y - spot.y;
  const side = dx * -spot.uy + dy * spot.ux < 0 ? -1 : 1, far = Math.hypot(dx, dy) * BEND;
  return { x: spot.x - spot.uy * side * far, y: spot.y + spot.ux * side * far };
}
