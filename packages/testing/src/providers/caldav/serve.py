"""Runs a Python module as a program. It exits when its parent exits, because its standard input then closes.

Usage: serve.py MODULE ARGUMENT…
"""

import os
import runpy
import sys
import threading


def end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
