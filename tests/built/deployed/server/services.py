"""What MiniStack's services do otherwise than those of AWS, as far as the deployment can notice."""

from typing import Any

from ministack import app
from ministack.core.responses import error_response_json, json_response
from ministack.services import lambda_durable, lambda_svc, secretsmanager
from ministack.services.cloudformation import provisioners


def install() -> None:
    """Put the rules in place; once in a process."""
    stand_behind_tls()
    deploy_durable_functions()
    wait_without_heartbeats()
    rotate_step_by_step()


def stand_behind_tls() -> None:
    """Take every request as one that came through TLS: AWS has no other endpoints, and the bucket refuses others."""
    pin = app.pin_request_origin
    app.pin_request_origin = lambda address, _: pin(address, True)


def deploy_durable_functions() -> None:
    """Make the functions of a stack durable whose template says so: MiniStack's CloudFormation passes it over."""
    kind = provisioners._RESOURCE_HANDLERS["AWS::Lambda::Function"]
    create = kind["create"]

    def create_durable(logical_id: str, properties: dict[str, Any], *stack: Any) -> Any:
        created = create(logical_id, properties, *stack)
        if "DurableConfig" in properties:
            durable = {**properties["DurableConfig"], "Enabled": True}
            lambda_svc._functions[created[0]]["config"]["DurableConfig"] = durable
        return created

    kind["create"] = create_durable


def wait_without_heartbeats() -> None:
    """Take a heartbeat timeout of zero seconds for none, as the SDK means it; MiniStack would end the wait at once."""
    apply = lambda_durable._apply_update

    def apply_update(execution: Any, update: dict[str, Any], *more: Any) -> Any:
        options = {name: value for name, value in update.get("CallbackOptions", {}).items() if value}
        return apply(execution, {**update, "CallbackOptions": options}, *more)

    lambda_durable._apply_update = apply_update


def rotate_step_by_step() -> None:
    """Begin a rotation as Secrets Manager does, with a pending version that has no value yet.

    MiniStack would make a copy of the current version the current one. The steps are left to whoever asked.
    """
    read = secretsmanager._get_secret_value

    def begin(request: dict[str, Any]) -> Any:
        _, secret = secretsmanager._resolve(request["SecretId"])
        version = request["ClientRequestToken"]
        secret["RotationEnabled"] = True
        secret["Versions"][version] = {
            "SecretString": None,
            "SecretBinary": None,
            "CreatedDate": secret["CreatedDate"],
            "Stages": ["AWSPENDING"],
        }
        return json_response({"ARN": secret["ARN"], "Name": secret["Name"], "VersionId": version})

    def value(request: dict[str, Any]) -> Any:
        _, secret = secretsmanager._resolve(request["SecretId"])
        found = secret and secret["Versions"].get(request.get("VersionId"))
        if found and found["SecretString"] is None and found["SecretBinary"] is None:
            return error_response_json("ResourceNotFoundException", "the version has no value", 400)
        return read(request)

    secretsmanager._rotate_secret = begin
    secretsmanager._get_secret_value = value
