/** The signer of the tests: aws4fetch, with credentials of no account. */

import { AwsClient } from "aws4fetch";
import type { Signer } from "askback";

const aws = new AwsClient({
  accessKeyId: "local",
  secretAccessKey: "local",
  service: "execute-api",
  region: "us-east-1",
});

export const signer: Signer = ({ url, ...request }) => aws.sign(url, request);
