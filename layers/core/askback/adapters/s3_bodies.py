"""The stored bytes of texts, and the bucket for bodies that are too large for a table item.

A body is compressed when that makes it smaller. The record keeps the length and the SHA-256 of the text. Every body is
checked against both when it is read, so a changed body is never used.
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
    """The stored bytes of a text, with the values to check them when they are read.

    `size` and `sha256` are those of the text's UTF-8 bytes.
    """

    data: bytes
    encoding: str
    sha256: str
    size: int


def pack(text: str) -> PackedBody:
    """Return the text's bytes or their zlib form, whichever is smaller."""
    raw = text.encode()
    sha256, size = hashlib.sha256(raw).hexdigest(), len(raw)
    compressed = _compress(raw)
    if len(compressed) < size:
        return PackedBody(data=compressed, encoding="zlib", sha256=sha256, size=size)
    return PackedBody(data=raw, encoding="plain", sha256=sha256, size=size)


def _compress(raw: bytes) -> bytes:
    # In steps: for one large call zlib's buffer grows to three times the result, and a turn may have tens of MB.
    compressor, view = zlib.compressobj(), memoryview(raw)
    parts = [compressor.compress(view[at : at + _COMPRESS_STEP]) for at in range(0, len(raw), _COMPRESS_STEP)]
    return b"".join([*parts, compressor.flush()])


def unpack(body: PackedBody) -> str:
    """Return the text; raises ValueError when the bytes do not match the size and hash."""
    raw = body.data
    if body.encoding == "zlib":
        try:
            # One byte over the recorded size shows that the body is wrong; a zip bomb is never expanded.
            raw = zlib.decompressobj().decompress(raw, body.size + 1)
        except zlib.error:
            raise ValueError("the stored body is damaged") from None
    if len(raw) != body.size or hashlib.sha256(raw).hexdigest() != body.sha256:
        raise ValueError("the stored body is not the one that was written")
    return raw.decode()


class S3Bodies:
    """Content-addressed bodies in one bucket; the client is made on first use, because most pauses need no bucket."""

    def __init__(self, *, client: "Callable[[], S3Client]", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, data: bytes) -> None:
        """Write the body unless the object exists; an object with the same key has the same body.

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
            LookupError: there is no such object. (The role may list the bucket; without that permission S3 would
                answer a missing object like a missing permission.)
            StoreUnavailable, InteractionConfigurationError: it could not be read.
        """
        try:
            return self._client().get_object(Bucket=self._bucket, Key=key)["Body"].read()
        except CLIENT_ERRORS as error:
            if isinstance(error, ClientError) and error_code(error) == "NoSuchKey":
                raise LookupError("no such body") from None
            raise self._classified(error) from error

    def _classified(self, error: Exception) -> Exception:
        return classify(error, resource=f"bucket {self._bucket}", endpoint=self._client().meta.endpoint_url)
