"""Measure the tests by mutants: small faults put into the package one at a time, which its tests should notice.

A mutant is known by its function, the text of its statement and the place in it, never by file or line, so that the
same fault can be put into a tree before and into a tree after a refactoring:

    python tools/mutants.py draw --tree BEFORE --count 60 --seed 14 -o mutants.json
    python tools/mutants.py run --tree BEFORE --mutants mutants.json --reserve 0.25 -o before.json
    python tools/mutants.py run --tree AFTER --mutants mutants.json --renames renames.json -o after.json
    python tools/mutants.py compare before.json after.json

A mutant whose code has no counterpart is replaced by the next one of its stratum, a folder or module of the package.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path("src") / "hypercone"
# Left out of the draw: modules that leave the package, and those whose tests draw whole figures or films.
LEFT_OUT = re.compile(r"bench/|cli/(bench|demo)|reproduce/(figure|film)|.*/hidden_parents")
RESERVE = 3
MEMORY = 12 << 30  # bytes of addresses, so that no mutant takes the machine with it

SWAPS = "Lt:LtE LtE:Lt Gt:GtE GtE:Gt Eq:NotEq NotEq:Eq Is:IsNot IsNot:Is In:NotIn NotIn:In And:Or Or:And "
SWAPS += "Add:Sub Sub:Add Mult:Div Div:Mult FloorDiv:Mult"
SWAPPED = {old: getattr(ast, new) for old, new in (pair.split(":") for pair in SWAPS.split())}
# The negation of one of these is the comparison swapped, a mutant already.
OPPOSITES = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)

# The tests of each stratum, by their names before and after a refactoring; what does not exist is passed over.
# Examples in docstrings are tests as well: before, files below tests ran them; after, --doctest-modules does.
READING = "tests/hierarchy tests/formats tests/data src/hypercone/hierarchy src/hypercone/formats src/hypercone/data"
SAVING = "tests/embedding tests/test_files.py tests/runs"
SELECTIONS = {
    "__init__": f"tests/test_estimator.py {SAVING}",
    "_jit": "tests/test_jit.py tests/methods tests/numerics",
    "atomic sealed temporaries": f"{SAVING} tests/training",  # old name
    "calibration": "tests/methods tests/evaluation tests/training",
    "cli": "tests/cli",
    "construction": "tests/construction",
    "cores": "tests/reproduce tests/cli/test_runs.py tests/evaluation tests/training",
    "data hierarchy": READING,
    "embedding placement": SAVING,
    "errors": f"{READING} {SAVING} tests/queries tests/cli/test_bad_input.py",
    "estimator": "tests/test_estimator.py tests/training",
    "evaluation": "tests/evaluation tests/queries",
    "explorer": "tests/explorer/test_packing.py tests/cli/test_show.py tests/service/test_pages_and_metrics.py",
    "extras": f"tests/plotting {READING} {SAVING}",
    "figures": "tests/plotting tests/cli/test_show.py",
    "geometry": "tests/geometry tests/numerics tests/paper src/hypercone/geometry",
    "index queries": "tests/index tests/queries",
    "methods": "tests/methods tests/numerics",
    "reproduce": "tests/reproduce tests/cli/test_runs.py",
    "runs": "tests/runs tests/training tests/cli/test_runs.py",
    "service": "tests/service tests/cli/test_show.py",
    "training": "tests/training tests/runs",
    "views": f"tests/methods {SAVING} tests/queries",
}
TESTS = {name: tests.split() for names, tests in SELECTIONS.items() for name in names.split()}
# Too long, or by the clock of a machine that does nothing else.
DESELECTED = [
    "tests/service/test_requests.py::test_every_generated_request_is_answered_as_documented",
    "tests/cli/test_terminal.py::test_a_second_process_finds_the_compiled_kernels",
]

Mutation = tuple[str, ast.AST, ast.AST]  # the kind, the node, and what it becomes
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Identity(NamedTuple):
    """What a mutant is known by in any tree."""

    function: str
    statement: str
    equal: int  # among the equal statements of the function
    nth: int  # among the mutants of the statement
    kind: str


class Edit(NamedTuple):
    """A mutant in a tree: which bytes of which file become what."""

    stratum: str  # the folder or module of the package that it is in
    path: str  # below the package
    start: int
    end: int
    old: str
    new: str


def mutations(node: ast.AST) -> Iterator[Mutation]:
    """Every mutant of a statement or an expression, in the order of the text; of messages there are none."""
    if isinstance(node, ast.JoinedStr | ast.Raise):
        return
    is_text = any(isinstance(getattr(x, "value", x), str | ast.JoinedStr) for x in ast.iter_child_nodes(node))
    operators = getattr(node, "ops", [getattr(node, "op", None)])
    for i, name in enumerate(type(operator).__name__ for operator in operators):
        if name in SWAPPED and (isinstance(node, ast.Compare) or not is_text):
            changed, ops = copy.copy(node), [*operators[:i], SWAPPED[name](), *operators[i + 1 :]]
            vars(changed).update(ops=ops, op=ops[0])
            yield f"{name} to {SWAPPED[name].__name__}", node, changed
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "Not left out", node, node.operand
    elif isinstance(node, ast.Constant) and isinstance(value := node.value, int | float):
        other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 2 or 1.0
        yield "constant", node, ast.Constant(other)
    elif isinstance(node, ast.IfExp):
        yield from negation(node.test)
    for name, field in ast.iter_fields(node):
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and name != "annotation" and getattr(child, "arg", None) != "stacklevel":
                yield from mutations(child)


def negation(test: ast.expr) -> Iterator[Mutation]:
    """The mutant that takes the other branch, unless another mutant does the same."""
    is_swap = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], OPPOSITES)
    if not is_swap and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        yield "branch negated", test, ast.UnaryOp(ast.Not(), test)


def functions(node: ast.AST, outer: str = "") -> Iterator[tuple[str, Function]]:
    """Every function of a module with its qualified name, functions in functions as well."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        name = outer
        if isinstance(child, Function | ast.ClassDef):
            name = f"{outer}.{child.name}".lstrip(".")
        if isinstance(child, Function) and child.name != "__repr__":
            yield name, child
        yield from functions(child, name)


