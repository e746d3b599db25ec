from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from server import Answer, Server, answer, break_body, break_off, hang, problem, serve

from mostrador import ApiConnectionError, AsyncMostrador, Mostrador, ProblemError, problems

API_KEY = "mk_live_secret0secret"
ID = UUID("0198c1f4-6a10-7d21-8c4f-3b5a7d9e1f20")
MOMENT = "2027-01-31T12:00:00.000Z"
LEAD: dict[str, Any] = {
    **{"id": str(ID), "store_id": str(ID), "name": "Ana", "customer_phone": "5511961234567", "status": "pending"},
    **{"seller_id": None, "external_id": None, "email": None, "tags": [], "metadata": {}, "interaction_count": 0},
    **{"ai_paused_until": None, "created_at": MOMENT, "updated_at": MOMENT},
}
created = answer(201, LEAD)
found = answer(200, LEAD)

Run = Callable[..., Any]


def run_sync(server: Server, work: Callable[[Any], Any], **settings: Any) -> Any:
    with Mostrador(server.base_url, API_KEY, **settings) as client:
        return work(client)


def run_async(server: Server, work: Callable[[Any], Any], **settings: Any) -> Any:
    async def main() -> Any:
        async with AsyncMostrador(server.base_url, API_KEY, **settings) as client:
            return await work(client)

    return asyncio.run(main())


both = pytest.mark.parametrize("run", [run_sync, run_async])


def create(client: Any) -> Any:
    return client.leads.create(name="Ana", customer_phone="5511961234567")


def keys(server: Server) -> set[str | None]:
    return {request.headers.get("idempotency-key") for request in server.received}


@both
def test_arguments_become_path_query_and_body_and_the_key_a_header(run: Run) -> None:
    page = answer(200, {"data": [], "total": 0, "page": 1, "limit": 50})
    with serve(found, page) as server:
        run(server, lambda client: client.leads.update(ID, name="Ana", seller_id=None, if_match='"7"'))
        statuses = ["pending", "in_progress"]
        run(server, lambda client: client.leads.list(status=statuses, email="a+b@c.de", limit=2).first_page())
    update, listed = server.received
    assert (update.method, update.path) == ("PATCH", f"/v1/leads/{ID}")
    assert json.loads(update.body) == {"name": "Ana", "seller_id": None}
    assert update.headers["if-match"] == '"7"'
    assert listed.path.replace("%2C", ",") == "/v1/leads?status=pending,in_progress&email=a%2Bb%40c.de&limit=2"
    assert {request.headers["x-api-key"] for request in server.received} == {API_KEY}
    assert "idempotency-key" not in listed.headers


@both
def test_all_retries_of_a_call_have_the_same_key_and_body(run: Run) -> None:
    with serve(problem(503, "service_unavailable"), problem(504, "upstream_timeout"), created) as server:
        assert run(server, create).id == ID
    assert len(server.received) == 3
    assert len(keys(server)) == 1 and None not in keys(server)
    assert len({request.body for request in server.received}) == 1


@both
def test_each_call_has_its_own_key_unless_the_caller_gives_one(run: Run) -> None:
    with serve(created) as server:
        run(server, create)
        run(server, create)
        assert len(keys(server)) == 2
        run(server, lambda client: client.leads.create(name="A", customer_phone="1", idempotency_key="order-1"))
        assert server.received[-1].headers["idempotency-key"] == "order-1"


@both
def test_the_next_attempt_waits_for_retry_after(run: Run) -> None:
    with serve(problem(429, "quota_exceeded", {"retry-after": "1"}), found) as server:
        run(server, lambda client: client.leads.get(ID))
    first, second = server.received
    assert second.at - first.at >= 0.99


@both
def test_a_retry_after_beyond_the_deadline_fails_at_once(run: Run) -> None:
    since = time.monotonic()
    with serve(problem(503, "service_unavailable", {"retry-after": "120"}, missing=["crm"])) as server:
        with pytest.raises(problems.ServiceUnavailable) as raised:
            run(server, create)
    assert time.monotonic() - since < 2
    assert raised.value.problem.missing == ["crm"]
    assert len(server.received) == 1


@both
@pytest.mark.parametrize("broken", [break_off, break_body])
def test_a_broken_connection_is_retried_also_in_the_body(run: Run, broken: Answer) -> None:
    with serve(broken, created) as server:
        assert run(server, create).id == ID
    assert len(server.received) == 2 and len(keys(server)) == 1


@both
def test_after_the_last_retry_the_error_has_the_key_of_the_call(run: Run) -> None:
    with serve(break_off) as server:
        with pytest.raises(ApiConnectionError, match="POST /leads failed: no connection") as raised:
            run(server, create, max_retries=1)
    assert len(server.received) == 2
    assert keys(server) == {raised.value.idempotency_key}


@both
@pytest.mark.parametrize(("status", "code"), [(400, "validation_failed"), (409, "lead_exists"), (422, "seller_inactive")])
def test_what_cannot_succeed_is_not_retried(run: Run, status: int, code: str) -> None:
    with serve(problem(status, code)) as server:
        with pytest.raises(ProblemError) as raised:
            run(server, create)
    assert (raised.value.code, raised.value.status, raised.value.request_id) == (code, status, "r-1")
    assert len(server.received) == 1


@both
def test_a_request_that_is_still_running_elsewhere_is_retried(run: Run) -> None:
    with serve(problem(409, "idempotency_in_progress", {"retry-after": "1"}), created) as server:
        assert run(server, create).id == ID


