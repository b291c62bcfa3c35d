// A table's stream, read as programs do: describe it, walk its shards from parents to children, and
// follow the iterators. What it saw is one JSON object; comparing is pytest's.

import {
  CreateTableCommand,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb-streams";
import { unmarshall } from "@aws-sdk/util-dynamodb";

import { client, refusal, run } from "./steps.mjs";

const TableName = "javascript-streams";
const streams = new DynamoDBStreamsClient({
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
});
let StreamArn;

async function shardsOf() {
  const shards = [];
  let ExclusiveStartShardId;
  do {
    const { StreamDescription } = await streams.send(
      new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId, Limit: 1 }),
    );
    shards.push(...StreamDescription.Shards);
    ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return shards;
}

async function read(shard) {
  const records = [];
  let { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({
      StreamArn,
      ShardId: shard.ShardId,
      ShardIteratorType: "TRIM_HORIZON",
    }),
  );
  while (ShardIterator) {
    const answer = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 2 }));
    if (answer.Records.length === 0) break;
    records.push(...answer.Records);
    ShardIterator = answer.NextShardIterator;
  }
  return { records, ended: ShardIterator === undefined };
}

const image = (map) => (map ? unmarshall(map) : null);

await run({
  async table() {
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      }),
    );
    StreamArn = TableDescription.LatestStreamArn;
    const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
    return {
      listed: Streams.map((stream) => stream.StreamArn === StreamArn),
      label: Streams[0].StreamLabel === TableDescription.LatestStreamLabel,
    };
  },

  async records() {
    const Key = { pk: { S: "a" } };
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, n: { N: "1" } } }));
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: "SET n = n + :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      }),
    );
    await client.send(new DeleteItemCommand({ TableName, Key }));
    const shards = await shardsOf();
    const { records, ended } = await read(shards[0]);
    return {
      shards: shards.length,
      ended,
      dates: records.every((r) => r.dynamodb.ApproximateCreationDateTime instanceof Date),
      names: records.map((record) => record.eventName),
      keys: records.map((record) => image(record.dynamodb.Keys)),
      old: records.map((record) => image(record.dynamodb.OldImage)),
      new: records.map((record) => image(record.dynamodb.NewImage)),
      sorted: records.every(
        (record, place) =>
          place === 0 ||
          BigInt(record.dynamodb.SequenceNumber) >
            BigInt(records[place - 1].dynamodb.SequenceNumber),
      ),
    };
  },

  async disabled() {
    await client.send(
      new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }),
    );
    const [shard] = await shardsOf();
    const { records, ended } = await read(shard);
    const last = records[records.length - 1].dynamodb.SequenceNumber;
    return { ended, last: shard.SequenceNumberRange.EndingSequenceNumber === last };
  },

  async errors() {
    const gone = StreamArn.replace(TableName, "nobody");
    const error = await refusal(streams.send(new DescribeStreamCommand({ StreamArn: gone })));
    return {
      notFound: error instanceof ResourceNotFoundException,
      message: error.message === `Requested resource not found: Stream: ${gone} not found`,
    };
  },
});
