// What the page takes from others; `npm run build` bundles it. Licences: docs/reference/licences.md.

export { drag } from "d3-drag";
export { select } from "d3-selection";
export { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
