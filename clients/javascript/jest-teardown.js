module.exports = async () => {
  await globalThis.__HASHRANGE__?.stop();
};
