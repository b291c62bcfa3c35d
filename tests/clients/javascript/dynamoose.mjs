// Dynamoose: models that make their own tables, as its guide has it.

import dynamoose from "dynamoose";
import { refusal, run } from "./steps.mjs";

// The client is one of the class that Dynamoose itself imports.
const service = new dynamoose.aws.ddb.DynamoDB({
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
});
dynamoose.aws.ddb.set(service);

const User = dynamoose.model(
  "User",
  new dynamoose.Schema(
    {
      team: { type: String, hashKey: true },
      id: { type: String, rangeKey: true },
      rank: { type: Number, index: { type: "global", name: "byRank", rangeKey: "id", project: ["age"] } },
      email: { type: String, index: { type: "local", name: "byEmail" } },
      tags: { type: Set, schema: [String] },
      list: { type: Array, schema: [Number] },
      address: { type: Object, schema: { city: String, zip: String } },
      born: Date,
      active: { type: Boolean, default: true },
      blob: Buffer,
      role: { type: String, enum: ["admin", "user"] },
      age: Number,
    },
    { timestamps: true },
  ),
);
new dynamoose.Table("dynamoose-users", [User], {
  expires: { ttl: 86_400_000, attribute: "expires" },
  throughput: "ON_DEMAND",
  tags: { made: "by-dynamoose" },
  streamOptions: { enabled: true, type: "KEYS_ONLY" },
});

const ADA = { team: "red", id: "ada" };
const name = (n) => `u${String(n).padStart(2, "0")}`;
const ids = (found) => found.map((user) => user.id);
const told = (error) => ({ name: error.name, message: error.message });
const age = (wanted) => new dynamoose.Condition().where("age").eq(wanted);

