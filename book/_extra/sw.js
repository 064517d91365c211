/* Pages of the book that were opened with Python are there without a network, too: what the site
   answers is kept, and taken from there when the site cannot be reached. The files of Python are
   kept by the worker that loads them, `_static/python.js`. */

"use strict";

const KEPT = "recsys-book-pages";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const isOurs = url.origin === self.location.origin && request.method === "GET";
  if (!isOurs || /\/_static\/python\/(?!manifest)/.test(url.pathname)) return;
  event.respondWith(
    (async () => {
      const kept = await caches.open(KEPT);
      try {
        const response = await fetch(request);
        // A page that was never kept is read, not collected: only what is here is renewed.
        if (response.ok && (await kept.match(request))) await kept.put(request, response.clone());
        return response;
      } catch (problem) {
        const known = await kept.match(request, { ignoreSearch: request.mode === "navigate" });
        if (known) return known;
        throw problem;
      }
    })(),
  );
});
