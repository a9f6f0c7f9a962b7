"""Programs that a test starts on loopback."""

import socket
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def started(command, *, cwd, env=None, log="serving.log"):
    """gunicorn, with a socket that is open before it starts, as systemd gives it one; its address.

    So the first request waits until the site is up, and nobody has to ask when that is.
    """
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        bind = ["--bind", f"fd://{listening.fileno()}"]
        serving = [*bind, "--threads", "8", "--timeout", "120"]
        with running([*command, *serving], cwd=cwd, log=log, env=env, pass_fds=[listening.fileno()]):
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def running(command, *, cwd, log="serving.log", **how):
    """A program that runs in here. A test that fails shows what it has said; ``log``: the file, from here."""
    path = Path(cwd) / log
    with path.open("w") as said:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            **how,
        )
        try:
            yield process
            assert process.poll() is None, path.read_text()
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            process.kill()
            process.wait()
            print(path.read_text())
