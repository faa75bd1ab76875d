"""Fingerprints of what hypercone answers, to see that a change of the code has changed no answer.

    python tools/fingerprints.py record -o benchmarks/results/fingerprints.json
    PYTHONPATH=other/checkout/src python tools/fingerprints.py compare benchmarks/results/fingerprints.json

Small fits, constructions, exports, pictures and the command line, all through the public interface, in about a minute.
Points are compared bit by bit, so that two recordings agree on one machine with the same versions only; `compare` says
so where they differ. `--keep FOLDER` writes what the fingerprints are of, for diff to show what became of it.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import itertools
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import hypercone
from hypercone.cli.main import main as hypercone_main

METHODS = ("hyperbolic-cones", "euclidean-cones", "order", "poincare", "euclidean")
STARTS = ("random", "poincare", "euclidean", "caps", "nested-caps", "overlapping-caps", "given-edges", "exact-caps")
CONSTRUCTIONS = ("nested-caps", "overlapping-caps")
SHORT = {"dim": 5, "epochs": 30, "init_epochs": 20}
# Settings that lead through other parts of training than the usual ones.
VARIANTS: dict[str, dict[str, Any]] = {
    "plane": {"dim": 2},
    "seed": {"seed": 7},
    "sgd": {"optimizer": "sgd", "rate": 0.01},
    "sgd-exp": {"optimizer": "sgd-exp", "rate": 0.01},
    "adagrad": {"optimizer": "adagrad"},
    "as-given": {"edges": "as-given"},
    "children": {"corrupt": "child", "schedule": "constant", "burn_in": 3},
    "parents": {"corrupt": "parent", "parent_candidates": "all", "push_inside": "both"},
    "degree": {"sampling": "degree", "known": "closure", "init_corrupt": "both"},
    "weight": {"positive_weight": 2.0, "negatives": 4, "relatives": 1},
}
# Of config.json and the record in it; its checksums and versions are left out.
FIELDS = {"method", "settings", "threshold", "nodes", "dim", "kind", "closure_aware", "calibration_f1", "calibrated_on"}
FIELDS |= {"epoch", "start", "training_edges", "split", "precision", "recall", "smallest_cap", "hierarchy_digest"}
FIELDS |= {"reproducible", "notes", "placed", "config"}
FORMATS = {"tsv": "tsv", "npz": "npz", "word2vec": "vec", "parquet": "parquet", "projector": "tsv"}
COORDINATES = ("own", "klein", "lorentz", "cap")
QUESTIONS = {
    **{name: ["n29", "n2"] for name in ("is-a", "energy", "explain")},
    **{name: ["n14"] for name in ("ancestors", "parents", "siblings", "nearest", "vector")},
    **{name: ["n1"] for name in ("descendants", "children")},
    **{name: ["n29", "n44", "n50"] for name in ("lca", "centroid")},
}
JUDGED = ["--split dag-split", "--split dag-split --references", "--all-pairs", "--all-pairs --references"]
JUDGED += ["--all-pairs --group-by depth", "--all-pairs --group-by parents", "--all-pairs --threshold 0.1", "--hard"]
JUDGED += ["--hard --references", "--hard --group-by depth", "--hard --group-by parents --sample 20 --seed 3"]
JUDGED += ["--positives dag-split/test.tsv --negatives dag-split/test_negatives.tsv"]
JUDGED += ["--reconstruction dag.tsv --threads 1", "--reconstruction dag.tsv --sample 20 --seed 3 --threads 1"]
COMMANDS = ["fit", "evaluate", "query", "place", "suggest", "compare", "info", "split", "export", "plot", "explore"]
COMMANDS += ["serve", "warm", "reproduce", "demo"]


class Fingerprints:
    """What was found so far, by key; contents go to a folder as well if there is one to keep them in."""

    def __init__(self, kept: Path | None) -> None:
        self.found: dict[str, Any] = {}
        self.kept = kept

    def content(self, key: str, content: bytes) -> None:
        """Note the SHA-256 of some bytes."""
        self.found[key] = hashlib.sha256(content).hexdigest()
        if self.kept:
            self.kept.mkdir(parents=True, exist_ok=True)
            (self.kept / key.replace("/", "~")).write_bytes(content)

    def command(self, key: str, *arguments: str) -> bool:
        """Run a command and note what it prints, or how it was refused; whether it was done."""
        output, refused = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(refused):
            code = hypercone_main(list(arguments))
        text = output.getvalue()
        if code:
            self.found[key] = f"exit {code}: {refused.getvalue().strip()}"
        else:
            self.content(key, (_without_seconds(text) if "--json" in arguments else text).encode())
        return code == 0

    def fit(self, key: str, hierarchy: hypercone.Hierarchy, **settings: Any) -> None:
        """Fit and note the result, or the sentence that refuses the settings."""
        try:
            embedding = hypercone.fit(hierarchy, **settings)
        except hypercone.HyperconeError as error:
            self.found[key] = f"{type(error).__name__}: {error}"
        else:
            self.embedding(key, embedding)

    def embedding(self, key: str, embedding: hypercone.Embedding) -> None:
        """Note the points, nodes and edges of an embedding, and what its config.json says."""
        self.content(f"{key}/points", repr(embedding.points.shape).encode() + embedding.points.tobytes())
        self.content(f"{key}/names", "\n".join(embedding.names).encode())
        self.content(f"{key}/labels", repr(embedding.labels and embedding.labels.texts).encode())
        self.content(f"{key}/edges", b"none" if embedding.edges is None else embedding.edges.tobytes())
        with tempfile.TemporaryDirectory() as folder:
            embedding.save(Path(folder) / "model")
            said = json.loads((Path(folder) / "model" / "config.json").read_text(encoding="utf-8"))
        for name, value in (said | said["record"]).items():
            if name in FIELDS:
                self.found[f"{key}/config.json/{name}"] = value
        self.content(f"{key}/config.json/history", json.dumps(said["record"].get("history")).encode())


def _without_seconds(text: str) -> str:
    return json.dumps({name: value for name, value in json.loads(text).items() if name != "seconds"}, indent=1)


def small_tree() -> hypercone.Hierarchy:
    """Forty nodes, three children each."""
    return hypercone.Hierarchy.from_pairs([(f"n{(node - 1) // 3}", f"n{node}") for node in range(1, 40)])


def small_dag() -> hypercone.Hierarchy:
    """Sixty nodes, of which every fourth has several parents, with labels for all but a few."""
    edges = {((node - 1) // 2, node) for node in range(1, 60)}
    edges |= {(node // 3, node) for node in range(4, 60, 4)} | {(node // 5 + 1, node) for node in range(16, 60, 8)}
    labels = ["" if node % 7 == 3 else f"Knoten № {node}" for node in range(60)]
    return hypercone.Hierarchy([f"n{node}" for node in range(60)], sorted(edges), labels)


def fits(prints: Fingerprints, hierarchies: dict[str, hypercone.Hierarchy]) -> None:
    """Every method from every start, the settings that matter, a split, and both constructions."""
    for name, method, init in itertools.product(("tree", "dag"), METHODS, STARTS):
        prints.fit(f"fit/{name}/{method}/{init}", hierarchies[name], method=method, init=init, **SHORT)
    dag = hierarchies["dag"]
    for variant, settings in VARIANTS.items():
        for method in METHODS:
            prints.fit(f"variant/{variant}/{method}", dag, **SHORT | {"method": method} | settings)
        caps = {"method": "hyperbolic-cones", "init": "caps"}
        prints.fit(f"variant/{variant}/caps", dag, **SHORT | caps | settings)
    split = dag.split(50, seed=1)
    for method in (*METHODS, *CONSTRUCTIONS):
        learning = {} if method in CONSTRUCTIONS else SHORT | {"validate_every": 5, "patience": 2}
        prints.fit(f"split/{method}", dag, split=split, method=method, **learning)
    for name, method, dim in itertools.product(hierarchies, CONSTRUCTIONS, (2, 5, 10)):
        prints.fit(f"construction/{name}/{method}/{dim}", hierarchies[name], method=method, dim=dim)
    prints.fit("construction/dag/as-usual", dag)
    prints.fit(
        "mammals/hyperbolic-cones", hierarchies["mammals"], method="hyperbolic-cones", dim=5, epochs=4, init_epochs=3
    )


def models(prints: Fingerprints, hierarchies: dict[str, hypercone.Hierarchy]) -> list[str]:
    """The models that are asked below: one with labels, and some fitted on the command line from a file."""
    for name in ("tree", "dag"):
        lines = "".join(f"n{parent}\tn{child}\n" for parent, child in hierarchies[name].edges.tolist())
        Path(f"{name}.tsv").write_text(f"parent\tchild\n{lines}", encoding="utf-8")
        prints.command(f"command/info/{name}", "info", f"{name}.tsv", "--json")
    prints.command("command/info/mammals", "info", "wordnet-mammals", "--json")
    prints.command("command/split", "split", "dag.tsv", "--percent", "50", "-o", "dag-split", "--json")
    for path in sorted(Path("dag-split").iterdir()):
        prints.content(f"command/split/{path.name}", path.read_bytes())
    learned = [
        "fit",
        "dag.tsv",
        "--method",
        "hyperbolic-cones",
        "--epochs",
        "60",
        "--init-epochs",
        "20",
        "--quiet",
        "--json",
    ]
    prints.command("command/fit/constructed", "fit", "dag.tsv", "--dim", "5", "-o", "nameless", "--quiet", "--json")
    prints.command("command/fit/learned", *learned, "--dim", "2", "-o", "learned")
    prints.command("command/fit/held-out", *learned, "--split", "dag-split", "-o", "held-out")
    prints.command("command/fit/flat", *learned, "--method", "order", "--dim", "3", "-o", "flat")
    hypercone.fit(hierarchies["dag"], dim=5).save("constructed")
    names = ["constructed", "learned", "held-out", "flat"]
    for name in names:
        prints.embedding(f"loaded/{name}", hypercone.load(name))
    return names


def answers(prints: Fingerprints, folders: list[str]) -> None:
    """What the commands say of each model, for programs and for people."""
    for model in folders:
        for question, asked in QUESTIONS.items():
            prints.command(f"query/{model}/{question}", "query", model, question, *asked, "--json")
            prints.command(f"query/{model}/{question} in words", "query", model, question, *asked, "--long")
        for options in JUDGED:
            prints.command(f"evaluate/{model}/{options}", "evaluate", model, *options.split(), "--json")
        prints.command(f"suggest/{model}", "suggest", model, "--json")
        prints.command(f"suggest/{model} in words", "suggest", model, "--count", "5")
        prints.command(f"compare/{model}", "compare", model, folders[0], "--json", "--sample", "30")
        placed = [f"placed-{model}", "--parent", "n5", "--parent", "n11", "--not-under", "n7", "--label", "new one"]
        if prints.command(f"place/{model}", "place", model, "new", "-o", *placed, "--json"):
            prints.embedding(f"place/{model}/model", hypercone.load(f"placed-{model}"))
        larger = hypercone.load(model).add_many({"new": ["n9"], "newer": ["new", "n4"]}, not_under={"newer": ["n2"]})
        prints.embedding(f"add/{model}", larger)
    prints.command("suggest/checked", "suggest", "learned", "--check", "--quiet", "--json")


def files(prints: Fingerprints) -> None:
    """Exports in every format and every kind of coordinates, pictures, and the data of the explorer's page."""
    for model, form, kind in itertools.product(("constructed", "learned", "flat"), FORMATS, COORDINATES):
        key, path = f"export/{model}/{form}/{kind}", Path(f"{model}-{form}-{kind}.{FORMATS[form]}")
        if prints.command(key, "export", model, str(path), "--format", form, "--coordinates", kind, "--json"):
            for written in sorted(Path().glob(f"{path.stem}.*")):
                prints.content(f"{key}/{written.name}", written.read_bytes())
    for model, kind in itertools.product(("constructed", "learned"), ("disk", "norms")):
        if prints.command(f"plot/{model}/{kind}", "plot", model, "--kind", kind, "-o", f"{model}-{kind}.svg"):
            prints.content(f"plot/{model}/{kind}.svg", Path(f"{model}-{kind}.svg").read_bytes())
        prints.command(f"explore/{model}", "explore", model, "-o", f"{model}.html", "--title", model)
        page = Path(f"{model}.html").read_text(encoding="utf-8")
        prints.content(f"explore/{model}/data", page.rpartition('id="hypercone-data">')[2].partition("<")[0].encode())


