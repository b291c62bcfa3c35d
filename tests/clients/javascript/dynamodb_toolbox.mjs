// DynamoDB-Toolbox: entities with schemas of their own in one table, and the commands that it builds.

import { CreateTableCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add,
  $append,
  $delete,
  $get,
  $prepend,
  $remove,
  $set,
  $subtract,
  $sum,
  BatchDeleteRequest,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  ConditionCheck,
  DeleteItemCommand,
  DeletePartitionCommand,
  DeleteTransaction,
  Entity,
  GetItemCommand,
  GetTransaction,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  ScanCommand,
  Table,
  UpdateAttributesCommand,
  UpdateItemCommand,
  UpdateTransaction,
  any,
  binary,
  boolean,
  executeBatchGet,
  executeBatchWrite,
  executeTransactGet,
  executeTransactWrite,
  isConditionCheckFailed,
  isTransactionCancelled,
  item,
  list,
  map,
  number,
  prefix,
  record,
  set,
  string,
} from "dynamodb-toolbox";
import { client, refusal, run } from "./steps.mjs";

const Shop = new Table({
  documentClient: DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  }),
  name: "dynamodb-toolbox",
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
  indexes: {
    byType: {
      type: "global",
      partitionKey: { name: "type", type: "string" },
      sortKey: { name: "price", type: "number" },
    },
    byPrice: { type: "local", sortKey: { name: "price", type: "number" } },
  },
});

const Product = new Entity({
  name: "Product",
  table: Shop,
  schema: item({
    shop: string().key().savedAs("pk").transform(prefix("SHOP")),
    id: string().key().savedAs("sk").transform(prefix("PRODUCT")),
    type: string().enum("fruit", "tool").default("fruit"),
    price: number(),
    name: string().optional(),
    sold: boolean().default(false),
    tags: set(string()).optional(),
    sizes: list(number()).optional(),
    raw: binary().optional(),
    origin: map({ country: string(), year: number().optional() }).optional(),
    stock: record(string(), number()).optional(),
    rest: any().optional(),
  }),
  timestamps: false,
});

const Order = new Entity({
  name: "Order",
  table: Shop,
  schema: item({
    shop: string().key().savedAs("pk").transform(prefix("SHOP")),
    id: string().key().savedAs("sk").transform(prefix("ORDER")),
    total: number(),
  }),
  timestamps: true,
});

const sorted = (tags) => [...tags].sort();
const put = (given, options = {}) => Product.build(PutItemCommand).item(given).options(options).send();
const get = async (key) => (await Product.build(GetItemCommand).key(key).send()).Item;
const told = (error) => ({ name: error.name, message: error.message, code: error.code ?? null });

