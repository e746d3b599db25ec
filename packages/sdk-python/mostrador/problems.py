"""The error of each code: `except problems.LeadExists as error: error.problem.id`."""

from ._generated.problems import *  # noqa: F403
