"""How large the code is, and how many files a command runs through.

    python -m tools.measure_code --tree .
    python -m tools.measure_code --tree other/checkout --and .

A walk is what one command does, traced: the files whose functions are called, and how often a call leads from one file
of the package into another. Kernels, the code that compiles them and the import of modules are left out: each command
runs once before it is traced.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = "hypercone"
KERNELS = "_kernels.py"
MACHINERY = "_jit.py"
# More arguments than this make a kernel a wide one.
MANY_ARGUMENTS = 9
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file of the package."""

    path: Path
    module: str

    @cached_property
    def text(self) -> str:
        """What is in the file."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The file as Python understands it."""
        return ast.parse(self.text)

    @property
    def lines(self) -> int:
        """All lines."""
        return len(self.text.splitlines())

    @property
    def lines_of_code(self) -> int:
        """The lines that are not blank, a comment or a docstring."""
        lines = set[int]()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in NO_CODE:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Module | ast.ClassDef | Function)
                and ast.get_docstring(node, clean=False) is not None
            ):
                lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        return len(lines)

    @property
    def imports_in_functions(self) -> int:
        """Import statements that run only when a function does."""
        return len(
            {
                (node.lineno, node.col_offset)
                for function in ast.walk(self.tree)
                if isinstance(function, Function)
                for node in ast.walk(function)
                if isinstance(node, ast.Import | ast.ImportFrom)
            }
        )

    def imported(self, modules: set[str]) -> set[str]:
        """The modules of the package that it imports, anywhere in the file; a package only for a name of its own."""
        found = set[str]()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                home = self._home(node)
                names = {f"{home}.{alias.name}" for alias in node.names}
                found |= {name if name in modules else home for name in names}
        return (found & modules) - {self.module}

    def _home(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        above = parts[: len(parts) - node.level + (self.path.name == "__init__.py")]
        return ".".join([*above, *filter(None, [node.module])])


def sources_of(tree: Path) -> list[Source]:
    """The Python files under src, with the names of their modules."""
    root = tree / "src"
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found.append(Source(path, ".".join(parts[:-1] if parts[-1] == "__init__" else parts)))
    return found


def imported_once(sources: list[Source]) -> int:
    """How many modules exactly one other module imports."""
    modules = {source.module for source in sources}
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for source in sources:
        for module in source.imported(modules):
            importers[module].add(source.module)
    return sum(len(found) == 1 for found in importers.values())


def widths(sources: list[Source], *, kernels: bool) -> dict[str, int]:
    """The arguments of each kernel, or of each public function and method elsewhere, by its name."""
    found: dict[str, int] = {}
    for source in sources:
        if source.path.name.endswith(KERNELS) != kernels:
            continue
        for name, function, is_method in _functions(source.tree):
            if kernels or not any(part.startswith("_") for part in name.split(".")):
                found[f"{source.module}.{name}"] = len(_arguments(function)) - is_method
    return found


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function, bool]]:
    for node in tree.body:
        if isinstance(node, Function):
            yield node.name, node, False
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, Function):
                    is_static = any(
                        isinstance(one, ast.Name) and one.id == "staticmethod" for one in inner.decorator_list
                    )
                    yield f"{node.name}.{inner.name}", inner, not is_static


def _arguments(function: Function) -> list[ast.arg]:
    given = function.args
    rest = [argument for argument in (given.vararg, given.kwarg) if argument]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]


def walk(action: Callable[[], object], root: str) -> tuple[int, int]:
    """The files of the package that an action leads through, and how often a call leads from one into another."""
    files = set[str]()
    changes = 0

    def is_ours(frame: FrameType) -> bool:
        path = frame.f_code.co_filename
        return path.startswith(root) and not path.endswith((KERNELS, os.sep + MACHINERY))

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal changes
        if event != "call" or not is_ours(frame) or frame.f_code.co_name == "<module>":
            return
        caller = frame.f_back
        while caller is not None and not is_ours(caller):
            caller = caller.f_back
        files.add(frame.f_code.co_filename)
        changes += caller is None or caller.f_code.co_filename != frame.f_code.co_filename

    sys.setprofile(look)
    try:
        action()
    finally:
        sys.setprofile(None)
    return len(files), changes


