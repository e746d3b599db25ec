"""What a receiver of webhooks needs. It needs no client and no API key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Literal

from ._events import event_from
from ._generated.events import FeedEvent

__all__ = ["Fault", "WebhookVerificationError", "unwrap", "verify"]

Fault = Literal[
    "header_missing",
    "header_malformed",
    "signature_mismatch",
    "timestamp_too_old",
    "timestamp_too_new",
    "body_malformed",
]


class WebhookVerificationError(Exception):
    """The request is not what the server signed for this endpoint: answer 401, and do nothing."""

    def __init__(self, code: Fault, message: str) -> None:
        super().__init__(message)
        self.code: Fault = code


def verify(
    body: bytes | str, headers: Mapping[str, str], secrets: str | Sequence[str], *, tolerance: float = 300
) -> None:
    """Verifies the signature of a request by Standard Webhooks.

    One of its signatures must fit one of the secrets, and its timestamp must be near.

    :param body: the bytes as they came, or the same as text, before any parsing
    :param headers: in upper or lower case
    :param secrets: `whsec_…` of the endpoint. Several during a rotation
    :param tolerance: how many seconds the timestamp may be from now, in both directions
    :raises WebhookVerificationError: the request is not from the server, or too old
    :raises ValueError: a secret is none: a mistake in the program
    """
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("`secrets` must have at least one secret.")
    content = body.encode() if isinstance(body, str) else body
    if not isinstance(content, bytes):
        raise TypeError("`body` must be the bytes of the request as they came, or the same as text: not parsed JSON.")
    id, timestamp, signatures = (
        _header(headers, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("header_malformed", "`webhook-timestamp` is no number of seconds.")
    signed = f"{id}.{timestamp}.".encode() + content
    fitting = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    given = [text.removeprefix("v1,").encode() for text in signatures.split(" ") if text.startswith("v1,")]
    # Each pair is compared, whatever the earlier ones gave.
    if not any([hmac.compare_digest(one, other) for one in fitting for other in given]):
        raise WebhookVerificationError(
            "signature_mismatch",
            "No signature fits. Check that the secret is of this endpoint, and that the body is unchanged.",
        )
    age = time.time() - int(timestamp)
    if abs(age) > tolerance:
        code: Fault = "timestamp_too_old" if age > 0 else "timestamp_too_new"
        what = "behind" if age > 0 else "ahead of"
        raise WebhookVerificationError(
            code, f"The timestamp is {abs(age):.0f} s {what} the clock here. {tolerance:g} s are allowed."
        )


def unwrap(
    body: bytes | str, headers: Mapping[str, str], secrets: str | Sequence[str], *, tolerance: float = 300
) -> FeedEvent:
    """Verifies a request as `verify` does, and returns its event. The same event may come again: its `id` tells.

    :raises WebhookVerificationError: the request is not from the server, or too old
    """
    verify(body, headers, secrets, tolerance=tolerance)
    try:
        return event_from(json.loads(body))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise WebhookVerificationError("body_malformed", "The body is no event.") from error


def _key(secret: str) -> bytes:
    """Never repeats the secret in an error."""
    match = re.fullmatch(r"whsec_([A-Za-z0-9+/]+={0,2})", secret or "")
    try:
        return base64.b64decode(match[1] if match else "!", validate=True)
    except ValueError:
        raise ValueError("A secret must be `whsec_…`, as the API gave it.") from None


def _header(headers: Mapping[str, str], name: str) -> str:
    value = next((value for each, value in headers.items() if each.lower() == name), "")
    if not value:
        raise WebhookVerificationError("header_missing", f"The header `{name}` is missing.")
    return value
