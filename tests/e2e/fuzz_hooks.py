"""Rules of the API that its OpenAPI document cannot express. fuzz.toml loads this file."""

import ast
import functools
import re
import sys
import threading
import uuid
from datetime import datetime, timedelta, timezone
from urllib.parse import unquote

import schemathesis

if sys.version_info < (3, 11, 8):
    # These versions raise "AST constructor recursion depth mismatch" when two threads parse at once (gh-106905).
    _parsing = threading.RLock()
    _parse = ast.parse

    @functools.wraps(_parse)
    def _parse_alone(*arguments, **options):
        with _parsing:
            return _parse(*arguments, **options)

    ast.parse = _parse_alone


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes `cursor`: a valid one comes only from a `Link` header, and it has its own tests."""
    operations = (each for item in raw_schema["paths"].values() for each in item.values())
    for operation in operations:
        # A path item can also have members that are not operations, such as `servers`.
        if isinstance(operation, dict) and "parameters" in operation:
            operation["parameters"] = [each for each in operation["parameters"] if each["name"] != "cursor"]


@schemathesis.hook.apply_to(method="POST", path="/followups/scheduled")
def before_call(context, case, kwargs):
    """
    Makes valid follow-ups acceptable: due in the future, at most a year ahead, with exactly one of `due_at` and
    `delay_minutes`, and an expiry after that. Changes only values that match the document, so that cases that are meant
    to be invalid stay invalid.
    """
    body = case.body
    if not isinstance(body, dict):
        return
    delay, due = body.get("delay_minutes"), body.get("due_at")
    # In JSON Schema 1.0 is an integer.
    if "delay_minutes" in body and (type(delay) not in (int, float) or delay % 1 or not 0 <= delay <= 366 * 1440):
        return
    if "due_at" in body and not _is_date_time(due):
        return
    if "due_at" in body:
        tomorrow = datetime.now(timezone.utc) + timedelta(days=1)
        body = {name: value for name, value in body.items() if name != "delay_minutes"} | {"due_at": tomorrow.isoformat()}
    elif "delay_minutes" not in body:
        body = body | {"delay_minutes": 1440}
    _expire_late(body)
    case.body = body


def _expire_late(body):
    if _is_date_time(body.get("expires_at")):
        body["expires_at"] = (datetime.now(timezone.utc) + timedelta(days=400)).isoformat()


def _is_date_time(value):
    try:
        datetime.fromisoformat(value)
        return True
    except (TypeError, ValueError):
        return False


def _without_nul(value):
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [_without_nul(each) for each in value]
    if isinstance(value, dict):
        # The gateway's JSON parser rejects a member `__proto__`.
        return {name.replace("\0", ""): _without_nul(each) for name, each in value.items() if name != "__proto__"}
    return value


@schemathesis.hook("before_call")
def follow_no_null(context, case, kwargs):
    """Replaces `None` in a path, which a link copies from null in an answer (an appointment without a lead)."""
    for name, value in (case.path_parameters or {}).items():
        if value in (None, "None"):
            case.path_parameters[name] = str(uuid.uuid4())


@schemathesis.hook("before_call")
def stay_in_years(context, case, kwargs):
    """Replaces date-times whose offset puts them outside the years 1 to 9999 in UTC, because no such instant is valid."""
    if isinstance(case.body, (dict, list)):
        case.body = _within_years(case.body)
    if isinstance(case.query, dict):
        case.query.update(_within_years(case.query))


def _within_years(value):
    if isinstance(value, list):
        return [_within_years(each) for each in value]
    if isinstance(value, dict):
        return {name: _within_years(each) for name, each in value.items()}
    if not isinstance(value, str) or not _is_date_time(value):
        return value
    moment = datetime.fromisoformat(value)
    # Without an offset it is no instant. Python would use the zone of this machine, and fails in the year 1.
    if moment.tzinfo is None:
        return value
    try:
        moment.astimezone(timezone.utc)
    except OverflowError:
        return "2027-01-31T09:00:00Z"
    return value


# What JavaScript's `trim` removes.
SPACE = "[\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
TRIMMED = ("name", "title", "notes", "message", "q", "external_id", "voice_id")


@schemathesis.hook("before_call")
def keep_lengths(context, case, kwargs):
    """
    Fills the outer space of long texts, because the API removes it before it counts. A text that is meant to be too
    long stays too long.
    """
    for values in (case.body, case.query):
        if isinstance(values, dict):
            values.update({name: _filled(values[name]) for name in TRIMMED if name in values})


def _filled(value):
    if not isinstance(value, str) or len(value) <= 200:
        return value
    return re.sub(f"^{SPACE}|{SPACE}$", lambda space: "x" * len(space[0]), value)


@schemathesis.hook("before_call").apply_to(path_regex="^/(leads|appointments|followups)")
def keep_metadata(context, case, kwargs):
    """Replaces NUL in metadata, and the member `__proto__`: the API rejects both, and the document cannot express it."""
    metadata = case.body.get("metadata") if isinstance(case.body, dict) else None
    if not isinstance(metadata, dict):
        return
    case.body["metadata"] = {
        name.replace("\0", "0").replace("__proto__", "proto"): value.replace("\0", "0") if isinstance(value, str) else value
        for name, value in metadata.items()
    }


@schemathesis.hook("before_call").apply_to(path_regex="^/(leads/.*/messages|followups/scheduled)")
def keep_template(context, case, kwargs):
    """Removes NUL from a template, which the API rejects anywhere in it."""
    if isinstance(case.body, dict) and "template" in case.body:
        case.body["template"] = _without_nul(case.body["template"])


@schemathesis.hook("before_call").apply_to(method="POST", path="/leads/{leadId}/messages")
def keep_one_content(context, case, kwargs):
    """Gives a message exactly one of `message` and `template`. One that is meant to be invalid stays."""
    if not isinstance(case.body, dict):
        return
    if "message" not in case.body and "template" not in case.body:
        case.body["message"] = "Hello"
    elif "template" in case.body and _matches(r"[^\0]{1,4096}", case.body.get("message")):
        del case.body["message"]


@schemathesis.hook("before_call").apply_to(method="PATCH", path="/followups/scheduled/{followupId}")
def keep_due_time(context, case, kwargs):
    """Sets a due time that is not too far ahead, and an expiry after it."""
    if isinstance(case.body, dict) and _is_date_time(case.body.get("due_at")):
        case.body["due_at"] = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat()
    if isinstance(case.body, dict):
        _expire_late(case.body)


@schemathesis.hook("before_call").apply_to(method="PATCH", path="/appointments/{appointmentId}")
def end_without_hold(context, case, kwargs):
    """Removes the hold of a change to a final status, which needs no time."""
    if _is_meant_valid(case) and isinstance(case.body, dict) and case.body.get("status") in ("cancelled", "done", "no_show"):
        case.body.pop("hold_id", None)


@schemathesis.hook("before_call").apply_to(method="GET", path="/leads")
def keep_search(context, case, kwargs):
    """Gives a search of valid length the 2 letters or digits that it needs."""
    search = case.query.get("q") if isinstance(case.query, dict) else None
    if _matches(r"[^\0]{2,100}", search) and search.strip() and sum(each.isalnum() for each in search) < 2:
        case.query["q"] = "ana"


@schemathesis.hook("before_call").apply_to(path_regex="^/(messages|appointments|followups/scheduled)$")
def drop_null_link(context, case, kwargs):
    """
    Removes `lead_id=None` and `appointment_id=None`: the stateful phase passes on the null of an appointment without a
    lead, and of a follow-up without an appointment.
    """
    for name in ("lead_id", "appointment_id"):
        if _is_meant_valid(case) and isinstance(case.query, dict) and case.query.get(name) in (None, "None"):
            case.query.pop(name, None)


@schemathesis.hook("before_call")
def write_phones_with_plus(context, case, kwargs):
    """
    Writes valid phones with `+`. Without it digits may be two numbers, and a text that begins with an area code in
    parentheses needs a country, which the document cannot express.
    """
    for part in (case.body, case.query, case.path_parameters):
        if not isinstance(part, dict):
            continue
        for name in ("customer_phone", "whatsapp_id", "phone"):
            written = part.get(name)
            if part is case.path_parameters and isinstance(written, str):
                written = unquote(written)
            if _matches(r"\+?[ (]*[1-9]([ ()-]*[0-9]){7,14}[ ()-]*", written):
                part[name] = "+" + re.sub(r"\D", "", written)


@schemathesis.hook("before_call").apply_to(method="PUT", path="/leads/by-phone/{phone}")
def create_lead(context, case, kwargs):
    """Gives a new lead the name that only an existing one need not have, and the request one precondition at most."""
    if isinstance(case.body, dict):
        case.body.setdefault("name", "Ana")
    # The generator of headers does not keep to the pattern of this one.
    if case.headers and "If-None-Match" in case.headers and case.meta.generation.mode.is_positive:
        case.headers["If-None-Match"] = "*"
        if "If-Match" in case.headers:
            del case.headers["If-None-Match"]


@schemathesis.hook("before_call").apply_to(path_regex="^/reports/")
def move_report(context, case, kwargs):
    """
    Makes valid report queries acceptable: a period of at most 366 days that starts in the past and ends after its
    start, a known time zone, a bucket for the table `series`, and exactly one of `lead_id` and `customer_phone`. Cases
    that are meant to be invalid stay invalid.
    """
    query = case.query
    if not isinstance(query, dict) or any(not _is_date_or_date_time(query[name]) for name in query if name in ("from", "to")):
        return
    begin = datetime.now(timezone.utc) - timedelta(days=30)
    moved = {"from": begin.isoformat(), "to": (begin + timedelta(days=20)).date().isoformat()}
    query.update({name: value for name, value in moved.items() if name in query})
    # The document allows any text of up to 100 characters.
    if _matches(r"(?s:.{0,100})", query.get("timezone")):
        query["timezone"] = "Australia/Lord_Howe"
    if case.path != "/reports/leads":
        if query.get("table") == "series":
            query.setdefault("bucket", "day")
        return
    if "lead_id" not in query and "customer_phone" not in query:
        query["lead_id"] = str(uuid.uuid4())
    elif _matches(r"\+?[ (]*[1-9]([ ()-]*[0-9]){7,14}", query.get("customer_phone")) and _is_uuid(query.get("lead_id")):
        del query["customer_phone"]


@schemathesis.hook("before_call").apply_to(method="GET", path="/appointments")
def give_range(context, case, kwargs):
    """Gives `overlap` the range that it needs."""
    if _is_meant_valid(case) and isinstance(case.query, dict) and "overlap" in case.query:
        case.query.setdefault("from", datetime.now(timezone.utc).isoformat())


@schemathesis.hook("before_call").apply_to(
    method="GET", path_regex="^/(availability|calendar/busy-times|appointments|followups/scheduled)$"
)
def move_range(context, case, kwargs):
    """Asks for a range of a day that begins now, because no range ends before it begins."""
    if _is_meant_valid(case) and isinstance(case.query, dict):
        now = datetime.now(timezone.utc)
        moved = {"from": now.isoformat(), "to": (now + timedelta(days=1)).isoformat()}
        case.query.update({name: value for name, value in moved.items() if name in case.query})


@schemathesis.hook("before_call").apply_to(method="GET", path="/ai/usage")
def move_days(context, case, kwargs):
    """Asks for days that exist, in their order."""
    if _is_meant_valid(case) and isinstance(case.query, dict):
        moved = {"from": "2027-01-31", "to": "2027-02-28"}
        case.query.update({name: value for name, value in moved.items() if name in case.query})


@schemathesis.hook("before_call").apply_to(path_regex="^/availability")
def give_duration(context, case, kwargs):
    """Asks for half an hour, unless the case gives a duration or names a service."""
    values = case.query if case.method == "GET" else case.body
    if _is_meant_valid(case) and isinstance(values, dict) and "service_id" not in values:
        values.setdefault("duration_minutes", 30)


@schemathesis.hook("before_call").apply_to(path_regex="^/(sellers|booking/rules)")
def open_before_closing(context, case, kwargs):
    """
    Lets each opening end after it begins, and gives the exceptions of booking rules dates that exist, each once. Reminders
    have different times and no placeholders, and each answer is another word.
    """
    body = case.body
    if not isinstance(body, dict) or not _is_meant_valid(case):
        return
    if isinstance(body.get("hours"), list):
        body["hours"] = [_opening(each) for each in body["hours"]]
    if isinstance(body.get("exceptions"), list):
        body["exceptions"] = [
            each
            | {
                "date": (datetime(2027, 1, 1) + timedelta(days=index)).date().isoformat(),
                "hours": [_opening(opening) for opening in each["hours"]],
            }
            for index, each in enumerate(body["exceptions"])
        ]
    if isinstance(body.get("reminders"), list):
        body["reminders"] = [
            each | {"minutes_before": 60 * (index + 1), "message": each["message"].replace("{", "(")}
            for index, each in enumerate(body["reminders"])
        ]
    for name in ("confirm_words", "cancel_words"):
        if isinstance(body.get(name), list):
            body[name] = [f"{name} {index}" for index, _ in enumerate(body[name])]


def _opening(opening):
    if opening["from"] < opening["to"]:
        return opening
    return opening | {"from": "09:00", "to": "18:00"}


@schemathesis.hook("before_call").apply_to(method="GET", path="/events")
def keep_order(context, case, kwargs):
    """Leaves out of a sample what belongs to following the feed."""
    if _is_meant_valid(case) and isinstance(case.query, dict) and case.query.get("order") == "desc":
        for name in ("after", "wait"):
            case.query.pop(name, None)


@schemathesis.hook("before_call").apply_to(method="GET", path="/messages")
def name_each_status_once(context, case, kwargs):
    """Names each status once: the list of a filter has at most 200 characters."""
    status = case.query.get("status") if isinstance(case.query, dict) else None
    if not _is_meant_valid(case) or status is None:
        return
    named = status if isinstance(status, list) else status.split(",")
    case.query["status"] = ",".join(dict.fromkeys(named))


@schemathesis.hook("before_call").apply_to(path_regex="^(/ai/replay|/agents/.*/evals)")
def name_language(context, case, kwargs):
    """Gives the agent that is tried a language, no other run to go on with, and expectations the values of their types."""
    agent = case.body.get("agent") if _is_meant_valid(case) and isinstance(case.body, dict) else None
    if isinstance(agent, dict) and agent.get("language") is not None:
        agent["language"] = "pt-BR"
    if agent is not None:
        case.body.pop("run_id", None)
    expects = case.body.get("expects") if _is_meant_valid(case) and isinstance(case.body, dict) else None
    for each in expects or []:
        each.pop("value", None)
        if each["type"] not in ("hands_over", "offers_times"):
            each["value"] = "words"


@schemathesis.hook("before_call").apply_to(path_regex="^/agents")
def number_groups(context, case, kwargs):
    """Gives an agent a language, its condition groups different indexes, and conditions values of their types."""
    if _is_meant_valid(case) and isinstance(case.body, dict) and case.body.get("language") is not None:
        case.body["language"] = "pt-BR"
    groups = case.body.get("condition_groups") if isinstance(case.body, dict) else None
    if _is_meant_valid(case) and isinstance(groups, list):
        case.body["condition_groups"] = [
            group | {"group_index": index, "conditions": [_condition(each) for each in group["conditions"]]}
            for index, group in enumerate(groups)
        ]


_condition_values = {
    "lead_status": "lost",
    "seller": "none",
    "tag": "vip",
    "message_contains": "price",
    "language": "pt",
    "first_contact": "true",
    "business_hours": "open",
}


def _condition(condition):
    """A condition with the value that its type takes, and with hours only where they belong."""
    kind = condition["condition_type"]
    kept = {"condition_type": kind, "operator": "=", "value": _condition_values[kind]}
    if kind == "business_hours" and condition.get("hours"):
        kept |= {"hours": [_opening(each) for each in condition["hours"]], "timezone": "America/Sao_Paulo"}
    return kept


@schemathesis.hook("before_call").apply_to(method="POST", path="/agents/select")
def choose_one_lead(context, case, kwargs):
    """Asks for a lead or describes one, and not both."""
    body = case.body
    if not _is_meant_valid(case) or not isinstance(body, dict):
        return
    if "lead_id" in body:
        body.pop("lead", None)
    else:
        body.setdefault("lead", {})


@schemathesis.hook("before_call").apply_to(method="POST", path="/leads/{leadId}/ai/pause")
def pause_once(context, case, kwargs):
    """Gives a pause one end, in the future."""
    body = case.body
    if not _is_meant_valid(case) or not isinstance(body, dict) or "until" not in body:
        return
    if "minutes" in body:
        del body["until"]
    else:
        body["until"] = "2126-01-12T18:00:00Z"


@schemathesis.hook("before_call").apply_to(method="POST", path="/knowledge/documents")
def write_document(context, case, kwargs):
    """Gives a document a text that is more than control characters, and a language."""
    if not _is_meant_valid(case) or not isinstance(case.body, dict):
        return
    if isinstance(case.body.get("content"), str):
        case.body["content"] = "Text " + case.body["content"][:1000]
    if "locale" in case.body:
        case.body["locale"] = "pt-BR"


@schemathesis.hook("before_call").apply_to(path_regex="^/webhooks/endpoints")
def move_endpoint(context, case, kwargs):
    """
    Gives an endpoint an address that no name server knows (RFC 6761), because the document allows any text. The place to
    resume from comes with the status that it needs, a replay does not end before it begins, and filters fit a resource
    and the types of the endpoint.
    """
    body = case.body
    if not isinstance(body, dict) or not _is_meant_valid(case):
        return
    if "url" in body:
        body["url"] = "https://hooks.invalid/"
    if body.get("filters"):
        body["filters"] = [{"type": "lead.updated", "member": "status", "value": "converted"}]
        if body.get("event_types"):
            body["event_types"] = ["lead.created", "lead.updated"]
    elif "event_types" in body:
        body["filters"] = None
    if "resume_from" in body:
        body["status"] = "enabled"
    if "from_sequence" in body and "to_sequence" in body:
        body["to_sequence"] = max(body["from_sequence"], body["to_sequence"])


def _is_meant_valid(case):
    return case.meta is None or case.meta.generation.mode.is_positive


def _matches(pattern, value):
    return isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def _is_uuid(value):
    return _matches(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", value)


def _is_date_or_date_time(value):
    # As in the document, whose pattern does not know how long a month is.
    date, offset = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)"
    return _matches(date + rf"([Tt]([01]\d|2[0-3])(:[0-5]\d){{2}}(\.\d+)?{offset})?", value) and len(value) <= 40


@schemathesis.check
def code_of_the_operation(context, response, case):
    """An error has one of the codes that this operation lists. The schema of the response is shared by all operations."""
    described = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    codes = re.findall(r"^- `(\w+)`", described.get("description", ""), re.MULTILINE)
    if "$ref" in described and response.json()["code"] not in codes:
        raise AssertionError(f"{response.json()['code']} is not among {', '.join(codes)}")
