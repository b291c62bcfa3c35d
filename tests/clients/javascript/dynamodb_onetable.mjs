// OneTable: models of one schema in one table that it creates and changes by itself.

import { Dynamo } from "dynamodb-onetable/Dynamo";
import { Table } from "dynamodb-onetable";
import { newClient, refusal, run } from "./steps.mjs";

const schema = {
  format: "onetable:1.1.0",
  version: "0.0.1",
  indexes: {
    primary: { hash: "pk", sort: "sk" },
    gs1: { hash: "gs1pk", sort: "gs1sk", project: ["gs1pk", "gs1sk", "name"] },
    ls1: { type: "local", sort: "created" },
  },
  models: {
    Account: {
      pk: { type: String, value: "account#${name}" },
      sk: { type: String, value: "account#" },
      name: { type: String, required: true },
      balance: { type: Number, default: 0 },
    },
    Login: {
      pk: { type: String, value: "login#${id}" },
      sk: { type: String, value: "login#" },
      id: { type: String, required: true },
      email: { type: String, unique: true },
    },
    User: {
      pk: { type: String, value: "account#${account}" },
      sk: { type: String, value: "user#${email}" },
      gs1pk: { type: String, value: "user#" },
      gs1sk: { type: String, value: "user#${email}" },
      account: { type: String, required: true },
      email: { type: String, required: true },
      name: { type: String },
      created: { type: Number },
      age: { type: Number },
      admin: { type: Boolean },
      since: { type: Date },
      expires: { type: Date, ttl: true },
      tags: { type: Set },
      roles: { type: Array },
      address: { type: Object, schema: { city: { type: String }, zip: { type: String } } },
      bytes: { type: "binary" },
    },
  },
  params: { isoDates: true, timestamps: false, nulls: false },
};

const table = new Table({
  client: new Dynamo({ client: newClient() }),
  name: "dynamodb-onetable",
  schema,
  partial: true,
  logger: () => {},
});
const Account = table.getModel("Account");
const User = table.getModel("User");
const Login = table.getModel("Login");

const WHEN = new Date("2026-03-01T12:30:00.000Z");
const LATER = new Date("2126-03-01T12:30:00.000Z");
const plain = (user) => user && { ...user, tags: user.tags && [...user.tags].sort() };
const told = (error) => ({ name: error.name, code: error.code, message: error.message });
const emails = (users) => users.map(({ email }) => email);

