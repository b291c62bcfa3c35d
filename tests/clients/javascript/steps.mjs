// What the programs share: the client of the endpoint that is their argument, and how their steps are
// run, one after the other, to one JSON object with what each of them saw. Comparing is pytest's.

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

export const newClient = () =>
  new DynamoDBClient({
    endpoint: process.argv[2],
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });

export const client = newClient();

export async function refusal(promise) {
  try {
    await promise;
    return "nothing was refused";
  } catch (error) {
    return error;
  }
}

export async function run(steps) {
  const seen = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      seen[name] = await step();
    } catch (error) {
      seen[name] = { error: String(error), stack: error.stack };
    }
  }
  console.log(JSON.stringify(seen));
}
