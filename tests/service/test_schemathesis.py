"""The OpenAPI document is true: schemathesis makes requests up from it, and every answer is as it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).parents[2] / "benchmarks" / "service_schemathesis.py"


@pytest.fixture(scope="module")
def found(service_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    output = tmp_path_factory.mktemp("schemathesis") / "found.json"
    command = [sys.executable, str(RUN), str(service_model), "--cases", "4", "-o", str(output)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert output.exists(), done.stderr
    report: dict[str, Any] = json.loads(output.read_text())
    return report


def test_no_made_up_request_is_answered_other_than_documented(found: dict[str, Any]) -> None:
    assert found["failures"] == found["errors"] == []
    assert found["server_errors"] == 0
    assert found["server_alive_without_a_traceback"]


def test_every_operation_is_tried_and_many_are_answered(found: dict[str, Any]) -> None:
    assert found["cases"] > 200
    assert all("200" in statuses for statuses in found["operations"].values()), found["operations"]
    assert found["share_of_200_among_valid"] > 0.2
