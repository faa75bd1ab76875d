"""A running service for a measurement: started as a user starts it, on a free port, and stopped at the end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hypercone.errors import HyperconeError


@dataclass
class Served:
    """A running service: where it listens, its process, and what it wrote to its standard error."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, as a socket wants them."""
        parts = urlsplit(self.url)
        assert parts.hostname
        assert parts.port
        return parts.hostname, parts.port


@contextlib.contextmanager
def served(*arguments: str, path: str | None = None, token: str | None = None) -> Iterator[Served]:
    """`hypercone serve` with these arguments, from its first answer to its end; of another checkout by its path."""
    environment = os.environ | ({} if path is None else {"PYTHONPATH": path})
    environment |= {} if token is None else {"HYPERCONE_TOKEN": token}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        command = [sys.executable, "-m", "hypercone.cli.main", "serve", *arguments, "--port", "0"]
        with log.open("w") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
        assert process.stdout
        line = process.stdout.readline()
        if " on http" not in line:
            process.kill()
            raise HyperconeError(
                f"the service did not start: {log.read_text().strip() or line or 'it printed nothing'}"
            )
        try:
            where = Served(process, line.rsplit(" ", 1)[1].strip(), log)
            wait_until_ready(where.url)
            yield where
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def wait_until_ready(url: str) -> None:
    """Wait until the service is ready; until then it answers 503."""
    for _ in range(1_200):
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=10):
                return
        except urllib.error.HTTPError as answer:
            answer.close()
            time.sleep(0.05)
    raise HyperconeError("the service is not ready after a minute")