def statements(body: Sequence[ast.AST]) -> Iterator[tuple[str, list[ast.AST], ast.expr | None]]:
    """Text, parts to mutate and test to negate of every simple statement, and of every compound one's header."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            continue
        blocks = [getattr(node, name, []) for name in ("body", "handlers", "orelse", "finalbody", "cases")]
        if not any(blocks):
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                yield ast.unparse(node), [node], None
            continue
        test = node.test if isinstance(node, ast.If | ast.While) else None
        parts: list[Any] = [getattr(node, name, None) for name in ("test", "iter", "subject", "guard")]
        parts = [x for x in [*parts, *(item.context_expr for item in getattr(node, "items", []))] if x is not None]
        yield f"{type(node).__name__} {', '.join(map(ast.unparse, parts))}", parts, test
        for block in blocks:
            yield from statements(block)


class Tree:
    """All mutants of a tree, by what they are known by."""

    def __init__(self, root: Path, renames: dict[str, str] | None = None) -> None:
        self.renames = renames or {}
        words = "|".join(map(re.escape, sorted(self.renames, key=len, reverse=True)))
        self._renamed = re.compile(rf"(?<!\w)({words})(?!\w)" if words else r"(?!)")
        self.edits: dict[Identity, list[Edit]] = defaultdict(list)
        for path in sorted((root / PACKAGE).rglob("*.py")):
            source = path.read_bytes()
            for qualname, function in functions(ast.parse(source)):
                self._add(path.relative_to(root / PACKAGE).as_posix(), source, self.canonical(qualname), function)

    def canonical(self, text: str) -> str:
        """The text with the new names; both sides of a comparison are given them."""
        return self._renamed.sub(lambda found: self.renames[found[0]], text)

    def _add(self, path: str, source: bytes, qualname: str, function: Function) -> None:
        lines = [0, *accumulate(len(line) + 1 for line in source.split(b"\n"))]
        seen: Counter[str] = Counter()
        for text, parts, test in statements(function.body):
            text = self.canonical(text)
            found = [*(negation(test) if test else []), *(m for part in parts for m in mutations(part))]
            for nth, (kind, node, mutated) in enumerate(found):
                at: Any = node
                start, end = lines[at.lineno - 1] + at.col_offset, lines[at.end_lineno - 1] + at.end_col_offset
                new = ast.unparse(mutated) if isinstance(node, ast.stmt) else f"({ast.unparse(mutated)})"
                edit = Edit(path.split("/")[0].removesuffix(".py"), path, start, end, source[start:end].decode(), new)
                self.edits[Identity(qualname, text, seen[text], nth, kind)].append(edit)
            seen[text] += 1

    def find(self, mutant: dict[str, Any]) -> Edit | None:
        """Where the mutant is in this tree; None where it is nowhere, or in several places equally near."""
        function, statement = self.canonical(mutant["function"]), self.canonical(mutant["statement"])
        edits = self.edits.get(Identity(function, statement, mutant["equal"], mutant["nth"], mutant["kind"]), [])
        alike = [SequenceMatcher(None, edit.path, mutant["path"]).ratio() for edit in edits]
        alike = [x + (edit.stratum == mutant["stratum"]) for x, edit in zip(alike, edits, strict=True)]
        return edits[alike.index(max(alike))] if alike.count(max(alike, default=0)) == 1 else None


def quotas(sizes: dict[str, int], count: int) -> dict[str, int]:
    """How many mutants to draw of each stratum: in proportion to its functions, and at least one."""
    shares = dict.fromkeys(sizes, 1)
    while sum(shares.values()) < count:
        shares[max(sizes, key=lambda name: sizes[name] / (2 * shares[name] + 1))] += 1
    return shares


def draw(tree: Tree, count: int, seed: int) -> dict[str, Any]:
    """Mutants of every stratum in the order to be tried, no two of a function before each function had its turn."""
    strata: dict[str, dict[tuple[str, str], list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for identity, edits in tree.edits.items():
        for edit in edits:
            place = {"stratum": edit.stratum, "path": edit.path, "old": edit.old, "new": edit.new}
            mutant = place | identity._asdict()
            if not LEFT_OUT.match(edit.path) and tree.find(mutant) == edit:
                strata[mutant["stratum"]][edit.path, identity.function].append(mutant)
    sizes = {name: len(strata[name]) for name in sorted(strata)}
    shares, in_order = quotas(sizes, count), list[dict[str, Any]]()
    for name, share in shares.items():
        order = random.Random(f"{seed} {name}")
        piles = [order.sample(pile, len(pile)) for pile in strata[name].values()]
        order.shuffle(piles)
        turns = [pile[turn] for turn in range(max(map(len, piles))) for pile in piles if turn < len(pile)]
        in_order += [{"id": f"{name}-{i}", **mutant} for i, mutant in enumerate(turns[: RESERVE * share], 1)]
    return {"count": count, "seed": seed, "functions": sizes, "quotas": shares, "mutants": in_order}


def chosen(drawn: dict[str, Any], trees: list[Tree], reserve: float) -> list[dict[str, Any]]:
    """The mutants that all trees have, as many of each stratum as its quota says; those in reserve come last."""
    first, last = [], []
    for name, share in drawn["quotas"].items():
        mutants = [m for m in drawn["mutants"] if m["stratum"] == name and all(tree.find(m) for tree in trees)]
        first += mutants[:share]
        last += mutants[share : share + math.ceil(share * reserve)]
    return first + last


class Workshop:
    """A copy of a tree in which one file at a time is mutated, with a cache of compiled kernels of its own."""

    def __init__(self, tree: Path, scratch: Path) -> None:
        self.copy, self.kernels, self.green = scratch / "tree", scratch / "cache" / "hypercone", scratch / "green"
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(tree, self.copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", "node_modules"))
        for folder in (self.kernels, self.green):
            folder.mkdir(parents=True, exist_ok=True)
        self.environment = os.environ | {"PYTHONPATH": str(self.copy / "src"), "XDG_CACHE_HOME": str(scratch / "cache")}
        self.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        subprocess.run([sys.executable, "-m", "compileall", "-q", self.copy / "src"], check=True)

    def run(self, stratum: str, timeout: float | None = None, *options: str) -> dict[str, Any]:
        """Run the tests of a stratum: whether they fail, the test that does, and the seconds it took."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n", "0", "--no-header"]
        command += ["--doctest-modules", "-m", "not slow"]
        command += ["--hypothesis-seed=0", *(f"--deselect={name}" for name in DESELECTED), *options]
        command += [name for name in TESTS[stratum] if (self.copy / name).exists()]
        began, code = time.monotonic(), None
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            kept: dict[str, Any] = {"cwd": self.copy, "env": self.environment, "stdout": output, "stderr": output}
            process = subprocess.Popen(command, start_new_session=True, **kept)
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                pass
            finally:
                with suppress(ProcessLookupError):  # whatever the tests have started ends with them
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output.read(), re.MULTILINE)
        by = "timeout" if code is None else failed[1] if failed else f"exit code {code}" if code else None
        return {"killed": code != 0, "by": by, "seconds": round(time.monotonic() - began, 1)}

    def run_mutated(self, edit: Edit, stratum: str, timeout: float) -> dict[str, Any]:
        """Run the tests with the mutant in place, and put everything back."""
        path, compiled = self.copy / PACKAGE / edit.path, set(self.kernels.iterdir())
        source, times = path.read_bytes(), path.stat()
        path.write_bytes(source[: edit.start] + edit.new.encode() + source[edit.end :])
        verdict = self.run(stratum, timeout)
        path.write_bytes(source)
        # numba and Python compare this time with that of what they have compiled.
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        for folder in [*(set(self.kernels.iterdir()) - compiled), self.copy / ".hypothesis"]:
            shutil.rmtree(folder, ignore_errors=True)
        # Where no test has failed by name, the mutant may not be what is broken.
        if str(verdict["by"]).startswith("exit code") and self.run(stratum, None, "--collect-only")["killed"]:
            sys.exit(f"the tests of {stratum} cannot be started any more")
        return verdict


