"""What the fuzzer must know beyond the API's document; fuzz.toml names this file."""

import ast
import functools
import sys
import threading

import schemathesis

if sys.version_info < (3, 11, 8):
    # Two workers that parse at once make these Pythons raise "AST constructor recursion depth mismatch" (CPython gh-106905).
    _parsing = threading.RLock()
    _parse = ast.parse

    @functools.wraps(_parse)
    def _parse_alone(*arguments, **options):
        with _parsing:
            return _parse(*arguments, **options)

    ast.parse = _parse_alone


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """A cursor comes from a `Link` and fits nothing that anyone makes up, which no schema can say: it has its own tests."""
    operations = (each for item in raw_schema["paths"].values() for each in item.values())
    for operation in operations:
        # A path may also have servers of its own.
        if isinstance(operation, dict) and "parameters" in operation:
            operation["parameters"] = [each for each in operation["parameters"] if each["name"] != "cursor"]
