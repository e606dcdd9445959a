"""An app of the AWS CDK that has askback in its stack, and an agent that may ask."""

from askback_cdk import Askback
from aws_cdk import App, CfnOutput, Stack
from aws_cdk.aws_iam import ManagedPolicy, Role, ServicePrincipal
from aws_cdk.aws_sns import Topic

app = App()
stack = Stack(app, "Refunds")
alarms = Topic(stack, "Alarms")
askback = Askback(
    stack,
    "Askback",
    artifacts="askback-artifacts",
    brand_name="Acme",
    retention_days=90,
    allowed_origins=["https://app.example.com"],
    alarm_topic_arn=alarms.topic_arn,
)
agent = Role(stack, "Agent", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
agent.add_managed_policy(ManagedPolicy.from_managed_policy_arn(stack, "MayAsk", askback.outputs.agent_policy_arn))
CfnOutput(stack, "AskbackUrl", value=askback.outputs.api_url)
app.synth()
