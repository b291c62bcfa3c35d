import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { account } from "hashrange";
import { afterEach, beforeEach, expect, test } from "vitest";

let client;

beforeEach(() => {
  client = new DynamoDBClient(account());
});

afterEach(() => client.destroy());

test.each([1, 2])("a table of my own, %i", async () => {
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  await client.send(
    new CreateTableCommand({
      TableName: "orders",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
});

test("code that knows nothing of hashrange uses the server, too", async () => {
  const plain = new DynamoDBClient();
  expect((await plain.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  plain.destroy();
});