@both
def test_an_attempt_without_an_answer_ends_after_its_time(run: Run) -> None:
    with serve(hang, created) as server:
        assert run(server, create, attempt_timeout=0.2).id == ID


@both
def test_a_call_ends_after_its_time_whatever_retries_are_left(run: Run) -> None:
    since = time.monotonic()
    with serve(hang) as server:
        with pytest.raises(ApiConnectionError, match="had no answer in time"):
            run(server, create, timeout=0.4, max_retries=100)
        assert time.monotonic() - since < 1.5


def test_cancelling_a_task_ends_the_wait_for_a_retry() -> None:
    async def main(server: Server) -> None:
        async with AsyncMostrador(server.base_url, API_KEY) as client:
            async with asyncio.timeout(0.5):
                await create(client)

    since = time.monotonic()
    with serve(problem(503, "service_unavailable", {"retry-after": "30"})) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(main(server))
    assert time.monotonic() - since < 5


async def collect(elements: Any) -> list[Any]:
    return [element async for element in elements]


@both
def test_iteration_meets_each_element_and_follows_the_query_of_the_link(run: Run) -> None:
    link = {"link": '<https://other.example.com/v1/leads?limit=2&cursor=a%2Bb%3D>; rel="next"'}
    two = answer(200, {"data": [LEAD, {**LEAD, "name": "Bia"}], "total": 3, "page": 1, "limit": 2}, link)
    one = answer(200, {"data": [{**LEAD, "name": "Caio"}], "total": 3, "page": 1, "limit": 2})
    gather: Any = list if run is run_sync else collect
    with serve(two, problem(503, "service_unavailable"), one) as server:
        leads = run(server, lambda client: gather(client.leads.list(limit=2)))
    assert [lead.name for lead in leads] == ["Ana", "Bia", "Caio"]
    assert [request.path for request in server.received][1:] == ["/v1/leads?limit=2&cursor=a%2Bb%3D"] * 2


def test_a_loop_that_ends_early_requests_no_further_page() -> None:
    link = {"link": '<https://api.example.com/v1/leads?cursor=x>; rel="next"'}
    with serve(answer(200, {"data": [LEAD], "total": 3, "page": 1, "limit": 1}, link)) as server:
        with Mostrador(server.base_url, API_KEY) as client:
            assert next(iter(client.leads.list())).id == ID
    assert len(server.received) == 1


@both
def test_a_value_that_is_newer_than_the_sdk_is_read(run: Run) -> None:
    newer = {**LEAD, "status": "won_back", "colour": "red"}
    with serve(answer(200, newer)) as server:
        lead = run(server, lambda client: client.leads.get(ID))
    assert lead.status == "won_back"


@both
def test_a_code_that_is_newer_than_the_sdk_is_a_problem_error(run: Run) -> None:
    with serve(problem(409, "brand_new")) as server:
        with pytest.raises(ProblemError) as raised:
            run(server, create)
    assert (type(raised.value), raised.value.code) == (ProblemError, "brand_new")


@both
def test_a_proxys_page_is_an_error_with_its_status(run: Run) -> None:
    with serve(answer(404, "<h1>Not found</h1>", {"x-request-id": "p-1"})) as server:
        with pytest.raises(ProblemError) as raised:
            run(server, create)
    assert (raised.value.code, raised.value.status, raised.value.request_id) == ("unexpected_response", 404, "p-1")


@both
def test_csv_is_text(run: Run) -> None:
    with serve(answer(200, "a;b", {"content-type": "text/csv"})) as server:
        assert run(server, lambda client: client.reports.summary(format_="csv")) == "a;b"


@both
def test_the_key_stands_in_no_error(run: Run) -> None:
    for refusal in (break_off, problem(401, "invalid_api_key")):
        with serve(refusal) as server:
            with pytest.raises((ProblemError, ApiConnectionError)) as raised:
                run(server, create, max_retries=0)
        assert API_KEY not in "".join(traceback.format_exception(raised.value))
        assert API_KEY not in repr(vars(raised.value))
        if isinstance(raised.value.__cause__, Exception):
            assert API_KEY not in repr(raised.value.__cause__.request.headers.raw)  # type: ignore[attr-defined]


def test_settings_that_cannot_work_are_refused_without_the_key() -> None:
    for wrong in (f"{API_KEY}\n", "", "clé"):
        with pytest.raises(ValueError, match="`api_key` must be printable ASCII characters") as raised:
            Mostrador("http://127.0.0.1/v1", wrong)
        assert not wrong or wrong not in str(raised.value)
    for address in ("http://user:secret@example.com", "ftp://example.com", "example.com"):
        with pytest.raises(ValueError, match="`base_url`"):
            Mostrador(address, API_KEY)


@both
def test_the_key_goes_to_no_other_address(run: Run) -> None:
    with serve(created) as other, serve(answer(307, "", {"location": f"{other.origin}/v1/leads"})) as server:
        with pytest.raises(ProblemError, match="307"):
            run(server, create)
    assert other.received == []


def test_on_response_sees_every_response() -> None:
    statuses: list[int] = []
    with serve(problem(503, "service_unavailable"), found) as server:
        with Mostrador(server.base_url, API_KEY) as client:
            client.with_options(on_response=lambda response: statuses.append(response.status_code)).leads.get(ID)
    assert statuses == [503, 200]
