// Metrics of CloudWatch, as programs use them. What it saw is one JSON object; comparing is pytest's.

import {
  CloudWatchClient,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  InvalidNextToken,
  ListMetricsCommand,
  PutMetricDataCommand,
  paginateListMetrics,
} from "@aws-sdk/client-cloudwatch";

import { refusal, run } from "./steps.mjs";

const Namespace = "JavaScript";
const StartTime = new Date(Math.floor(Date.now() / 60000 - 2) * 60000);
const EndTime = new Date(StartTime.getTime() + 60000);
const cloudwatch = new CloudWatchClient({
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
});
const types = new Set();
cloudwatch.middlewareStack.add(
  (next) => async (args) => {
    types.add(args.request.headers["content-type"]);
    return next(args);
  },
  { step: "finalizeRequest", name: "types" },
);

const Dimensions = (number) => [{ Name: "Page", Value: `page${number % 2}` }];

async function put() {
  const MetricData = Array.from({ length: 300 }, (_, number) => ({
    MetricName: "Latency",
    Dimensions: Dimensions(number),
    Timestamp: StartTime,
    Value: number,
    Unit: "Milliseconds",
  }));
  const answer = await cloudwatch.send(new PutMetricDataCommand({ Namespace, MetricData }));
  return answer.$metadata.httpStatusCode;
}

async function list() {
  const found = [];
  for await (const page of paginateListMetrics({ client: cloudwatch }, { Namespace })) {
    found.push(...page.Metrics.map((metric) => metric.Dimensions[0].Value));
  }
  return found.sort();
}

async function statistics() {
  const { Datapoints } = await cloudwatch.send(
    new GetMetricStatisticsCommand({
      Namespace,
      MetricName: "Latency",
      Dimensions: Dimensions(0),
      StartTime,
      EndTime,
      Period: 60,
      Statistics: ["Sum", "SampleCount"],
      ExtendedStatistics: ["p50"],
    }),
  );
  const [{ Timestamp, ...point }] = Datapoints;
  return { at: Timestamp.getTime() === StartTime.getTime(), point };
}

async function data() {
  const { MetricDataResults } = await cloudwatch.send(
    new GetMetricDataCommand({
      StartTime,
      EndTime,
      MetricDataQueries: [
        {
          Id: "a",
          MetricStat: {
            Metric: { Namespace, MetricName: "Latency", Dimensions: Dimensions(1) },
            Period: 60,
            Stat: "Maximum",
          },
          ReturnData: false,
        },
        { Id: "b", Expression: "a / 2", Label: "half" },
      ],
    }),
  );
  return MetricDataResults.map(({ Timestamps, ...result }) => ({
    ...result,
    at: Timestamps[0].getTime() === StartTime.getTime(),
  }));
}

async function errors() {
  const token = await refusal(cloudwatch.send(new ListMetricsCommand({ NextToken: "x" })));
  const MetricData = [{ MetricName: "m", Value: 1 }];
  const reserved = await refusal(
    cloudwatch.send(new PutMetricDataCommand({ Namespace: "AWS/x", MetricData })),
  );
  return {
    isItsType: token instanceof InvalidNextToken,
    message: token.message,
    names: [token.name, reserved.name],
    codes: [token.Code ?? null, reserved.Code ?? null],
  };
}

await run({ put, list, statistics, data, errors, types: async () => [...types] });
