// A table with a vector index, as the document client writes it and searches it.

import {
  CreateTableCommand,
  DescribeTableCommand,
  SearchVectorsCommand,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

import { client, refusal, run } from "./steps.mjs";

const TableName = "javascript-vectors";
const documents = DynamoDBDocumentClient.from(client);
const numbers = (...values) => values.map((value) => ({ N: String(value) }));
const index = (IndexName, more) => ({
  IndexName,
  VectorAttribute: { AttributeName: "place" },
  Dimensions: 2,
  DistanceFunction: "EUCLIDEAN",
  Projection: { ProjectionType: "ALL" },
  ...more,
});

await run({
  async table() {
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: ["pk", "kind"].map((AttributeName) => ({
          AttributeName,
          AttributeType: "S",
        })),
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        VectorIndexes: [
          index("by-place", {
            SearchSchema: [{ AttributeName: "kind", SearchSchemaElementType: "INLINE_FILTER" }],
          }),
        ],
      }),
    );
    const [made] = TableDescription.VectorIndexes;
    return [made.IndexName, made.Dimensions, made.DistanceFunction];
  },

  async search() {
    for (const [pk, kind, ...place] of [
      ["a", "x", 0, 0],
      ["b", "y", 3, 4],
      ["c", "x", 6, 8],
    ]) {
      await documents.send(new PutCommand({ TableName, Item: { pk, kind, place } }));
    }
    const { SearchResults, ConsumedCapacity } = await client.send(
      new SearchVectorsCommand({
        TableName,
        IndexName: "by-place",
        SearchVector: numbers(0, 0),
        TopK: 10,
        SearchConditionExpression: "#k = :k",
        ExpressionAttributeNames: { "#k": "kind" },
        ExpressionAttributeValues: { ":k": { S: "x" } },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    return {
      found: SearchResults.map(({ Item, Score }) => [unmarshall(Item).pk, Score]),
      item: unmarshall(SearchResults[1].Item),
      isCharged: ConsumedCapacity.VectorSearchRequestBytes > 0,
    };
  },

  async changed() {
    await client.send(
      new UpdateTableCommand({ TableName, VectorIndexUpdates: [{ Create: index("second") }] }),
    );
    for (;;) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }));
      if (Table.VectorIndexes.every((each) => each.IndexStatus === "ACTIVE")) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { SearchResults } = await client.send(
      new SearchVectorsCommand({
        TableName,
        IndexName: "second",
        SearchVector: numbers(6, 8),
        TopK: 1,
      }),
    );
    return SearchResults.map(({ Item }) => Item.pk.S);
  },

  async refused() {
    const error = await refusal(
      client.send(
        new SearchVectorsCommand({
          TableName,
          IndexName: "by-place",
          SearchVector: numbers(1, 2, 3),
          TopK: 1,
        }),
      ),
    );
    return { name: error.name, status: error.$metadata.httpStatusCode };
  },
});
