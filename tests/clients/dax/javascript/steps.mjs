// What a JavaScript client of DAX sees of a server, step by step; `program.mjs` of each package
// names the clients. The steps are those of the Python program; `documents` uses plain values.

let client;
let documentClient;

const KINDS = {
  pk: { S: "kinds" },
  s: { S: "ü" },
  n: { N: "-12345678901234567890.5" },
  b: { B: Buffer.from([0, 255]) },
  t: { BOOL: true },
  z: { NULL: true },
  l: { L: [{ N: "1" }, { M: { x: { S: "deep" }, y: { L: [] } } }, { S: "" }] },
  ss: { SS: ["a", "b"] },
  ns: { NS: ["1", "2"] },
  bs: { BS: [Buffer.from("a"), Buffer.from("b")] },
};

// Members in the order of their names.
const text = (value) =>
  JSON.stringify(value, (_, each) =>
    each && each.constructor === Object
      ? Object.fromEntries(Object.keys(each).sort().map((name) => [name, each[name]]))
      : each,
  );

async function refusal(promise) {
  try {
    await promise;
    return null;
  } catch (error) {
    return [error.code, error.message.replace(`${error.code}: `, "")];
  }
}

async function items() {
  const key = { pk: { S: "kinds" } };
  await client.putItem({ TableName: "flat", Item: KINDS });
  const got = (await client.getItem({ TableName: "flat", Key: key })).Item;
  const missing = await client.getItem({ TableName: "flat", Key: { pk: { S: "none" } } });
  const part = (
    await client.getItem({
      TableName: "flat",
      Key: key,
      ProjectionExpression: "#s, l[1].x, l[2]",
      ExpressionAttributeNames: { "#s": "s" },
    })
  ).Item;
  const updated = (
    await client.updateItem({
      TableName: "flat",
      Key: key,
      UpdateExpression: "SET o = :o, c = if_not_exists(c, :one) + :one REMOVE ss ADD v :one",
      ConditionExpression:
        "attribute_exists(pk) AND (n < :one OR size(l) > :one) AND NOT t = :one",
      ExpressionAttributeValues: { ":o": { M: { q: { N: "7.50" } } }, ":one": { N: "1" } },
      ReturnValues: "UPDATED_NEW",
    })
  ).Attributes;
  const nested = (
    await client.updateItem({
      TableName: "flat",
      Key: key,
      UpdateExpression: "SET o.q = :i",
      ExpressionAttributeValues: { ":i": { N: "9" } },
      ReturnValues: "UPDATED_NEW",
    })
  ).Attributes;
  const old = (await client.deleteItem({ TableName: "flat", Key: key, ReturnValues: "ALL_OLD" }))
    .Attributes;
  return {
    same: text(got) === text(KINDS),
    missing: !("Item" in missing) || missing.Item === undefined,
    part: [part.s.S, part.l.L[0].M.x.S, part.l.L[1].S],
    updated: [updated.o.M.q.N, updated.c.N, updated.v.N],
    nested: [Object.keys(nested), nested.o.M.q.N],
    old: [old.pk.S, old.v.N, "ss" in old],
  };
}

async function pages() {
  const between = await client.query({
    TableName: "sorted",
    KeyConditionExpression: "pk = :p AND sk BETWEEN :low AND :high",
    FilterExpression: "v IN (:a, :b)",
    ExpressionAttributeValues: {
      ":p": { S: "p" },
      ":low": { N: "2" },
      ":high": { N: "7.5" },
      ":a": { N: "3" },
      ":b": { N: "5" },
    },
    ScanIndexForward: false,
    ReturnConsumedCapacity: "TOTAL",
  });
  const index = [];
  let start;
  do {
    const page = await client.query({
      TableName: "sorted",
      IndexName: "by-g",
      KeyConditionExpression: "g = :g",
      ExpressionAttributeValues: { ":g": { S: "even" } },
      ProjectionExpression: "sk",
      Limit: 2,
      ...(start && { ExclusiveStartKey: start }),
    });
    index.push(page.Items.map((item) => item.sk.N));
    start = page.LastEvaluatedKey;
  } while (start);
  const scan = [];
  do {
    const page = await client.scan({
      TableName: "sorted",
      Limit: 4,
      ...(start && { ExclusiveStartKey: start }),
    });
    scan.push(page.Count);
    start = page.LastEvaluatedKey;
  } while (start);
  const counted = await client.scan({ TableName: "sorted", Select: "COUNT" });
  return {
    between: between.Items.map((item) => item.sk.N),
    counts: [between.Count, between.ScannedCount],
    units: between.ConsumedCapacity.CapacityUnits,
    index,
    scan,
    count: counted.Count,
  };
}

