"use strict";
// askback as a construct of the AWS CDK: a nested stack of the template of a release, with its parameters typed.
//
// The template is the release's own. The construct changes one thing in it: where the code is, because the CDK uploads
// the code as assets of your app. CloudFormation checks the values of the parameters when you deploy.

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { CfnStack, Stack, Token } = require("aws-cdk-lib");
const { Asset } = require("aws-cdk-lib/aws-s3-assets");
const { Construct } = require("constructs");
const { version } = require("./package.json");

const TEMPLATE = "template.json";
const CODE = ["CodeUri", "ContentUri", "DefinitionUri"];
// Characters: the schedule of the sweep is named `<stack>-sweep`, and such a name has at most 64.
const STACK_NAME_MAX = 58;
// Characters that CloudFormation adds to the name of a nested stack, with the hyphen before them.
const SUFFIX_LENGTH = 14;

// The stack of a release, nested in yours. index.d.ts describes the properties.
class Askback extends Construct {
  constructor(scope, id, props) {
    super(scope, id);
    const { artifacts, ...parameters } = props;
    const template = JSON.parse(readFileSync(join(artifacts, TEMPLATE), "utf8"));
    const found = template.Metadata["AWS::ServerlessRepo::Application"].SemanticVersion;
    if (found !== version) {
      throw new Error(`these are the artifacts of askback ${found}, and this is the construct of ${version}`);
    }
    const values = {};
    for (const [name, value] of Object.entries(parameters)) {
      const parameter = name[0].toUpperCase() + name.slice(1);
      if (!(parameter in template.Parameters)) throw new Error(`askback ${version} has no parameter ${name}`);
      // A list as CloudFormation takes it. A token of the CDK is text already.
      if (value !== undefined) values[parameter] = Array.isArray(value) ? value.join(",") : String(value);
    }
    values.ArtifactBucket = this.#upload(template, artifacts, values);
    this.stack = new CfnStack(this, "Resource", { templateUrl: this.#written(template).httpUrl, parameters: values });
    this.outputs = {};
    for (const name of Object.keys(template.Outputs)) {
      this.outputs[name[0].toLowerCase() + name.slice(1)] = this.stack.getAtt(`Outputs.${name}`).toString();
    }
    this.#checkName();
  }

  // Makes an asset of each file of code, names it in the template, and returns the bucket of the assets.
  #upload(template, artifacts, values) {
    const architecture = values.Architecture ?? template.Parameters.Architecture.Default;
    let bucket;
    for (const [name, { Properties: properties = {} }] of Object.entries(template.Resources)) {
      for (const field of CODE.filter((each) => each in properties)) {
        const key = properties[field].Key["Fn::Sub"].replace("${ArtifactPrefix}", "");
        const asset = new Asset(this, name, { path: join(artifacts, key.replace("${Architecture}", architecture)) });
        properties[field].Key = asset.s3ObjectKey;
        bucket = asset.s3BucketName;
      }
    }
    return bucket;
  }

  #written(template) {
    const folder = mkdtempSync(join(tmpdir(), "askback-"));
    try {
      const path = join(folder, TEMPLATE);
      writeFileSync(path, JSON.stringify(template));
      return new Asset(this, "Template", { path });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #checkName() {
    const outer = Stack.of(this);
    if (Token.isUnresolved(outer.stackName)) return;
    const longest = STACK_NAME_MAX - outer.resolve(this.stack.logicalId).length - 1 - SUFFIX_LENGTH;
    if (outer.stackName.length > longest) {
      throw new Error(`the name of the stack ${outer.stackName} has more than ${longest} characters`);
    }
  }
}

module.exports = { Askback };