const steps = {
  async table() {
    const before = await table.exists();
    await table.createTable({
      wait: 30,
      TimeToLiveSpecification: { AttributeName: "expires", Enabled: true },
    });
    const { Table: described } = await table.describeTable();
    return {
      exists: [before, await table.exists()],
      keys: await table.getKeys(),
      projection: described.GlobalSecondaryIndexes[0].Projection,
      local: described.LocalSecondaryIndexes[0].KeySchema.map(({ AttributeName }) => AttributeName),
    };
  },

  // `create` is a put on condition that nothing is there.
  async create() {
    const account = await Account.create({ name: "acme" });
    const user = await User.create({
      account: "acme",
      email: "ada@example.com",
      name: "Ada",
      created: 1,
      age: 36,
      admin: true,
      since: WHEN,
      expires: LATER,
      tags: new Set(["b", "a"]),
      roles: ["one", 2, { three: null }],
      address: { city: "Zürich", zip: "8000" },
    });
    const key = { account: "acme", email: "ada@example.com" };
    const raw = await User.get(key, { hidden: true, parse: true, consistent: true });
    const wire = await User.get(key, { parse: false, hidden: true });
    return {
      account,
      same: JSON.stringify(plain(await User.get(key))) === JSON.stringify(plain(user)),
      raw: plain(raw),
      expires: wire.expires,
      again: told(await refusal(Account.create({ name: "acme" }))),
      missing: (await User.get({ ...key, email: "nobody" })) ?? null,
    };
  },

  async update() {
    const key = { account: "acme", email: "ada@example.com" };
    const set = await User.update({ ...key, name: "Ada L.", address: { city: "Bern" }, admin: null });
    const more = await User.update(key, {
      add: { age: 1 },
      set: { "roles[0]": "uno", "address.zip": "3000" },
      remove: ["since"],
      where: "${age} = {36} AND contains(${tags}, {a})",
    });
    const pushed = await User.update(key, { push: { roles: ["four"] }, delete: { tags: new Set(["a"]) } });
    const failed = await refusal(User.update({ ...key, age: 1 }, { where: "${age} > {100}" }));
    const missing = await refusal(User.update({ ...key, email: "nobody", age: 1 }));
    return {
      set: [set.name, set.address, set.admin ?? null],
      more: [more.age, more.roles[0], more.address, more.since ?? null],
      pushed: [pushed.roles.at(-1), [...pushed.tags]],
      failed: told(failed),
      missing: told(missing),
    };
  },

  async upsert() {
    const first = await Account.upsert({ name: "upserted", balance: 5 });
    const second = await Account.update({ name: "upserted" }, { add: { balance: 2 }, exists: null });
    return [first, second];
  },

  async batches() {
    let batch = {};
    for (let id = 0; id < 25; id += 1) {
      const email = `u${String(id).padStart(2, "0")}`;
      await User.create({ account: "many", email, name: email, age: id, created: 100 - id }, { batch });
    }
    const written = await table.batchWrite(batch);
    batch = {};
    for (const email of ["u03", "u04", "u99"]) await User.get({ account: "many", email }, { batch });
    const read = await table.batchGet(batch, { parse: true, hidden: false });
    return { written, read: emails(read).sort() };
  },

  async find() {
    const all = { account: "many" };
    const begins = await User.find({ ...all, sk: { begins: "user#u1" } });
    const between = await User.find({ ...all, sk: { between: ["user#u05", "user#u07"] } }, { reverse: true });
    const where = await User.find(all, { where: "${age} >= {20} AND attribute_not_exists(${admin})" });
    const filtered = await User.find({ ...all, age: 7 });
    const index = await User.find({ gs1pk: "user#", gs1sk: { begins: "user#u2" } }, { index: "gs1" });
    const followed = await User.find({ email: "u21" }, { index: "gs1", follow: true });
    const local = await User.find({ ...all, created: { "<": 78 } }, { index: "ls1" });
    const pages = [];
    let next;
    for (let page = 0; page < 10; page += 1) {
      const found = await User.find(all, { limit: 10, next });
      pages.push([found.length, found[0]?.email]);
      next = found.next;
      if (!next) break;
    }
    const counted = await User.find(all, { count: true });
    const stats = {};
    await User.find(all, { stats, capacity: "TOTAL", fields: ["email"] });
    return {
      begins: emails(begins),
      between: emails(between),
      where: emails(where),
      filtered: emails(filtered),
      index: index.map(({ name }) => name),
      followed: followed.map(({ email, age }) => [email, age]),
      local: emails(local),
      pages,
      count: counted.count,
      stats,
    };
  },

  // All kinds of a partition in one query, sorted out by their type.
  async fetch() {
    const { Account: accounts, User: users } = await table.fetch(["Account", "User"], { pk: "account#acme" });
    const grouped = table.groupByType(
      await table.queryItems({ pk: "account#acme" }, { parse: true, hidden: true }),
    );
    return {
      accounts: accounts.map(({ name }) => name),
      users: emails(users),
      grouped: Object.entries(grouped).map(([type, items]) => [type, items.length]),
    };
  },

  async scan() {
    const found = await User.scan({ account: "many" }, { where: "${age} < {3}" });
    const segments = await Promise.all(
      [0, 1, 2].map((segment) => User.scan({}, { segment, segments: 3 })),
    );
    return { found: emails(found).sort(), segments: segments.flat().length };
  },

  // A unique attribute is an item of its own, which is put and deleted in a transaction with the item.
  async unique() {
    await Login.create({ id: "one", email: "one@example.com" });
    const taken = await refusal(Login.create({ id: "two", email: "one@example.com" }));
    const notMade = (await Login.get({ id: "two" })) ?? null;
    await Login.create({ id: "two", email: "two@example.com" });
    const changed = await refusal(Login.update({ id: "two", email: "one@example.com" }));
    await Login.update({ id: "one", email: "uno@example.com" });
    await Login.update({ id: "two", email: "one@example.com" });
    await Login.remove({ id: "one" });
    await Login.create({ id: "three", email: "uno@example.com" });
    const logins = await Login.scan({});
    return {
      taken: told(taken),
      notMade,
      changed: told(changed),
      logins: logins.map(({ id, email }) => [id, email]).sort(),
    };
  },

  async transactions() {
    const transaction = {};
    await Account.create({ name: "first", balance: 10 }, { transaction });
    await Account.create({ name: "second", balance: 0 }, { transaction });
    await table.transact("write", transaction);
    const move = async (amount) => {
      const both = {};
      await Account.update(
        { name: "first" },
        { add: { balance: -amount }, where: `\${balance} >= {${amount}}`, transaction: both },
      );
      await Account.update({ name: "second" }, { add: { balance: amount }, transaction: both });
      return table.transact("write", both);
    };
    const failed = await refusal(move(11));
    await move(4);
    const reads = {};
    for (const name of ["first", "second"]) await Account.get({ name }, { transaction: reads });
    const accounts = await table.transact("get", reads, { parse: true, hidden: false });
    return { failed: told(failed), balances: accounts.map(({ balance }) => balance) };
  },

  async remove() {
    const key = { account: "many", email: "u00" };
    const removed = await User.remove(key);
    const again = await refusal(User.remove(key, { exists: true }));
    await User.remove({ account: "many" }, { many: true });
    return {
      removed: removed.email,
      again: told(again),
      left: (await User.find({ account: "many" })).length,
    };
  },

  async changes() {
    await table.updateTable({ create: { name: "gs2", hash: "gs2pk", project: "keys" } });
    const { Table: changed } = await table.describeTable();
    const names = changed.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort();
    const elsewhere = new Table({
      client: new Dynamo({ client: newClient() }),
      name: "no-such-table",
      schema,
      logger: () => {},
    });
    const missing = await refusal(elsewhere.getModel("Account").get({ name: "a" }));
    // A table whose index is still being made is not deleted.
    let indexes = changed.GlobalSecondaryIndexes;
    while (!indexes.every(({ IndexStatus }) => IndexStatus === "ACTIVE")) {
      indexes = (await table.describeTable()).Table.GlobalSecondaryIndexes;
    }
    await table.deleteTable("DeleteTableForever");
    return { names, missing: told(missing), exists: await table.exists() };
  },
};

await run(steps);
