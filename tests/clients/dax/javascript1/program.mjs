// The client of aws-sdk 2; run by pytest. The argument is the endpoint.

import AmazonDaxClient from "amazon-dax-client";
import AWS from "aws-sdk";
import { print } from "./steps.mjs";

// The operations of a client give promises, as those of aws-sdk 3 do.
const promising = (client) =>
  new Proxy(client, { get: (_, name) => (request) => client[name](request).promise() });

const client = new AmazonDaxClient({
  endpoint: process.argv[2],
  region: "us-east-1",
  accessKeyId: process.env.AWS_ACCESS_KEY_ID,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
});
await print(promising(client), promising(new AWS.DynamoDB.DocumentClient({ service: client })));
