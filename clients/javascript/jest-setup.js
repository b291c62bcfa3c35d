const { environment, start } = require("./index.js");

module.exports = async () => {
  globalThis.__HASHRANGE__ = await start();
  Object.assign(process.env, environment(globalThis.__HASHRANGE__.endpoint));
};
