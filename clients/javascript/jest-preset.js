/** `preset: "hashrange"` of Jest: one server for all files, which inherit its variables. */
module.exports = {
  globalSetup: require.resolve("./jest-setup.js"),
  globalTeardown: require.resolve("./jest-teardown.js"),
};
