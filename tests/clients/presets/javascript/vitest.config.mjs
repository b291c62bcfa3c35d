export default { test: { globalSetup: "hashrange/vitest.mjs" } };
