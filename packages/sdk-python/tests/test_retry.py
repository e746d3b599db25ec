from datetime import UTC, datetime

import pytest

from mostrador._retry import delay_seconds, is_retryable, retry_after_seconds


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (200, {}, False),
        (400, {}, False),
        (404, {}, False),
        (408, {}, True),
        (409, {}, False),
        (409, {"retry-after": "1"}, True),
        (422, {}, False),
        (429, {}, True),
        (500, {}, True),
        (503, {}, True),
        (504, {}, True),
    ],
)
def test_what_may_succeed_later(status: int, headers: dict[str, str], expected: bool) -> None:
    assert is_retryable(status, headers) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2", 2),
        ("0", 0),
        ("Sun, 31 Jan 2027 12:00:05 GMT", 5),
        ("Sun, 31 Jan 2027 11:00:00 GMT", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_retry_after_has_seconds_or_a_date(value: str, expected: float) -> None:
    now = datetime(2027, 1, 31, 12, tzinfo=UTC).timestamp()
    assert retry_after_seconds({"retry-after": value}, now) == expected
    assert retry_after_seconds({}, now) == 0


def test_the_delay_doubles_up_to_8_seconds_with_jitter() -> None:
    assert [delay_seconds(retry, 0, 1) for retry in (0, 1, 2, 3, 4, 5, 5000)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert [delay_seconds(retry, 0, 0) for retry in (0, 1, 4)] == [0.25, 0.5, 4]


def test_the_delay_is_never_less_than_the_server_asks_for() -> None:
    assert delay_seconds(0, 3, 0) == 3
    assert delay_seconds(0, 3, 1) == 3.5
    assert delay_seconds(4, 0.1, 0) == 4
