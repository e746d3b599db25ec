"""Reads the events of CalDAV calendars with a third-party client, until standard input closes.

A line of standard input: {"url", "username", "password"}; the last two may be missing. Its answer is one line of standard
output: {"events": [{"uid", "start" (UTC), "duration_minutes", "title", "notes", "sequence"}, ...]}, ordered by start, or
{"error": text}.
"""

import datetime
import json
import sys

import caldav


def read(url: str, username: str | None = None, password: str | None = None) -> list[dict]:
    with caldav.DAVClient(url=url, username=username, password=password) as client:
        events = [describe(event) for event in client.calendar(url=url).events()]
    return sorted(events, key=lambda event: event["start"])


def describe(event) -> dict:
    component = event.icalendar_component
    start = component["DTSTART"].dt
    end = component["DTEND"].dt
    notes = component.get("DESCRIPTION")
    return {
        "uid": str(component["UID"]),
        "start": start.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "duration_minutes": (end - start).total_seconds() / 60,
        "title": str(component["SUMMARY"]),
        "notes": None if notes is None else str(notes),
        "sequence": int(component["SEQUENCE"]),
    }


for line in sys.stdin:
    try:
        answer = {"events": read(**json.loads(line))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
