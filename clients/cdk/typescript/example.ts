// An app of the AWS CDK that has askback in its stack, and an agent that may ask.
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Askback } from "askback-cdk";

const app = new App();
const stack = new Stack(app, "Refunds");
const alarms = new Topic(stack, "Alarms");
const askback = new Askback(stack, "Askback", {
  artifacts: "askback-artifacts",
  brandName: "Acme",
  retentionDays: 90,
  allowedOrigins: ["https://app.example.com"],
  alarmTopicArn: alarms.topicArn,
});
const agent = new Role(stack, "Agent", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
agent.addManagedPolicy(ManagedPolicy.fromManagedPolicyArn(stack, "MayAsk", askback.outputs.agentPolicyArn));
new CfnOutput(stack, "AskbackUrl", { value: askback.outputs.apiUrl });
app.synth();
