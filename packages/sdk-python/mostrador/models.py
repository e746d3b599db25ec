"""The resources, requests and enums of the API."""

from ._generated.models import *  # noqa: F403
