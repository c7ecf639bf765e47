// Keeps the page for visits without a network. `titm site` puts VERSION and FILES before these lines.
// A new version is fetched whole beside the old one, and takes over when no page of the old one is open any more.

const OURS = `${self.registration.scope} `, NAME = OURS + VERSION; // another folder of the same host may hold another board

self.addEventListener("install", (event) => {
  const fetched = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(fetched)));
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(OURS) && name !== NAME;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(NAME).then((cache) => cache.match(event.request)).then((kept) => kept ?? fetch(event.request)));
});
