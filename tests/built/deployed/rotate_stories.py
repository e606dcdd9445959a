"""What the rotation's role is for."""

from tests.built.deployed.needs import needs
from tests.built.deployed.world import World


@needs("RotateRole", "RotateTheKeys", "secretsmanager:DescribeSecret", whole="rotated", cut="failed at createSecret")
@needs("RotateRole", "RotateTheKeys", "secretsmanager:GetSecretValue", whole="rotated", cut="failed at createSecret")
@needs("RotateRole", "RotateTheKeys", "secretsmanager:PutSecretValue", whole="rotated", cut="failed at createSecret")
@needs(
    "RotateRole",
    "RotateTheKeys",
    "secretsmanager:UpdateSecretVersionStage",
    whole="rotated",
    cut="failed at finishSecret",
)
@needs("RotateRole", "RotateTheKeys", "secretsmanager:TagResource", whole="rotated", cut="failed at finishSecret")
def the_key_is_rotated(world: World) -> str:
    return world.rotate()


@needs("RotateRole", "WriteLogs", "logs:CreateLogStream", whole="logged", cut="silent")
@needs("RotateRole", "WriteLogs", "logs:PutLogEvents", whole="logged", cut="silent")
def a_rotation_is_logged(world: World) -> str:
    return world.logs_of("RotateLogGroup", world.rotate)