async function batches() {
  const numbers = [...Array(25).keys()];
  const written = await client.batchWriteItem({
    RequestItems: {
      flat: numbers.map((number) => ({
        PutRequest: { Item: { pk: { S: `b${number}` }, v: { N: `${number}` } } },
      })),
    },
  });
  await client.batchWriteItem({
    RequestItems: { flat: [{ DeleteRequest: { Key: { pk: { S: "b0" } } } }] },
  });
  const got = await client.batchGetItem({
    RequestItems: {
      flat: {
        Keys: numbers.map((number) => ({ pk: { S: `b${number}` } })),
        ProjectionExpression: "v",
      },
      sorted: { Keys: [{ pk: { S: "p" }, sk: { N: "1" } }], ConsistentRead: true },
    },
  });
  const { flat, sorted } = got.Responses;
  return {
    unprocessed:
      Object.keys(written.UnprocessedItems ?? {}).length +
      Object.keys(got.UnprocessedKeys ?? {}).length,
    sum: flat.reduce((sum, item) => sum + Number(item.v.N), 0),
    found: [flat.length, sorted.map((item) => item.g.S)],
  };
}

async function transactions() {
  const put = { TableName: "flat", Item: { pk: { S: "t1" }, v: { N: "1" } } };
  const remove = { TableName: "flat", Key: { pk: { S: "t3" } } };
  await client.transactWriteItems({
    TransactItems: [
      { Put: put },
      {
        ConditionCheck: {
          TableName: "sorted",
          Key: { pk: { S: "p" }, sk: { N: "1" } },
          ConditionExpression: "attribute_exists(pk)",
        },
      },
      {
        Update: {
          TableName: "flat",
          Key: { pk: { S: "t2" } },
          UpdateExpression: "SET v = :v",
          ExpressionAttributeValues: { ":v": { N: "2" } },
        },
      },
      { Delete: remove },
    ],
  });
  const got = await client.transactGetItems({
    TransactItems: ["t1", "t2", "t3"].map((name) => ({
      Get: { TableName: "flat", Key: { pk: { S: name } } },
    })),
  });
  let reasons = null;
  try {
    await client.transactWriteItems({
      TransactItems: [
        { Put: { ...put, ConditionExpression: "attribute_not_exists(pk)" } },
        { Delete: remove },
      ],
    });
  } catch (error) {
    if (error.code !== "TransactionCanceledException") throw error;
    reasons = error.cancellationReasons.map((each) => each.Code);
  }
  return { got: got.Responses.map((each) => each.Item?.v.N ?? null), reasons };
}

async function refusals() {
  return {
    condition: await refusal(
      client.putItem({
        TableName: "sorted",
        Item: { pk: { S: "p" }, sk: { N: "1" } },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    ),
    table: (await refusal(client.getItem({ TableName: "nothing", Key: { pk: { S: "a" } } })))[0],
    update: await refusal(
      client.updateItem({
        TableName: "flat",
        Key: { pk: { S: "a" } },
        UpdateExpression: "SET pk = :v",
        ExpressionAttributeValues: { ":v": { S: "b" } },
      }),
    ),
  };
}

// Plain values, and numbers that come back as numbers.
async function documents() {
  const item = { pk: "document", n: 7.5, list: [1, { deep: true }], none: null };
  await documentClient.put({ TableName: "flat", Item: item });
  const got = await documentClient.get({ TableName: "flat", Key: { pk: "document" } });
  return text(got.Item) === text(item);
}

// Print what the steps see with two clients: of attribute values, and of documents.
export async function print(values, plain) {
  client = values;
  documentClient = plain;
  const seen = {};
  for (const step of [items, pages, batches, transactions, refusals, documents]) {
    seen[step.name] = await step();
  }
  console.log(JSON.stringify(seen));
  process.exit(0);
}
