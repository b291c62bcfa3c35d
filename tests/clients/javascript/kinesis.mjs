// A Kinesis stream, and one that gets the changes of a table, as programs use them. The client speaks HTTP/2 unless it is told otherwise.
// What it saw is one JSON object; comparing is pytest's.

import {
  CreateTableCommand,
  DynamoDBClient,
  EnableKinesisStreamingDestinationCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  ListShardsCommand,
  PutRecordsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";

import { run } from "./steps.mjs";

const StreamName = "javascript";
const server = {
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
};
const kinesis = new KinesisClient({ ...server, maxAttempts: 1 });
const withHttp1 = new KinesisClient({
  ...server,
  maxAttempts: 1,
  requestHandler: new NodeHttpHandler(),
});
const dynamodb = new DynamoDBClient(server);

async function records() {
  await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount: 1 }));
  const Records = ["a", "é", ""].map((text) => ({
    PartitionKey: "k",
    Data: new TextEncoder().encode(text),
  }));
  const put = await kinesis.send(new PutRecordsCommand({ StreamName, Records }));
  const { Shards } = await kinesis.send(new ListShardsCommand({ StreamName }));
  const { ShardIterator } = await kinesis.send(
    new GetShardIteratorCommand({
      StreamName,
      ShardId: Shards[0].ShardId,
      ShardIteratorType: "TRIM_HORIZON",
    }),
  );
  const read = await kinesis.send(new GetRecordsCommand({ ShardIterator }));
  return {
    shards: Shards.length,
    failed: put.FailedRecordCount,
    data: read.Records.map((record) => new TextDecoder().decode(record.Data)),
    numbers: read.Records.every(
      (record, at) => record.SequenceNumber === put.Records[at].SequenceNumber,
    ),
    dates: read.Records.every((record) => record.ApproximateArrivalTimestamp instanceof Date),
    behind: read.MillisBehindLatest,
  };
}

// Reads the only shard from its beginning until it has given so many records.
async function changes(name, count) {
  const asked = { StreamName: name, ShardId: "shardId-000000000000" };
  const first = { ...asked, ShardIteratorType: "TRIM_HORIZON" };
  let { ShardIterator } = await kinesis.send(new GetShardIteratorCommand(first));
  const found = [];
  for (let tries = 0; tries < 600 && found.length < count; tries += 1) {
    const page = await kinesis.send(new GetRecordsCommand({ ShardIterator }));
    found.push(...page.Records.map(({ Data }) => JSON.parse(new TextDecoder().decode(Data))));
    ShardIterator = page.NextShardIterator;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return found;
}

async function destination() {
  const name = "javascript-changes";
  const TableName = "javascript-producer";
  await kinesis.send(new CreateStreamCommand({ StreamName: name, ShardCount: 1 }));
  const described = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName: name }));
  const StreamArn = described.StreamDescriptionSummary.StreamARN;
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    }),
  );
  const enabled = await dynamodb.send(
    new EnableKinesisStreamingDestinationCommand({ TableName, StreamArn }),
  );
  for (const note of ["old", "new"]) {
    const Item = { pk: { S: "one" }, note: { S: note } };
    await dynamodb.send(new PutItemCommand({ TableName, Item }));
  }
  const found = await changes(name, 2);
  return {
    status: enabled.DestinationStatus,
    changes: found.map((each) => [each.eventName, each.dynamodb.NewImage.note.S]),
  };
}

async function errors() {
  try {
    await withHttp1.send(new DescribeStreamSummaryCommand({ StreamName: "none" }));
  } catch (error) {
    return { notFound: error instanceof ResourceNotFoundException, message: error.message };
  }
  return {};
}

await run({ records, destination, errors });