def measure(arguments: argparse.Namespace) -> int:
    """Run the tests on each mutant that has no verdict yet, and keep the verdicts; 1 if there are none for some."""
    renames = read(arguments.renames) if arguments.renames else {}
    tree, *others = (Tree(root, renames) for root in (arguments.tree, arguments.also) if root)
    mutants = chosen(read(arguments.mutants), [tree, *others], arguments.reserve)
    kept = read(arguments.output) if arguments.output.exists() else {"unmutated": {}, "mutants": {}}
    # Too long for a shorter time may be short enough for this one.
    done = [
        x
        for x, result in kept["mutants"].items()
        if result["by"] != "timeout" or result["timeout"] >= arguments.timeout
    ]
    waiting = [mutant for mutant in mutants if mutant["id"] not in done][: arguments.limit]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, by the tests as well
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        shop = Workshop(arguments.tree, arguments.scratch or Path(folder))
        for mutant in waiting:
            stratum, edit = mutant["stratum"], tree.find(mutant)
            assert edit
            if not (shop.green / stratum).exists():  # this compiles the kernels as well
                verdict = shop.run(stratum)
                if verdict["killed"]:
                    print(f"{mutant['id']} not run: without a mutant, {verdict['by']} fails", flush=True)
                    continue
                kept["unmutated"][stratum] = verdict["seconds"]
                (shop.green / stratum).touch()
            verdict = shop.run_mutated(edit, stratum, arguments.timeout)
            facts = {name: mutant[name] for name in ("stratum", "function", "kind", "old", "new")}
            kept["mutants"][mutant["id"]] = facts | {"path": edit.path, "timeout": arguments.timeout} | verdict
            write(arguments.output, kept)
            print(mutant["id"], edit.path, mutant["function"], edit.old, "->", edit.new, verdict, flush=True)
    return int(any(mutant["id"] not in kept["mutants"] for mutant in waiting))