await run({
  // The first request makes the table, which is then waited for.
  async table() {
    await User.create({ team: "first", id: "first" });
    const { Table } = await service.describeTable({ TableName: "dynamoose-users" });
    const { TimeToLiveDescription } = await service.describeTimeToLive({ TableName: "dynamoose-users" });
    const { Tags } = await service.listTagsOfResource({ ResourceArn: Table.TableArn });
    return {
      billing: Table.BillingModeSummary.BillingMode,
      global: Table.GlobalSecondaryIndexes.map((index) => [index.IndexName, index.Projection]),
      local: Table.LocalSecondaryIndexes.map((index) => index.IndexName),
      stream: Table.StreamSpecification.StreamViewType,
      expiry: TimeToLiveDescription.AttributeName,
      tags: Tags,
    };
  },

  async create() {
    const made = {
      ...ADA,
      rank: 1,
      email: "ada@example.com",
      tags: new Set(["x", "y"]),
      list: [1, 2.5],
      address: { city: "Zürich" },
      born: new Date(1e12),
      blob: Buffer.from([0, 255]),
      role: "admin",
      age: 3,
    };
    await User.create(made);
    const found = await User.get(ADA);
    const { createdAt, updatedAt, expires, tags, blob, ...rest } = found;
    return {
      rest,
      tags: [...tags].sort(),
      blob: [...blob],
      times: [createdAt, updatedAt, expires].map((time) => time instanceof Date),
      again: told(await refusal(User.create(made))),
      invalid: told(await refusal(User.create({ ...ADA, id: "eva", role: "nobody" }))),
      missing: (await User.get({ team: "red", id: "nobody" })) ?? null,
    };
  },

  async batches() {
    const blue = (first) =>
      Array.from({ length: 25 }, (_, n) => ({
        team: "blue",
        id: name(first + n),
        rank: (first + n) % 5,
        age: first + n,
        email: `${name(99 - first - n)}@example.com`,
      }));
    const written = await Promise.all([0, 25, 50].map((first) => User.batchPut(blue(first))));
    const keys = Array.from({ length: 80 }, (_, n) => ({ team: "blue", id: name(n) }));
    const twice = [...blue(75).slice(0, 1), ...blue(75).slice(0, 1)];
    return {
      unprocessed: written.filter(Boolean).flatMap((answer) => answer.unprocessedItems),
      found: (await User.batchGet(keys)).length,
      twice: told(await refusal(User.batchPut(twice))),
    };
  },

  async query() {
    const blue = () => User.query("team").eq("blue");
    const last = await blue().sort("descending").limit(3).exec();
    const before = await blue().sort("descending").limit(3).startAt(last.lastKey).exec();
    const ages = blue().and().parenthesis((either) => either.where("age").lt(3).or().where("age").gt(71));
    const local = await blue().where("email").beginsWith("u9").using("byEmail").exec();
    return {
      begins: ids(await blue().where("id").beginsWith("u1").exec()),
      pages: [ids(last), ids(before)],
      count: (await blue().filter("age").between(3, 5).count().exec()).count,
      all: (await blue().limit(7).all().exec()).length,
      global: (await User.query("rank").eq(2).using("byRank").exec()).length,
      local: ids(local).slice(0, 2),
      ages: ids(await ages.exec()),
      attributes: Object.keys((await blue().limit(1).attributes(["id", "age"]).exec())[0]).sort(),
    };
  },

  async scan() {
    return {
      filtered: (await User.scan("age").gt(70).exec()).count,
      segments: (await User.scan().parallel(4).exec()).length,
      contains: ids(await User.scan("tags").contains("x").exec()),
      within: ids(await User.scan("address.city").eq("Zürich").exec()),
      without: ids(await User.scan("age").not().exists().exec()),
    };
  },

  async update() {
    const { role, age: older } = await User.update(ADA, { $SET: { role: "user" }, $ADD: { age: 5 }, $REMOVE: ["email"] });
    const { list, tags } = await User.update(ADA, { $ADD: { list: 7, tags: ["z"] } });
    const fewer = await User.update(ADA, { $DELETE: { tags: ["x"] } });
    const met = await User.update(ADA, { rank: 2 }, { condition: age(8) });
    return {
      set: [role, older],
      added: [list, [...tags].sort()],
      deleted: [...fewer.tags].sort(),
      met: met.rank,
      failed: told(await refusal(User.update(ADA, { rank: 3 }, { condition: age(99) }))),
      upserted: (await User.update({ team: "red", id: "new" }, { age: 2 })).age,
    };
  },

  async concurrent() {
    const counter = { team: "red", id: "counter" };
    await User.create({ ...counter, age: 0 });
    await Promise.all(Array.from({ length: 50 }, () => User.update(counter, { $ADD: { age: 1 } })));
    return (await User.get(counter)).age;
  },

  async transactions() {
    const tx = { team: "green", id: "tx" };
    const { transaction: act } = User;
    await dynamoose.transaction([
      act.create(tx),
      act.update(ADA, { $SET: { age: 50 } }),
      act.condition({ team: "red", id: "new" }, age(2)),
      act.delete({ team: "blue", id: name(0) }),
    ]);
    const found = await dynamoose.transaction([act.get(tx), act.get(ADA)]);
    const failed = await refusal(dynamoose.transaction([act.create(tx), act.delete(ADA)]));
    return {
      found: ids(found),
      failed: told(failed),
      reasons: failed.CancellationReasons.map((reason) => reason.Code),
      kept: (await User.get(ADA)).age,
      sameItem: told(await refusal(dynamoose.transaction([act.create({ ...tx, id: "2" }), act.delete({ ...tx, id: "2" })]))),
    };
  },

  // A model whose schema has changed changes the table, one index and setting after the other.
  async changed() {
    const options = { waitForActive: { enabled: true, check: { timeout: 30_000, frequency: 20 } } };
    const key = { id: { type: String, hashKey: true } };
    const index = (name) => ({ type: String, index: { name, type: "global" } });
    const Before = dynamoose.model("Before", new dynamoose.Schema({ ...key, b: index("byB") }));
    new dynamoose.Table("dynamoose-changed", [Before], { ...options, throughput: { read: 5, write: 5 } });
    await Before.create({ id: "1", b: "x" });
    const After = dynamoose.model("After", new dynamoose.Schema({ ...key, a: index("byA") }));
    new dynamoose.Table("dynamoose-changed", [After], { ...options, update: true, throughput: { read: 6, write: 5 }, expires: 1000 });
    await After.create({ id: "2", a: "y" });
    const { Table } = await service.describeTable({ TableName: "dynamoose-changed" });
    const { TimeToLiveDescription } = await service.describeTimeToLive({ TableName: "dynamoose-changed" });
    return {
      indexes: Table.GlobalSecondaryIndexes.map((each) => [each.IndexName, each.IndexStatus]),
      units: Table.ProvisionedThroughput.ReadCapacityUnits,
      found: ids(await After.query("a").eq("y").exec()),
      expiry: TimeToLiveDescription.AttributeName,
    };
  },

  async remove() {
    await (await User.get(ADA)).delete();
    const blue = Array.from({ length: 25 }, (_, n) => ({ team: "blue", id: name(n) }));
    const { unprocessedItems } = await User.batchDelete(blue);
    return [(await User.get(ADA)) ?? null, unprocessedItems, (await User.query("team").eq("blue").exec()).length];
  },

  async missing() {
    const Nobody = dynamoose.model("Nobody", new dynamoose.Schema({ id: String }));
    new dynamoose.Table("dynamoose-nobody", [Nobody], { create: false, waitForActive: false });
    return told(await refusal(Nobody.get("x")));
  },
});
