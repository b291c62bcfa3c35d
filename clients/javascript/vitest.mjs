/** `globalSetup` of Vitest: one server for all files, which inherit its variables. */

import { createRequire } from "node:module";

// Vitest transforms this file, but not what Node itself requires.
const { environment, start } = createRequire(import.meta.url)("./index.js");

let server;

export async function setup() {
  server = await start();
  Object.assign(process.env, environment(server.endpoint));
}

export async function teardown() {
  await server?.stop();
}
