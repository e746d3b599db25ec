from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from email.message import Message
from typing import Any

import pytest
from events import lead_event

from mostrador import models, webhooks

SECRET = "whsec_" + base64.b64encode(bytes([7]) * 32).decode()
OTHER_SECRET = "whsec_" + base64.b64encode(bytes([8]) * 32).decode()
BODY = json.dumps(lead_event(1))


def headers_of(
    body: str = BODY, *, id: str = "e-1", timestamp: int | None = None, secrets: tuple[str, ...] = (SECRET,)
) -> dict[str, str]:
    """The headers that the server sends: a signature for each secret."""
    sent = str(int(time.time()) if timestamp is None else timestamp)
    content = f"{id}.{sent}.{body}".encode()
    macs = [hmac.new(base64.b64decode(secret[6:]), content, hashlib.sha256).digest() for secret in secrets]
    signature = " ".join(f"v1,{base64.b64encode(mac).decode()}" for mac in macs)
    return {"webhook-id": id, "webhook-timestamp": sent, "webhook-signature": signature}


def test_what_the_server_signed_is_accepted_as_text_and_bytes_and_with_headers_of_any_kind() -> None:
    headers = headers_of()
    message = Message()
    for name, value in headers.items():
        message[name.title()] = value
    every: list[Mapping[str, str]] = [headers, {name.upper(): value for name, value in headers.items()}]
    for body in (BODY, BODY.encode()):
        for each in [*every, dict(message)]:
            event = webhooks.unwrap(body, each, SECRET)
            assert isinstance(event, models.LeadCreatedEvent)
            assert event.data.object_ and event.data.object_.name == "Ana"


@pytest.mark.parametrize("known", [SECRET, OTHER_SECRET, [SECRET, OTHER_SECRET]])
def test_during_a_rotation_one_fitting_signature_is_enough(known: str | list[str]) -> None:
    headers = headers_of(secrets=(SECRET, OTHER_SECRET))
    headers["webhook-signature"] = f"v1a,AAAA v2,AAAA {headers['webhook-signature']}"
    webhooks.verify(BODY, headers, known)


def without(name: str) -> dict[str, str]:
    return {each: value for each, value in headers_of().items() if each != name}


MAC = headers_of()["webhook-signature"].removeprefix("v1,")


@pytest.mark.parametrize(
    ("body", "headers", "secret", "code"),
    [
        (BODY, {}, SECRET, "header_missing"),
        (BODY, without("webhook-id"), SECRET, "header_missing"),
        (BODY, without("webhook-timestamp"), SECRET, "header_missing"),
        (BODY, {**headers_of(), "webhook-signature": ""}, SECRET, "header_missing"),
        (BODY, {**headers_of(), "webhook-timestamp": "1e9"}, SECRET, "header_malformed"),
        (BODY, {**headers_of(), "webhook-timestamp": "١٢٣"}, SECRET, "header_malformed"),
        (BODY, headers_of(), OTHER_SECRET, "signature_mismatch"),
        (BODY, {**headers_of(), "webhook-id": "e-2"}, SECRET, "signature_mismatch"),
        (BODY + "\n", headers_of(), SECRET, "signature_mismatch"),
        (BODY, {**headers_of(), "webhook-signature": MAC}, SECRET, "signature_mismatch"),
        (BODY, {**headers_of(), "webhook-signature": "v1,%%%"}, SECRET, "signature_mismatch"),
        (BODY, {**headers_of(), "webhook-signature": f"v1,{MAC[:20]}"}, SECRET, "signature_mismatch"),
        (BODY, {**headers_of(), "webhook-signature": f"v1a,{MAC}"}, SECRET, "signature_mismatch"),
        (BODY, headers_of(timestamp=1), SECRET, "timestamp_too_old"),
        (BODY, headers_of(timestamp=99_999_999_999), SECRET, "timestamp_too_new"),
        ("hello", headers_of("hello"), SECRET, "body_malformed"),
        ("[]", headers_of("[]"), SECRET, "body_malformed"),
    ],
)
def test_anything_else_is_refused_with_its_reason(body: str, headers: dict[str, str], secret: str, code: str) -> None:
    with pytest.raises(webhooks.WebhookVerificationError) as raised:
        webhooks.unwrap(body, headers, secret)
    assert raised.value.code == code


def test_one_changed_bit_of_the_body_is_refused() -> None:
    headers, body = headers_of(), BODY.encode()
    for index in range(len(body)):
        changed = body[:index] + bytes([body[index] ^ (1 << index % 8)]) + body[index + 1 :]
        with pytest.raises(webhooks.WebhookVerificationError, match="No signature fits"):
            webhooks.verify(changed, headers, SECRET)


def test_the_tolerance_can_be_chosen() -> None:
    headers = headers_of(timestamp=int(time.time()) - 3600)
    webhooks.verify(BODY, headers, SECRET, tolerance=7200)
    with pytest.raises(webhooks.WebhookVerificationError, match="360[0-9] s behind the clock here. 300 s are allowed"):
        webhooks.verify(BODY, headers, SECRET)


@pytest.mark.parametrize("wrong", ["", SECRET[6:], "whsec_???", "whpk_AAAA", "mk_live_secret0secret", None])
def test_a_secret_that_is_none_is_a_mistake_of_the_program_and_not_repeated(wrong: Any) -> None:
    with pytest.raises(ValueError) as raised:
        webhooks.verify(BODY, headers_of(), [SECRET, wrong])
    assert str(raised.value) == "A secret must be `whsec_…`, as the API gave it."


def test_no_secrets_and_a_parsed_body_are_mistakes_too() -> None:
    with pytest.raises(ValueError, match="at least one secret"):
        webhooks.verify(BODY, headers_of(), [])
    parsed: Any = json.loads(BODY)
    with pytest.raises(TypeError, match="not parsed JSON"):
        webhooks.verify(parsed, headers_of(), SECRET)


def test_an_event_that_this_version_does_not_know_is_an_event() -> None:
    body = json.dumps({**lead_event(1), "type": "lead.sang"})
    event = webhooks.unwrap(body, headers_of(body), SECRET)
    assert isinstance(event, models.Event) and event.type_ == "lead.sang"


def test_a_thin_event_and_an_object_that_cannot_be_read_have_no_object() -> None:
    whole = lead_event(1)
    thin = {**whole, "data": {name: value for name, value in whole["data"].items() if name != "object"}}
    other = {**whole, "data": {**whole["data"], "object": {"id": "short"}}}
    for event in (thin, other):
        body = json.dumps(event)
        read = webhooks.unwrap(body, headers_of(body), SECRET)
        assert isinstance(read, models.LeadCreatedEvent) and not read.data.object_
