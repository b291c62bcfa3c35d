// The pages of the console. To add one is a row here, and a module whose default export draws it.

/** The pages. A row is all that a page needs: its address, title, key after `g`, and module. */
export const PAGES = [
  { path: "tables", title: "Tables", key: "t", load: () => import("./rooms/tables.js") },
  { path: "partiql", title: "PartiQL", key: "p", load: () => import("./rooms/partiql.js") },
  { path: "design", title: "Design", key: "d", load: () => import("./rooms/design.js") },
  { path: "jobs", title: "Jobs", key: "j", load: () => import("./rooms/jobs.js") },
  { path: "regions", title: "Regions", key: "r", load: () => import("./rooms/regions.js") },
  { path: "caches", title: "Caches", key: "c", load: () => import("./rooms/caches.js") },
  { path: "access", title: "Access", key: "a", load: () => import("./rooms/access.js") },
  { path: "server", title: "Server", key: "s", load: () => import("./rooms/server.js") },
];

/** The pages of one table, after its name. */
export const TABLE_PAGES = [
  { path: "", title: "Items", load: () => import("./rooms/items.js") },
  { path: "capacity", title: "Capacity", load: () => import("./rooms/capacity.js") },
  { path: "stream", title: "Stream", load: () => import("./rooms/stream.js") },
  { path: "settings", title: "Settings", load: () => import("./rooms/settings.js") },
];