def recorded(kept: Path | None = None) -> dict[str, Any]:
    """All fingerprints by key, and what machine they are of."""
    prints = Fingerprints(kept)
    hierarchies = {"tree": small_tree(), "dag": small_dag(), "mammals": hypercone.load_dataset("wordnet-mammals")}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        prints.found["names"] = sorted(hypercone.__all__)
        for command in ("", *COMMANDS):
            prints.command(f"help/{command or 'hypercone'}", *filter(None, [command]), "--help")
        fits(prints, hierarchies)
        answers(prints, models(prints, hierarchies))
        files(prints)
    return {"machine": machine(), "fingerprints": prints.found}


def machine() -> dict[str, str]:
    """What the bits of a result depend on beside the code."""
    packages = {name: version(name) for name in ("numpy", "numba", "llvmlite", "matplotlib", "pyarrow", "safetensors")}
    processor = importlib.import_module("llvmlite.binding").get_host_cpu_name()
    return {"cpu": processor, "system": platform.system(), "python": platform.python_version()} | packages


def differences(before: dict[str, Any], after: dict[str, Any], only: str) -> Iterator[str]:
    """A line for each key that is new, gone or of another value."""
    for key in sorted(key for key in before.keys() | after.keys() if key.startswith(only)):
        if key not in after or key not in before:
            yield f"{key}: is {'gone' if key in before else 'new'}"
        elif before[key] != after[key]:
            yield f"{key}: was {_short(before[key])}, is {_short(after[key])}"


