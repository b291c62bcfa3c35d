// A Kinesis stream, as programs use it. The client asks for HTTP/2 unless it is told otherwise.
// What it saw is one JSON object; comparing is pytest's.

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
const kinesis = new KinesisClient({
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
  requestHandler: new NodeHttpHandler(),
});

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

async function errors() {
  try {
    await kinesis.send(new DescribeStreamSummaryCommand({ StreamName: "none" }));
  } catch (error) {
    return { notFound: error instanceof ResourceNotFoundException, message: error.message };
  }
  return {};
}

await run({ records, errors });