def read(path: Path) -> Any:
    """What a file of JSON holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a file of JSON so that a stop leaves the old one or the new one."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)


def compare(before: Path, after: Path) -> int:
    """Print how many mutants were killed before and after; 1 if the share went down."""
    old, new = (read(path)["mutants"] for path in (before, after))
    common = [name for name in new if name in old]
    rows = []
    for stratum in sorted({new[name]["stratum"] for name in common}):
        ids = [name for name in common if new[name]["stratum"] == stratum]
        rows.append((stratum, len(ids), sum(old[i]["killed"] for i in ids), sum(new[i]["killed"] for i in ids)))
    drawn, was, is_now = (sum(row[column] for row in rows) for column in (1, 2, 3))
    for row in [("subpackage", "drawn", "before", "after"), *rows, ("all", drawn, was, is_now)]:
        print(f"{row[0]:<14}{row[1]:>8}{row[2]:>8}{row[3]:>8}")
    print(f"killed: {was / max(drawn, 1):.1%} before, {is_now / max(drawn, 1):.1%} after")
    for name in common:
        if old[name]["killed"] != new[name]["killed"]:
            verdicts = [f"killed by {x['by']}" if x["killed"] else "survived" for x in (old[name], new[name])]
            print(f"{name} {new[name]['function']}: {new[name]['old']} -> {new[name]['new']}: {' -> '.join(verdicts)}")
    if alone := [name for name in new if name not in old]:
        print(f"not measured before (run it with --also AFTER): {', '.join(alone)}")
    return int(is_now < was)


def main(words: Sequence[str] | None = None) -> int:
    """Draw mutants, run the tests on them, or compare two runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing, running, comparing = (commands.add_parser(name) for name in ("draw", "run", "compare"))
    for command in (drawing, running):
        command.add_argument("--tree", type=Path, required=True, help="a folder with src and tests; it is only read")
        command.add_argument("-o", "--output", type=Path, required=True)
    drawing.add_argument("--count", type=int, default=60)
    drawing.add_argument("--seed", type=int, default=14)
    running.add_argument("--mutants", type=Path, required=True, help="what draw wrote")
    running.add_argument("--renames", type=Path, help='JSON, {"old": "new"}; names may have dots')
    running.add_argument("--also", type=Path, help="another tree that must have the mutants as well")
    running.add_argument("--reserve", type=float, default=0.0, help="share of a quota to be run beyond it")
    running.add_argument("--limit", type=int, help="run no more than so many now")
    running.add_argument("--timeout", type=float, default=240.0, help="seconds after which a mutant counts as killed")
    running.add_argument("--scratch", type=Path, help="keep the copy and its compiled kernels here for the next run")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    arguments = parser.parse_args(words)
    if arguments.command == "compare":
        return compare(arguments.before, arguments.after)
    if arguments.command == "run":
        return measure(arguments)
    write(arguments.output, draw(Tree(arguments.tree), arguments.count, arguments.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
