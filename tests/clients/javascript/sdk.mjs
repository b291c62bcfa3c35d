// The JavaScript SDK: its client, its waiters, its classes of errors, and the document client beside it.

import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  TagResourceCommand,
  UntagResourceCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { client, refusal, run } from "./steps.mjs";

const TableName = "javascript";
const documents = DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
});

async function pagesOf(paginator) {
  const pages = [];
  for await (const page of paginator) pages.push(page.Items.map((item) => item.sk));
  return pages;
}

const steps = {
  async table() {
    const { TableDescription: created } = await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [
          { AttributeName: "pk", AttributeType: "S" },
          { AttributeName: "sk", AttributeType: "N" },
        ],
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "sk", KeyType: "RANGE" },
        ],
      }),
    );
    const waited = await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
    const { Table: described } = await client.send(new DescribeTableCommand({ TableName }));
    return {
      created: created.TableStatus,
      waited: waited.state,
      described: described.TableStatus,
      createdIsADate: described.CreationDateTime instanceof Date,
    };
  },

  async tags() {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const ResourceArn = Table.TableArn;
    const Tags = [{ Key: "owner", Value: "me" }, { Key: "gone", Value: "soon" }];
    await client.send(new TagResourceCommand({ ResourceArn, Tags }));
    await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ["gone"] }));
    return (await client.send(new ListTagsOfResourceCommand({ ResourceArn }))).Tags;
  },

  async documents() {
    const item = {
      pk: "kinds",
      sk: 1,
      text: "déjà vu 😀",
      empty: "",
      fraction: -12.5,
      yes: true,
      nothing: null,
      bytes: new Uint8Array([0, 255]),
      list: [1, "two", { three: [3] }],
      map: { nested: { deep: "down" } },
    };
    await documents.send(
      new PutCommand({
        TableName,
        Item: { ...item, names: new Set(["b", "a"]), large: 12345678901234567890n, left: undefined },
      }),
    );
    const { Item } = await documents.send(
      new GetCommand({ TableName, Key: { pk: "kinds", sk: 1 }, ConsistentRead: true }),
    );
    const { names, large, ...rest } = Item;
    return {
      names: [...names].sort(),
      large: String(large),
      bytes: [...rest.bytes],
      sameKeys: JSON.stringify(Object.keys(rest).sort()) === JSON.stringify(Object.keys(item).sort()),
      rest: { ...rest, bytes: undefined },
    };
  },

  async update() {
    const answer = await documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk: "updated", sk: 1 },
        UpdateExpression: "SET #n = if_not_exists(#n, :zero) + :one, tags = :tags",
        ExpressionAttributeNames: { "#n": "count" },
        ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":tags": ["a"] },
        ReturnValues: "ALL_NEW",
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    return { attributes: answer.Attributes, consumed: answer.ConsumedCapacity };
  },

  async delete() {
    await documents.send(new PutCommand({ TableName, Item: { pk: "deleted", sk: 1 } }));
    const Key = { pk: "deleted", sk: 1 };
    const deleted = await documents.send(
      new DeleteCommand({ TableName, Key, ReturnValues: "ALL_OLD" }),
    );
    const after = await documents.send(new GetCommand({ TableName, Key }));
    return { old: deleted.Attributes, found: after.Item !== undefined };
  },

  async batches() {
    const keys = [...Array(25).keys()].map((sk) => ({ pk: "batch", sk }));
    const written = await documents.send(
      new BatchWriteCommand({
        RequestItems: { [TableName]: keys.map((Item) => ({ PutRequest: { Item } })) },
      }),
    );
    const read = await documents.send(
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys } } }),
    );
    return {
      unprocessed: written.UnprocessedItems,
      unread: read.UnprocessedKeys,
      found: read.Responses[TableName].length,
    };
  },

  async pages() {
    // Made anew each time, for paginators write into what they are given.
    const query = (ScanIndexForward) => ({
      TableName,
      ScanIndexForward,
      KeyConditionExpression: "pk = :pk AND sk < :most",
      ExpressionAttributeValues: { ":pk": "batch", ":most": 7 },
    });
    const scan = {
      TableName,
      FilterExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": "batch" },
    };
    const options = { client: documents, pageSize: 3 };
    return {
      query: await pagesOf(paginateQuery(options, query(true))),
      backwards: await pagesOf(paginateQuery(options, query(false))),
      scan: (await pagesOf(paginateScan({ ...options, pageSize: 4 }, scan))).flat().length,
    };
  },

  async conditionFailed() {
    const Item = { pk: "condition", sk: 1, owner: "me" };
    await documents.send(new PutCommand({ TableName, Item }));
    const error = await refusal(
      documents.send(
        new PutCommand({
          TableName,
          Item,
          ConditionExpression: "attribute_not_exists(pk)",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
    return {
      isItsClass: error instanceof ConditionalCheckFailedException,
      message: error.message,
      item: error.Item,
      status: error.$metadata.httpStatusCode,
    };
  },

  async notFound() {
    const error = await refusal(
      documents.send(new GetCommand({ TableName: "no-such-table", Key: { pk: "k" } })),
    );
    return {
      isItsClass: error instanceof ResourceNotFoundException,
      name: error.name,
      message: error.message,
      hasRequestId: error.$metadata.requestId.length > 0,
    };
  },

  async invalid() {
    const error = await refusal(
      documents.send(new GetCommand({ TableName, Key: { pk: "no sort key" } })),
    );
    return { name: error.name, message: error.message, fault: error.$fault };
  },

  async gone() {
    const { TableDescription } = await client.send(new DeleteTableCommand({ TableName }));
    const waited = await waitUntilTableNotExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
    return { deleted: TableDescription.TableStatus, waited: waited.state };
  },
};

await run(steps);
