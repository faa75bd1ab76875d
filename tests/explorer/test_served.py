"""The page as the service sends it, under the policy of its headers."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser

from hypercone.embedding import Embedding


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/readyz") as answer:
            return bool(answer.status == 200)
    except HTTPError:
        return False


@pytest.fixture
def address(mammals: Embedding, tmp_path: Path) -> Iterator[str]:
    folder = str(mammals.save(tmp_path / "mammals"))
    command = [sys.executable, "-m", "hypercone.cli.main", "serve", folder, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        found = server.stdout.readline().split()[-1]
        while not _is_ready(found):
            time.sleep(0.1)
        yield found
        server.terminate()


def test_the_served_page_runs_and_answers_as_the_model_does(browser: Browser, address: str, mammals: Embedding) -> None:
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    page.evaluate("window.hypercone.ready")
    row = mammals.row("dog.n.01")
    lit = page.evaluate("(row) => { window.hypercone.select(row); return window.hypercone.highlighted(); }", row)
    page.close()
    assert {mammals.names[one] for one in lit} == set(mammals.descendants("dog.n.01"))
    assert said == []
