"""What the role of the audit function is for."""

from tests.built.deployed.needs import needs
from tests.built.deployed.world import World


@needs("AuditRole", "ReadTheStream", "dynamodb:DescribeStream", whole="written", cut="unread")
@needs("AuditRole", "ReadTheStream", "dynamodb:GetRecords", whole="written", cut="unread")
@needs("AuditRole", "ReadTheStream", "dynamodb:GetShardIterator", whole="written", cut="unread")
@needs("AuditRole", "FindTheStream", "dynamodb:ListStreams", whole="written", cut="unread")
@needs("AuditRole", "WriteDecisions", "logs:PutLogEvents", whole="written", cut="unwritten")
def a_decision_has_its_line(world: World) -> str:
    return world.audited(world.mint())


@needs("AuditRole", "WriteDecisions", "logs:CreateLogStream", whole="written", cut="unwritten")
def the_first_decision_of_a_day_has_its_line(world: World) -> str:
    world.begin_a_log_stream()
    return world.audited(world.mint())


@needs("AuditRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("AuditRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def an_audit_is_logged(world: World) -> str:
    return world.logs_of("AuditLogGroup", lambda: world.audited(world.mint()))