def as_text(found: dict[str, dict[str, Any]]) -> str:
    """JSON with one line for each key, for version control."""
    parts = []
    for name, values in found.items():
        lines = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
        parts.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"


def main() -> int:
    """Record, or record and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="write the fingerprints of the code as it is")
    record.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the JSON file to write")
    compare = commands.add_parser("compare", help="print what is no longer as it was recorded; 1 if anything")
    compare.add_argument("file", type=Path, metavar="FILE", help="what `record` wrote")
    compare.add_argument("--only", default="", metavar="PREFIX", help="keys that begin with this")
    for command in (record, compare):
        command.add_argument("--keep", type=Path, metavar="FOLDER", help="write what the fingerprints are of, too")
    options = parser.parse_args()
    # Before NumPy is loaded: its sums must not depend on how many cores are free; and help is as wide everywhere.
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100"}
    kept = options.keep and options.keep.resolve()
    if options.command == "record":
        output = options.output.resolve()
        found = recorded(kept)
        output.write_text(as_text(found), encoding="utf-8")
        print(f"{len(found['fingerprints']):,} fingerprints of {hypercone.__file__} in {options.output}")
        return 0
    expected = json.loads(options.file.read_text(encoding="utf-8"))
    found = recorded(kept)
    for name, value in expected["machine"].items():
        if found["machine"].get(name) != value:
            print(f"note: recorded with {name} {value}, which is {found['machine'].get(name)} here; bits may differ")
    lines = list(differences(expected["fingerprints"], found["fingerprints"], options.only))
    print("\n".join([*lines, f"{len(lines):,} differences in {hypercone.__file__}"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