def walks() -> dict[str, tuple[int, int]]:
    """The three walks through the hypercone that is importable, which is loaded here and nowhere else."""
    import hypercone
    from hypercone.cli.main import main as hypercone_main

    def run(*arguments: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as refused:
            code = hypercone_main(list(arguments))
        if code:
            raise SystemExit(refused.getvalue())

    def twice(*arguments: str, output: str | None = None) -> tuple[int, int]:
        folders = [["-o", f"{output}-{turn}"] if output else [] for turn in range(2)]
        run(*arguments, *folders[0])
        return walk(lambda: run(*arguments, *folders[1]), os.path.dirname(hypercone.__file__) + os.sep)

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("tree.tsv").write_text("".join(f"n{(node - 1) // 2}\tn{node}\n" for node in range(1, 16)))
        fit = ["fit", "tree.tsv", "--direction", "parent-child", "--dim", "2"]
        return {
            "construct": twice(*fit, output="constructed"),
            "learn": twice(*fit, "--method", "hyperbolic-cones", "--epochs", "3", "--init", "random", output="learned"),
            "query": twice("query", "constructed-0", "ancestors", "n9"),
        }


def measure(tree: Path) -> dict[str, Any]:
    """All measures of a checkout, by name."""
    sources = sources_of(tree)
    if not sources:
        raise SystemExit(f"{tree}: has no src/{PACKAGE}")
    largest = max(sources, key=lambda source: source.lines)
    kernels, public = widths(sources, kernels=True), widths(sources, kernels=False)
    result: dict[str, Any] = {
        "Python files": len(sources),
        "lines": sum(source.lines for source in sources),
        "lines of code": sum(source.lines_of_code for source in sources),
        "median file, lines": statistics.median(source.lines for source in sources),
        "largest file, lines": largest.lines,
        "largest file": largest.module,
        "modules imported by one other": imported_once(sources),
        "imports inside functions": sum(source.imports_in_functions for source in sources),
        "widest kernel, arguments": max(kernels.values()),
        "widest kernel": max(kernels, key=lambda name: kernels[name]),
        f"kernels with more than {MANY_ARGUMENTS} arguments": sum(n > MANY_ARGUMENTS for n in kernels.values()),
        "widest public function, arguments": max(public.values()),
        "widest public function": max(public, key=lambda name: public[name]),
    }
    environment = os.environ | {"PYTHONPATH": str(tree.resolve() / "src")}
    traced = subprocess.run(
        [sys.executable, __file__, "--walks"], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    for name, (files, changes) in json.loads(traced.stdout).items():
        result |= {f"{name}: files": files, f"{name}: changes of file": changes}
    return result


def table(columns: dict[str, dict[str, Any]]) -> str:
    """A Markdown table: a line for each measure, a column for each checkout."""
    lines = [f"| measure | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    for name in next(iter(columns.values())):
        values = (values[name] for values in columns.values())
        lines.append(f"| {name} | {' | '.join(f'{v:,}' if isinstance(v, int | float) else f'`{v}`' for v in values)} |")
    return "\n".join(lines)


def main() -> int:
    """Measure one checkout or two, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=Path(), metavar="DIR", help="a checkout (default: this folder)")
    parser.add_argument("--and", type=Path, dest="after", metavar="DIR", help="another one, to stand beside it")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--walks", action="store_true", help="only the walks, as JSON, of the package on PYTHONPATH")
    options = parser.parse_args()
    if options.walks:
        print(json.dumps(walks()))
        return 0
    columns = {"before" if options.after else "value": measure(options.tree)}
    if options.after:
        columns["after"] = measure(options.after)
    print(json.dumps(columns if options.after else columns["value"], indent=1) if options.json else table(columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
