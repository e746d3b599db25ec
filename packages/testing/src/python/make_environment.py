"""Creates a virtual environment with the packages of a requirements file, once. Prints the path of its Python.

Usage: make_environment.py REQUIREMENTS FOLDER WHAT

The environment is in FOLDER under a hash of the requirements and of this Python, so that it cannot become outdated.
Of two processes at once, the second waits for the first. An environment that a crash left incomplete is created again.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys


def main() -> None:
    if sys.version_info < (3, 10):
        sys.exit(f"Python 3.10 or newer is needed; {sys.executable} is {sys.version.split()[0]}.")
    requirements, folder, what = sys.argv[1:]
    with open(requirements, "rb") as file:
        identity = file.read() + f"{sys.version} {sys.executable}".encode()
    name = hashlib.sha256(identity).hexdigest()[:16]
    target = os.path.join(folder, name)
    python = os.path.join(target, "bin", "python")
    ready = os.path.join(target, "ready")

    if not os.path.exists(ready):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{name}.lock"), "w") as lock:
            # The operating system releases the lock when the process ends, even after a crash.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(ready):
                make(target, python, requirements, what)
                open(ready, "w").close()
    print(python)


def make(target: str, python: str, requirements: str, what: str) -> None:
    try:
        import ensurepip
        import venv
    except ImportError:
        sys.exit(
            "Python has no venv module here. Install it (Debian, Ubuntu: apt install python3-venv) and run again."
        )
    del ensurepip
    print(f"Installing {what} (once, about 100 MB on disk) …", file=sys.stderr, flush=True)
    shutil.rmtree(target, ignore_errors=True)
    try:
        venv.create(target, with_pip=True, symlinks=True)
    except subprocess.CalledProcessError as error:
        sys.exit(f"Python could not make a virtual environment in {target}: {error}. Debian, Ubuntu: apt install python3-venv")
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--retries", "1", "--progress-bar", "off"]
    # The user's pip settings may ask for a user installation, which fails in a virtual environment.
    environment = {**os.environ, "PIP_USER": "0"}
    pip = subprocess.Popen([*command, "-r", requirements], env=environment, stdout=subprocess.PIPE, text=True)
    for line in pip.stdout:
        if line.startswith(("Collecting", "Installing", "Successfully")):
            print(f"  {line.split(' (from ')[0].rstrip()[:100]}", file=sys.stderr, flush=True)
    if pip.wait() != 0:
        sys.exit(f"{what} could not be installed from PyPI; pip's message is above. Run again when PyPI is up.")


main()
