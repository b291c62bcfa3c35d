// The clients of aws-sdk 3; run by pytest. The argument is the endpoint.

import dax from "@amazon-dax-sdk/client-dax";
import lib from "@amazon-dax-sdk/lib-dax";
import { print } from "./steps.mjs";

const config = {
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: process.env.AWS_ACCESS_KEY_ID, secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY },
};
await print(new dax.Dax(config), new lib.DaxDocument(config));