const steps = {
  async table() {
    const keys = (hash, range) => [
      { AttributeName: hash, KeyType: "HASH" },
      { AttributeName: range, KeyType: "RANGE" },
    ];
    const Projection = { ProjectionType: "ALL" };
    await client.send(
      new CreateTableCommand({
        TableName: Shop.getName(),
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [
          { AttributeName: "pk", AttributeType: "S" },
          { AttributeName: "sk", AttributeType: "S" },
          { AttributeName: "type", AttributeType: "S" },
          { AttributeName: "price", AttributeType: "N" },
        ],
        KeySchema: keys("pk", "sk"),
        GlobalSecondaryIndexes: [{ IndexName: "byType", KeySchema: keys("type", "price"), Projection }],
        LocalSecondaryIndexes: [{ IndexName: "byPrice", KeySchema: keys("pk", "price"), Projection }],
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: Shop.getName() });
  },

  async items() {
    const key = { shop: "items", id: "1" };
    await put({
      ...key,
      price: 12.5,
      name: "déjà vu",
      tags: new Set(["b", "a"]),
      sizes: [1, 2],
      raw: new Uint8Array([0, 255]),
      origin: { country: "CH" },
      stock: { here: 1, "über all": 2 },
      rest: [null, { deep: [true] }],
    });
    const found = await get(key);
    const some = await Product.build(GetItemCommand)
      .key(key)
      .options({ attributes: ["name", "origin.country", "sizes[1]", "stock.here"], consistent: true })
      .send();
    return {
      item: { ...found, tags: sorted(found.tags), raw: [...found.raw] },
      some: some.Item,
      missing: (await get({ shop: "items", id: "none" })) ?? null,
    };
  },

  async update() {
    const key = { shop: "update", id: "1" };
    await put({ ...key, price: 10, tags: new Set(["a"]), sizes: [1, 2], origin: { country: "CH", year: 1 } });
    const { Attributes } = await Product.build(UpdateItemCommand)
      .item({
        ...key,
        price: $add(5),
        tags: $add(new Set(["b"])),
        sizes: $append([3]),
        origin: { year: $sum($get("price"), 1) },
        name: $get("rest", "fallback"),
        stock: $set({ here: 4 }),
        sold: true,
      })
      .options({ condition: { attr: "price", eq: 10 }, returnValues: "ALL_NEW", capacity: "TOTAL" })
      .send();
    const { Attributes: next } = await Product.build(UpdateItemCommand)
      .item({
        ...key,
        tags: $delete(new Set(["a"])),
        sizes: $prepend([0]),
        origin: $remove(),
        stock: { here: $subtract($get("stock.here"), 1), there: 7 },
      })
      .options({ returnValues: "ALL_NEW" })
      .send();
    const merged = await Product.build(UpdateAttributesCommand)
      .item({ ...key, sizes: [9], stock: { only: 1 } })
      .options({ returnValues: "UPDATED_NEW" })
      .send();
    return {
      first: { ...Attributes, tags: sorted(Attributes.tags) },
      next: { ...next, tags: sorted(next.tags) },
      merged: merged.Attributes,
    };
  },

  // Each condition that it can write, as a put that is carried out and one that is not.
  async conditions() {
    const key = { shop: "conditions", id: "1" };
    const old = { ...key, price: 5, name: "hello", tags: new Set(["a"]), origin: { country: "CH" } };
    const results = {};
    const conditions = {
      eq: { attr: "price", eq: 5 },
      ne: { attr: "price", ne: 4 },
      range: { and: [{ attr: "price", gte: 5 }, { attr: "price", lt: 6 }] },
      between: { attr: "price", between: [1, 5] },
      in: { attr: "name", in: ["bye", "hello"] },
      beginsWith: { attr: "name", beginsWith: "he" },
      contains: { attr: "tags", contains: "a" },
      exists: { attr: "origin.country", exists: true },
      absent: { attr: "stock", exists: false },
      type: { attr: "origin", type: "M" },
      size: { size: "name", eq: 5 },
      or: { or: [{ attr: "price", eq: 0 }, { attr: "sold", eq: false }] },
      not: { not: { attr: "price", gt: 5 } },
    };
    for (const [name, condition] of Object.entries(conditions)) {
      await put(old);
      const negated = await refusal(put({ ...old, price: 0 }, { condition: { not: condition } }));
      const kept = (await get(key)).price;
      await put({ ...old, price: 6 }, { condition });
      results[name] = [negated.name, kept, (await get(key)).price];
    }
    return results;
  },

  async query() {
    for (let id = 0; id < 30; id += 1)
      await put({
        shop: "query",
        id: String(id).padStart(2, "0"),
        price: 100 - id,
        type: id % 2 ? "tool" : "fruit",
      });
    await Order.build(PutItemCommand).item({ shop: "query", id: "o1", total: 7 }).send();
    const partition = "SHOP#query";
    const ids = ({ Items }) => Items.map(({ id }) => id);
    const range = await Shop.build(QueryCommand)
      .query({ partition, range: { between: ["PRODUCT#03", "PRODUCT#05"] } })
      .entities(Product)
      .options({ reverse: true })
      .send();
    const first = await Shop.build(QueryCommand)
      .query({ partition, range: { beginsWith: "PRODUCT#" } })
      .entities(Product)
      .options({ limit: 12, maxPages: 2 })
      .send();
    const rest = await Shop.build(QueryCommand)
      .query({ partition, range: { beginsWith: "PRODUCT#" } })
      .entities(Product)
      .options({ exclusiveStartKey: first.LastEvaluatedKey, maxPages: Infinity })
      .send();
    const both = await Shop.build(QueryCommand)
      .query({ partition })
      .entities(Product, Order)
      .options({ filters: { Product: { attr: "price", gte: 99 }, Order: { attr: "total", eq: 7 } } })
      .send();
    const global = await Shop.build(QueryCommand)
      .query({ index: "byType", partition: "tool", range: { gt: 90 } })
      .entities(Product)
      .options({ attributes: ["id", "price"] })
      .send();
    const local = await Shop.build(QueryCommand)
      .query({ index: "byPrice", partition, range: { lte: 73 } })
      .entities(Product)
      .options({ consistent: true, select: "ALL_ATTRIBUTES" })
      .send();
    const count = await Shop.build(QueryCommand).query({ partition }).options({ select: "COUNT" }).send();
    return {
      range: ids(range),
      first: [first.Items.length, first.LastEvaluatedKey],
      rest: ids(rest),
      both: ids(both),
      global: global.Items,
      local: ids(local),
      count: count.Count,
    };
  },

  async batches() {
    const keys = [...Array(25).keys()].map((id) => ({ shop: "batches", id: String(id).padStart(2, "0") }));
    const written = await executeBatchWrite(
      { capacity: "TOTAL" },
      Shop.build(BatchWriteCommand).requests(
        ...keys.map((key, price) => Product.build(BatchPutRequest).item({ ...key, price })),
      ),
    );
    await executeBatchWrite(
      Shop.build(BatchWriteCommand).requests(
        ...keys.slice(5).map((key) => Product.build(BatchDeleteRequest).key(key)),
      ),
    );
    const { Responses } = await executeBatchGet(
      Shop.build(BatchGetCommand)
        .requests(...keys.slice(0, 7).map((key) => Product.build(BatchGetRequest).key(key)))
        .options({ consistent: true, attributes: ["id", "price"] }),
    );
    return {
      capacity: written.ConsumedCapacity.map(({ CapacityUnits }) => CapacityUnits),
      found: Responses[0].map((found) => found ?? null),
    };
  },

  async deletes() {
    const key = { shop: "deletes", id: "1" };
    await put({ ...key, price: 1 });
    const failed = await refusal(
      Product.build(DeleteItemCommand).key(key).options({ condition: { attr: "price", gt: 1 } }).send(),
    );
    const { Attributes } = await Product.build(DeleteItemCommand)
      .key(key)
      .options({ returnValues: "ALL_OLD" })
      .send();
    for (const id of ["2", "3", "4"]) await put({ ...key, id, price: 1 });
    await Shop.build(DeletePartitionCommand).query({ partition: "SHOP#deletes" }).entities(Product).send();
    const left = await Shop.build(QueryCommand).query({ partition: "SHOP#deletes" }).send();
    return { failed: told(failed), old: Attributes, left: left.Count };
  },

  async transactions() {
    const key = (id) => ({ shop: "transactions", id });
    for (const id of ["1", "2", "3"]) await put({ ...key(id), price: 1 });
    const actions = (price) => [
      Product.build(PutTransaction).item({ ...key("4"), price: 4 }),
      Product.build(UpdateTransaction)
        .item({ ...key("1"), price: $add(1) })
        .options({ condition: { attr: "price", eq: price }, returnValuesOnConditionFalse: "ALL_OLD" }),
      Product.build(DeleteTransaction).key(key("2")),
      Product.build(ConditionCheck).key(key("3")).condition({ attr: "sold", eq: false }),
    ];
    const failed = await refusal(executeTransactWrite(...actions(2)));
    const kept = (await get(key("4"))) ?? null;
    const isItsKind = isTransactionCancelled(failed, ...actions(2));
    await executeTransactWrite({ clientRequestToken: "toolbox" }, ...actions(1));
    const { Responses } = await executeTransactGet(
      ...["1", "2", "3", "4"].map((id) => Product.build(GetTransaction).key(key(id))),
    );
    return {
      failed: told(failed),
      isItsKind,
      codes: failed.CancellationReasons.map(({ Code }) => Code),
      item: failed.CancellationReasons[1].FormattedItem,
      kept,
      prices: Responses.map((each) => each.Item?.price ?? null),
    };
  },

  async scan() {
    const options = { maxPages: Infinity, filter: { attr: "pk", eq: "SHOP#query" }, limit: 10 };
    const counts = [];
    for (const segment of [0, 1]) {
      const { Count } = await Shop.build(ScanCommand)
        .options({ ...options, segment, totalSegments: 2 })
        .send();
      counts.push(Count);
    }
    const orders = await Shop.build(ScanCommand).entities(Order).options({ maxPages: Infinity }).send();
    return { count: counts[0] + counts[1], orders: orders.Items.map(({ id, total }) => [id, total]) };
  },

  async refusals() {
    const key = { shop: "refusals", id: "1" };
    await put({ ...key, price: 3 });
    const condition = await refusal(
      put(
        { ...key, price: 4 },
        { condition: { attr: "shop", exists: false }, returnValuesOnConditionFalse: "ALL_OLD" },
      ),
    );
    const missing = await refusal(put({ ...key, price: 4 }, { tableName: "no-such-table" }));
    return {
      condition: { ...told(condition), status: condition.$metadata?.httpStatusCode },
      isItsKind: isConditionCheckFailed(condition, Product),
      item: condition.FormattedItem,
      missing: told(missing),
      invalid: told(await refusal((async () => put({ ...key, price: "4" }))())),
    };
  },
};

await run(steps);
