// The document client by itself: how it makes values of JavaScript's and back, its paginators, batches
// over two tables, and errors down to their metadata.

import {
  CreateTableCommand,
  TransactionCanceledException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocument,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { client, newClient, refusal, run } from "./steps.mjs";

const TableName = "documents";
const Other = "documents-other";
// A document client writes its options into the client that it is made from.
const documentsWith = (options) => DynamoDBDocumentClient.from(newClient(), options);
const documents = documentsWith({});

async function create(name, more) {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "N" },
      ],
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      ...more,
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: name });
}

async function stored(pk, from = documents) {
  const { Item } = await from.send(new GetCommand({ TableName, Key: { pk, sk: 1 } }));
  return Item;
}

const metadata = (error) => ({
  name: error.name,
  message: error.message,
  fault: error.$fault,
  isAnError: error instanceof Error,
  status: error.$metadata.httpStatusCode,
  attempts: error.$metadata.attempts,
  requestId: /^[A-Z0-9]{52}$/.test(error.$metadata.requestId),
});

class Point {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
}

const steps = {
  async tables() {
    await create(Other);
    await create(TableName, {
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "N" },
        { AttributeName: "colour", AttributeType: "S" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "by-colour",
          KeySchema: [
            { AttributeName: "colour", KeyType: "HASH" },
            { AttributeName: "sk", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "ALL" },
        },
      ],
    });
  },

  async gathered() {
    const numbers = [...Array(200).keys()];
    await Promise.all(
      numbers.map((sk) =>
        documents.send(
          new PutCommand({
            TableName,
            Item: { pk: "gathered", sk, colour: sk % 2 ? "red" : "blue", square: sk * sk },
          }),
        ),
      ),
    );
    const found = await Promise.all(
      numbers.map((sk) =>
        documents.send(new GetCommand({ TableName, Key: { pk: "gathered", sk } })),
      ),
    );
    return found.every(({ Item }, sk) => Item.sk === sk && Item.square === sk * sk);
  },

  async sets() {
    await documents.send(
      new PutCommand({
        TableName,
        Item: {
          pk: "sets",
          sk: 1,
          texts: new Set(["b", "a", ""]),
          numbers: new Set([3, -1.5]),
          blobs: new Set([new Uint8Array([2]), new Uint8Array([1])]),
        },
      }),
    );
    const { texts, numbers, blobs } = await stored("sets");
    return {
      kinds: [texts, numbers, blobs].map((value) => value.constructor.name),
      texts: [...texts].sort(),
      numbers: [...numbers].sort(),
      blobs: [...blobs].map((blob) => [...blob]).sort(),
    };
  },

  // Numbers of DynamoDB that no double holds: as they were written, where it is asked for.
  async numbers() {
    const exact = documentsWith({ unmarshallOptions: { wrapNumbers: true } });
    const texts = ["12345678901234567890123456789012345678", "0.1234567890123456789", "-1E-130"];
    await exact.send(
      new PutCommand({
        TableName,
        Item: {
          pk: "numbers",
          sk: 1,
          list: texts.map((text) => NumberValue.from(text)),
          set: new Set([NumberValue.from("9007199254740993"), NumberValue.from("1.50")]),
          big: 9007199254740993n,
        },
      }),
    );
    const { list, set, big } = await stored("numbers", exact);
    const custom = documentsWith({
      unmarshallOptions: { wrapNumbers: (text) => `number ${text}` },
    });
    return {
      areNumberValues: list.every((number) => number instanceof NumberValue),
      list: list.map((number) => number.toString()),
      set: [...set].map((number) => number.toString()).sort(),
      big: big.toBigInt().toString(),
      custom: (await stored("numbers", custom)).list,
      plain: (await stored("numbers")).list.map((number) => typeof number),
    };
  },

  async marshallOptions() {
    const rest = { point: new Point(1, 2), none: undefined, text: "", set: new Set() };
    const item = { pk: "options", sk: 1, ...rest };
    const refused = await refusal(documents.send(new PutCommand({ TableName, Item: item })));
    const chosen = documentsWith({
      marshallOptions: {
        convertClassInstanceToMap: true,
        convertEmptyValues: true,
        removeUndefinedValues: true,
      },
    });
    await chosen.send(new PutCommand({ TableName, Item: item }));
    return { refused: refused.message, stored: await stored("options") };
  },

  async pages() {
    const query = {
      TableName,
      KeyConditionExpression: "pk = :pk",
      FilterExpression: "square < :few",
      ExpressionAttributeValues: { ":pk": "gathered", ":few": 1000 },
    };
    const found = [];
    for await (const page of paginateQuery({ client: documents, pageSize: 60 }, { ...query }))
      found.push([page.Count, page.ScannedCount, page.LastEvaluatedKey?.sk ?? null]);
    const rest = [];
    const from = { client: documents, pageSize: 60, startingToken: { pk: "gathered", sk: 29 } };
    for await (const page of paginateQuery(from, { ...query }))
      rest.push(page.Items.map((item) => item.sk));
    return { found, rest };
  },

  async index() {
    const { Items, ConsumedCapacity } = await documents.send(
      new QueryCommand({
        TableName,
        IndexName: "by-colour",
        KeyConditionExpression: "colour = :c AND sk BETWEEN :low AND :high",
        ExpressionAttributeValues: { ":c": "red", ":low": 10, ":high": 14 },
        ScanIndexForward: false,
        ReturnConsumedCapacity: "INDEXES",
      }),
    );
    return { items: Items, capacity: ConsumedCapacity };
  },

  async segments() {
    const counts = await Promise.all(
      [0, 1, 2, 3].map(async (Segment) => {
        let count = 0;
        const scan = { TableName, Segment, TotalSegments: 4, Select: "COUNT" };
        for await (const page of paginateScan({ client: documents, pageSize: 9 }, scan))
          count += page.Count;
        return count;
      }),
    );
    return counts.reduce((all, count) => all + count, 0);
  },

  async batches() {
    const put = (Item) => ({ PutRequest: { Item } });
    const items = [...Array(12).keys()].map((sk) => ({ pk: "batch", sk, tags: new Set(["x"]) }));
    await documents.send(
      new BatchWriteCommand({
        RequestItems: { [TableName]: items.map(put), [Other]: items.map(put) },
      }),
    );
    const deleted = await documents.send(
      new BatchWriteCommand({
        RequestItems: {
          [Other]: items.slice(0, 10).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
          [TableName]: [put({ pk: "batch", sk: 0, tags: new Set(["y"]) })],
        },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    const Keys = items.map(({ pk, sk }) => ({ pk, sk }));
    const read = await documents.send(
      new BatchGetCommand({
        RequestItems: {
          [TableName]: {
            Keys,
            ProjectionExpression: "#s, tags",
            ExpressionAttributeNames: { "#s": "sk" },
            ConsistentRead: true,
          },
          [Other]: { Keys },
        },
      }),
    );
    const here = read.Responses[TableName].sort((one, two) => one.sk - two.sk);
    return {
      unprocessed: deleted.UnprocessedItems,
      capacity: Object.fromEntries(
        deleted.ConsumedCapacity.map((each) => [each.TableName, each.CapacityUnits]),
      ),
      here: here.map(({ sk, tags, ...rest }) => [sk, [...tags], rest]).slice(0, 2),
      there: read.Responses[Other].map((item) => item.sk).sort((one, two) => one - two),
    };
  },

  async update() {
    const Key = { pk: "updated", sk: 1 };
    await documents.send(
      new PutCommand({ TableName, Item: { ...Key, old: 1, list: [1, 2], tags: new Set(["a", "b"]) } }),
    );
    const answer = await documents.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression:
          "SET #l[1] = :two, #m = :map, seen = if_not_exists(seen, :no) REMOVE #o DELETE tags :a ADD n :two",
        ConditionExpression: "size(#l) = :two AND attribute_not_exists(#m) AND contains(tags, :text)",
        ExpressionAttributeNames: { "#l": "list", "#m": "map", "#o": "old" },
        ExpressionAttributeValues: {
          ":two": 2,
          ":map": { deep: [null, true] },
          ":no": false,
          ":a": new Set(["a"]),
          ":text": "b",
        },
        ReturnValues: "ALL_NEW",
      }),
    );
    const { tags, ...rest } = answer.Attributes;
    return { tags: [...tags], rest };
  },

  // All or nothing, over two tables; values of its own there too, but not in the reasons.
  async transactions() {
    const key = (pk) => ({ pk, sk: 1 });
    const actions = (amount) => [
      { Put: { TableName: Other, Item: { ...key("order"), lines: new Set(["a"]) } } },
      {
        Update: {
          TableName,
          Key: key("stock"),
          UpdateExpression: "SET pieces = pieces - :n",
          ConditionExpression: "pieces >= :n",
          ExpressionAttributeValues: { ":n": amount },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      },
      { Delete: { TableName, Key: key("basket") } },
      { ConditionCheck: { TableName, Key: key("customer"), ConditionExpression: "attribute_exists(pk)" } },
    ];
    const buy = (amount, ClientRequestToken) =>
      documents.send(new TransactWriteCommand({ TransactItems: actions(amount), ClientRequestToken }));
    for (const pk of ["stock", "basket", "customer"])
      await documents.send(new PutCommand({ TableName, Item: { ...key(pk), pieces: 5 } }));
    const failed = await refusal(buy(6));
    const untouched = await documents.send(new GetCommand({ TableName: Other, Key: key("order") }));
    await buy(2, "twice");
    await buy(2, "twice");
    const mismatch = await refusal(buy(1, "twice"));
    const got = await documents.send(
      new TransactGetCommand({
        TransactItems: [
          { Get: { TableName: Other, Key: key("order") } },
          { Get: { TableName, Key: key("stock"), ProjectionExpression: "pieces" } },
          { Get: { TableName, Key: key("basket") } },
        ],
      }),
    );
    const [order, stock, basket] = got.Responses;
    return {
      isItsClass: failed instanceof TransactionCanceledException,
      message: failed.message,
      reasons: failed.CancellationReasons,
      untouched: untouched.Item ?? null,
      mismatch: mismatch.name,
      order: { ...order.Item, lines: [...order.Item.lines] },
      stock: stock.Item,
      basket: basket.Item ?? null,
    };
  },

  // The aggregated client, as older programs are written.
  async aggregated() {
    const all = DynamoDBDocument.from(client);
    await all.put({ TableName: Other, Item: { pk: "aggregated", sk: 1, yes: true } });
    const { Item } = await all.get({ TableName: Other, Key: { pk: "aggregated", sk: 1 } });
    const { Attributes } = await all.delete({
      TableName: Other,
      Key: { pk: "aggregated", sk: 1 },
      ReturnValues: "ALL_OLD",
    });
    return { item: Item, attributes: Attributes };
  },

  async refusals() {
    const Key = { pk: "refused", sk: 1 };
    await documents.send(new PutCommand({ TableName, Item: { ...Key, owner: "me" } }));
    const condition = await refusal(
      documents.send(
        new DeleteCommand({
          TableName,
          Key,
          ConditionExpression: "#o = :you",
          ExpressionAttributeNames: { "#o": "owner" },
          ExpressionAttributeValues: { ":you": "you" },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
    const unknown = await refusal(
      documents.send(new QueryCommand({ TableName: "none", KeyConditionExpression: "pk = :x" })),
    );
    const missing = await refusal(
      documents.send(new PutCommand({ TableName: "none", Item: Key })),
    );
    const twice = await refusal(
      documents.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key, Key] } } }),
      ),
    );
    return {
      condition: { ...metadata(condition), item: condition.Item },
      unknown: metadata(unknown),
      missing: metadata(missing),
      twice: metadata(twice),
    };
  },
};

await run(steps);
