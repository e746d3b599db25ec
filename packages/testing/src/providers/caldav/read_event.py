"""Reads the events of a CalDAV calendar with a third-party client.

Standard input: {"url", "username", "password"}; the last two may be null. Standard output: a JSON array of
{"uid", "start" (UTC), "duration_minutes", "title", "notes", "sequence"}, ordered by start.
"""

import datetime
import json
import sys

import caldav


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


settings = json.load(sys.stdin)
with caldav.DAVClient(url=settings["url"], username=settings["username"], password=settings["password"]) as client:
    events = [describe(event) for event in client.calendar(url=settings["url"]).events()]
json.dump(sorted(events, key=lambda event: event["start"]), sys.stdout)
