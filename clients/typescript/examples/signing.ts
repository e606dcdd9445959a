/** Two signers for programs: with aws4fetch, and with the signer of the AWS SDK. */

import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Signer } from "askback";
import { AwsClient } from "aws4fetch";

const region = process.env.AWS_REGION ?? "eu-central-1";
const credentials = {
  accessKeyId: process.env.AWS_ACCESS_KEY_ID!,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY!,
  ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
};

// aws4fetch: small, without dependencies.
const aws = new AwsClient({ ...credentials, region, service: "execute-api" });
export const sign: Signer = ({ url, ...request }) => aws.sign(url, request);

// The AWS SDK: `credentials` can also be a provider, such as `fromNodeProviderChain()`.
const signer = new SignatureV4({ credentials, region, service: "execute-api", sha256: Sha256 });
export const signWithSdk: Signer = ({ url, headers, ...request }) => {
  const { protocol, host, hostname, port, pathname: path } = new URL(url);
  const address = { protocol, hostname, path, ...(port && { port: Number(port) }) };
  return signer.sign({ ...request, ...address, headers: { ...headers, host }, query: {} });
};
