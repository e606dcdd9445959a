"""Texts as stored bytes, and the bucket that takes those too large for a table item.

A body is compressed when that makes it smaller. What is read back is checked against the length and the SHA-256 of the
text that was written, both kept in the record, so that no body but the written one is ever handed on.
"""

import hashlib
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from askback.adapters.aws.errors import CLIENT_ERRORS, classify, error_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3 import S3Client

_COMPRESS_STEP = 1024 * 1024
"""Bytes compressed at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedBody:
    """The stored bytes of a text, with what is needed to prove them on the way back.

    `size` and `sha256` are those of the text's UTF-8 bytes.
    """

    data: bytes
    encoding: str
    sha256: str
    size: int


def pack(text: str) -> PackedBody:
    """Return the smaller of the text's own bytes and their zlib form."""
    raw = text.encode()
    sha256, size = hashlib.sha256(raw).hexdigest(), len(raw)
    compressed = _compress(raw)
    if len(compressed) < size:
        return PackedBody(data=compressed, encoding="zlib", sha256=sha256, size=size)
    return PackedBody(data=raw, encoding="plain", sha256=sha256, size=size)


def _compress(raw: bytes) -> bytes:
    # In steps: zlib's own buffer for one large call grows to three times what comes out, and a turn may be tens of MB.
    compressor, view = zlib.compressobj(), memoryview(raw)
    parts = [compressor.compress(view[at : at + _COMPRESS_STEP]) for at in range(0, len(raw), _COMPRESS_STEP)]
    return b"".join([*parts, compressor.flush()])


def unpack(body: PackedBody) -> str:
    """Return the text; raises ValueError when the bytes are not those of the text that was packed."""
    raw = body.data
    if body.encoding == "zlib":
        try:
            # One byte over the recorded size is enough to see that it is wrong; a bomb is never inflated.
            raw = zlib.decompressobj().decompress(raw, body.size + 1)
        except zlib.error:
            raise ValueError("the stored body is damaged") from None
    if len(raw) != body.size or hashlib.sha256(raw).hexdigest() != body.sha256:
        raise ValueError("the stored body is not the one that was written")
    return raw.decode()


class S3Bodies:
    """Content-addressed bodies in one bucket; the client is made on first use, since most pauses need none."""

    def __init__(self, *, client: "Callable[[], S3Client]", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, data: bytes) -> None:
        """Write the body unless it is there already, which its key says is the same.

        Raises:
            StoreUnavailable, InteractionConfigurationError: it was not written.
        """
        try:
            self._client().put_object(Bucket=self._bucket, Key=key, Body=data, IfNoneMatch="*")
        except CLIENT_ERRORS as error:
            if isinstance(error, ClientError) and error_code(error) == "PreconditionFailed":
                return
            raise self._classified(error) from error

    def get(self, key: str) -> bytes:
        """Return the stored bytes.

        Raises:
            LookupError: there is no such object. The role may list the bucket, so this is told from a missing
            permission. StoreUnavailable, InteractionConfigurationError: it could not be read.
        """
        try:
            return self._client().get_object(Bucket=self._bucket, Key=key)["Body"].read()
        except CLIENT_ERRORS as error:
            if isinstance(error, ClientError) and error_code(error) == "NoSuchKey":
                raise LookupError("no such body") from None
            raise self._classified(error) from error

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"bucket {self._bucket}", endpoint=self._client().meta.endpoint_url)
