"""The sizes of the house: files, functions, and the longest of each. Prints what the design asks to keep small."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def functions(path: Path) -> list[tuple[int, str]]:
    """Length in lines and name of every function in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [((node.end_lineno or node.lineno) - node.lineno + 1, f"{path.name}:{node.name}") for node in found]


def report(folder: str) -> str:
    """One line on all Python files below a folder."""
    files = sorted((ROOT / folder).rglob("*.py"))
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in files}
    lines = [length for path in files for length in functions(path)]
    longest = max(files, key=lambda path: lengths[path])
    return (
        f"{folder}: {len(files)} files, {sum(lengths.values()):,} lines, longest {longest.name} ({lengths[longest]}); "
        f"{len(lines)} functions, median {statistics.median(length for length, _ in lines):g} lines, "
        f"longest {max(lines)[1]} ({max(lines)[0]})"
    )


if __name__ == "__main__":
    for folder in ("src", "tests"):
        print(report(folder))
