"""From a file to a model to answers and back to files, on the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from tests.support.embeddings import all_files

import hypercone
from hypercone.cli import demo
from hypercone.evaluation import kind_of
from hypercone.methods import METHODS
from hypercone.training.config import OPTIONS


def test_fit_reports_true_pairs_lost_in_a_forest(run, tmp_path):
    (tmp_path / "d.tsv").write_text("parent\tchild\na\tb\na\tc\nb\td\nc\td\n")
    done = run("fit", tmp_path / "d.tsv", "-o", tmp_path / "m", "--method", "nested-caps", "--quiet")
    assert "1 of 5 true pairs" in done.err


def test_info_describes_a_file_a_dataset_and_standard_input(run, process, taxonomy, tmp_path):
    found = run("info", taxonomy, "--json")
    assert found.err == ""
    assert (found.json["nodes"], found.json["edges"]) == (10, 9)
    assert run("info", "tree-2-3", "--json").json["nodes"] == 15
    piped = process("info", "-", "--json", "--format", "tsv", input=taxonomy.read_text(encoding="utf-8"))
    assert piped.json | {"seconds": 0} == found.json | {"seconds": 0}
    (tmp_path / "upside_down.csv").write_text("dog,animal\npoodle,dog\n")
    read = [
        "Read as parent in column 2, child in column 1: 1 root, 3 nodes, 2 edges, for example:",
        "  dog is an animal",
        "  poodle is a dog",
    ]
    assert run("info", tmp_path / "upside_down.csv", "--direction", "child-parent").err.splitlines() == read


def test_json_escapes_letters_only_if_the_stream_cannot_encode_them(process, model):
    utf8, ascii_only = (os.environ | {"PYTHONIOENCODING": encoding} for encoding in ("utf-8", "ascii"))
    given = ("query", model, "nearest", "animal")
    assert '"Löwe"' in process(*given, "--json", env=utf8, encoding="utf-8").out
    plain = process(*given, "--json", env=ascii_only)
    assert "\\u00f6" in plain.out
    assert "Löwe" in {each["name"] for each in plain.json["nearest"]}
    words = process(*given, env=ascii_only)
    assert (words.code, words.err) == (0, "")
    assert "L\\xf6we" in words.out


def test_split_then_fit_on_it_then_evaluate_on_it(run, tmp_path, quick):
    counts = run("split", "tree-3-4", "--percent", "25", "--seed", "3", "-o", tmp_path / "s", "--json").json
    assert (counts["train"], counts["validation"], counts["test"]) == (120 + 76, 15, 15)
    assert len((tmp_path / "s" / "test.tsv").read_text().splitlines()) == 16
    fitted = run("fit", "tree-3-4", "--split", tmp_path / "s", "-o", tmp_path / "m", *quick, "--quiet", "--json").json
    assert 0 < fitted["validation_f1"] <= 1
    given = ("evaluate", tmp_path / "m", "--split", tmp_path / "s", "--all-pairs", "--json")
    found = run(*given).json
    assert {name: found[name] for name in ("precision", "recall", "f1")} == fitted["test"]
    assert (found["positives"], found["negatives"]) == (15, counts["test_negatives"])
    assert found["closure_aware"] is False
    drawn = ("--percent", "25", "--split-seed", "3")
    assert run("fit", "tree-3-4", *drawn, "-o", tmp_path / "m2", *quick, "--json").json["test"] == fitted["test"]
    assert all_files(tmp_path / "m")["model.safetensors"] == all_files(tmp_path / "m2")["model.safetensors"]
    # References add the baselines to the metrics.
    more = run(*given, "--references").json
    added = {name: value for name, value in more.items() if "symbolic" in name or "trivial" in name}
    assert more == found | added
    assert (added["symbolic_f1"], added["all_pairs_symbolic_f1"]) == (1.0, 1.0)
    assert 0 < added["all_pairs_trivial_f1"] < 1
    assert 0 < added["trivial_f1"] < 1


def test_evaluate_on_files_of_pairs_with_a_header_or_by_column(run, model, tmp_path):
    (tmp_path / "true.tsv").write_text("parent\tchild\nanimal\tpoodle\ndog\thot dog\n")
    (tmp_path / "false.tsv").write_text("parent\tchild\npoodle\tanimal\n")
    files = ("--positives", tmp_path / "true.tsv", "--negatives", tmp_path / "false.tsv")
    found = run("evaluate", model, *files, "--json").json
    assert (found["true_positives"], found["false_positives"], found["f1"]) == (2, 0, 1.0)
    none = run("evaluate", model, *files, "--threshold", "-1", "--json").json
    assert (none["true_positives"], none["threshold"]) == (0, -1.0)
    assert "true positives" in run("evaluate", model, *files).out
    (tmp_path / "true.tsv").write_text("x\tpoodle\tdog\nx\tsiamese\tcat\n")
    (tmp_path / "false.tsv").write_text("x\tpoodle\tcat\n")
    found = run("evaluate", model, *files, "--child-column", "2", "--parent-column", "3", "--json").json
    assert (found["positives"], found["negatives"], found["true_positives"]) == (2, 1, 2)


def test_evaluate_finds_the_nodes_of_pairs_by_any_of_their_names(run, tmp_path):
    glossary = hypercone.Glossary.of_rows(3, synonyms={1: ["hound"]}, other_ids={2: ["B:2"]})
    hierarchy = hypercone.Hierarchy(["A:0", "A:1", "A:2"], [[0, 1], [1, 2]], ["animal", "dog", "poodle"], (), glossary)
    folder = hypercone.fit(hierarchy, dim=2).save(tmp_path / "m")
    (tmp_path / "true.tsv").write_text("parent\tchild\nanimal\tB:2\nHound\tA:2\n")
    (tmp_path / "false.tsv").write_text("parent\tchild\npoodle\tdog\n")
    files = ("--positives", tmp_path / "true.tsv", "--negatives", tmp_path / "false.tsv")
    found = run("evaluate", folder, *files, "--json").json
    assert (found["positives"], found["true_positives"], found["false_positives"]) == (2, 2, 0)


def test_evaluate_reconstruction_whatever_the_order_of_the_lines(run, model, taxonomy, tmp_path):
    given = ("evaluate", model, "--json", "--reconstruction")
    found = run(*given, taxonomy).json
    expected = hypercone.evaluation.reconstruction(hypercone.load(model), hypercone.read(taxonomy))
    figures = {f"reconstruction_{name}": value for name, value in expected.as_dict().items()}
    assert found == figures | {"by": "geometry"} | kind_of(hypercone.load(model)).as_dict()
    assert run(*given, taxonomy, "--sample", 4, "--threads", 1).json["reconstruction_nodes"] == 4
    _, *lines = taxonomy.read_text(encoding="utf-8").splitlines()
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("\n".join(",".join(line.split("\t")[::-1]) for line in lines[::-1]), encoding="utf-8")
    assert run(*given, shuffled, "--direction", "child-parent").json == found


def test_export_in_every_format_and_in_other_coordinates(run, model, tmp_path):
    embedding = hypercone.load(model)
    for name in ("p.tsv", "p.npz", "p.vec"):
        found = run("export", model, tmp_path / name, "--json").json
        assert found == {"file": str(tmp_path / name), "nodes": 10, "dim": 2}
    with np.load(tmp_path / "p.npz", allow_pickle=False) as arrays:
        assert arrays["points"].tobytes() == embedding.points.tobytes()
    rows = [line.split("\t") for line in (tmp_path / "p.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    assert {row[0]: [float(cell) for cell in row[1:]] for row in rows}["hot dog"] == embedding["hot dog"].tolist()
    assert run("export", model, tmp_path / "p.data", "--format", "word2vec").code == 0
    assert (tmp_path / "p.data").read_bytes() == (tmp_path / "p.vec").read_bytes()
    run("export", model, tmp_path / "p.npz", "--coordinates", "lorentz")
    with np.load(tmp_path / "p.npz", allow_pickle=False) as arrays:
        assert (arrays["points"] == embedding.to_frame("lorentz").to_numpy()).all()
    found = run("export", model, tmp_path / "p.tsv", "--format", "projector", "--json").json
    assert found["metadata"] == str(tmp_path / "p.metadata.tsv")
    assert len((tmp_path / "p.metadata.tsv").read_text(encoding="utf-8").splitlines()) == 1 + len(embedding)


def test_a_file_of_settings_is_read_and_options_win(run, tmp_path):
    (tmp_path / "run.toml").write_text('dim = 2\nepochs = 7\ninit_epochs = 5\nseed = 4\nmethod = "hyperbolic-cones"\n')
    given = ("--config", tmp_path / "run.toml", "--epochs", "6", "--quiet", "--json")
    run("fit", "tree-2-3", "-o", tmp_path / "m", *given)
    config = hypercone.load(tmp_path / "m").record["config"]
    assert (config["dim"], config["epochs"], config["init_epochs"], config["seed"]) == (2, 6, 5, 4)


def test_the_same_seed_in_two_processes_gives_the_same_bytes_and_another_seed_does_not(
    run, process, taxonomy, tmp_path, quick
):
    for name, seed, start in (("one", 5, process), ("two", 5, run), ("three", 6, run)):
        done = start("fit", taxonomy, "-o", tmp_path / name, *quick, "--seed", seed, "--json")
        assert done.json["nodes"] == 10
    one, two, three = (all_files(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert one["model.safetensors"] != three["model.safetensors"]


def test_fit_writes_a_model_and_prints_one_line_per_value(run, taxonomy, tmp_path, quick):
    found = run("fit", taxonomy, "-o", tmp_path / "m", *quick, "--quiet", "--json").json
    assert (found["model"], found["method"]) == (str(tmp_path / "m"), "hyperbolic-cones")
    assert (found["nodes"], found["dim"]) == (10, 2)
    assert 0 < found["training_f1"] <= 1
    embedding = hypercone.load(tmp_path / "m")
    assert found["threshold"] == embedding.threshold
    assert embedding.record["config"]["epochs"] == 30
    assert embedding.record["hierarchy_digest"] == hypercone.read(taxonomy).digest
    lines = run("fit", taxonomy, "-o", tmp_path / "m", *quick, "--quiet").out.splitlines()
    titles = ["model", "method", "kind", "nodes", "dim", "seconds", "epoch", "threshold", "training f1"]
    headline = ["direct edges", "exact ancestor lists", "all pairs f1"]
    assert [line.split("  ")[0] for line in lines if line and not line.startswith(" ")][:12] == headline + titles
    assert {*headline, *titles} <= {name.replace("_", " ") for name in found}
    caps = run("fit", taxonomy, "-o", tmp_path / "n", "--method", "nested-caps", "--dim", "2", "--json", "--quiet").json
    assert (caps["made_by"], caps["method"], caps["kind"]) == ("nested-caps", "hyperbolic-cones", "constructed")
    assert (caps["direct_edges"], caps["exact_ancestor_lists"], caps["all_pairs_f1"], caps["worst"]) == (1, 1, 1, [])


@pytest.mark.parametrize(
    ("name", "text", "flags", "note"),
    [
        ("twice.csv", "parent,child\na,b\na,b\n", [], "1 duplicate edge dropped"),
        (
            "two.paths",
            "animal > dog > animal\n",
            ["--merge-names"],
            "1 edge that closes a cycle left out: dog → animal (line 1)",
        ),
    ],
)
def test_what_the_reader_left_out_is_printed_and_in_the_json(run, tmp_path, name, text, flags, note):
    (tmp_path / name).write_text(text)
    given = ("info", tmp_path / name, "--on-cycle", "drop", *flags)
    assert f"({note})" in run(*given).err
    found = run(*given, "--json")
    assert found.err == ""
    assert (found.json["duplicates_dropped"], found.json["notes"]) == ((1, []) if "duplicate" in note else (0, [note]))


@pytest.mark.parametrize("method", ["nested-caps", "order"])
def test_what_the_reader_left_out_is_in_the_model_and_fit_prints_it_once(run, tmp_path, method):
    (tmp_path / "loop.csv").write_text("parent,child\na,b\na,c\nb,d\nc,d\nd,a\n")
    given = ("--on-cycle", "drop", "-o", tmp_path / "m", "--method", method, "--dim", "2")
    done = run("fit", tmp_path / "loop.csv", *given, *(("--epochs", "2") if method == "order" else ()))
    note = "1 edge that closes a cycle left out: d → a (line 6)"
    assert done.err.count(note) == 1
    found = run("info", tmp_path / "m", "--json").json
    assert found["notes"][0] == note
    assert note in run("info", tmp_path / "m").out
    # The notes of the fit itself follow, and are printed as well.
    own = found["notes"][1:]
    assert bool(own) == (method == "nested-caps")
    assert [line for line in done.err.splitlines() if line in own] == own


def test_every_setting_and_method_is_in_the_help_of_fit(run):
    text = " ".join(run("fit", "--help").out.split())
    for name, option in OPTIONS.items():
        assert f"--{name.replace('_', '-')} " in text
        assert " ".join(option.reason.split()[:3]) in text
    assert all(method in text for method in METHODS)


def test_demo_fits_tests_asks_and_saves(run, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "QUESTIONS", (("descendants", ["r"]), ("ancestors", ["r.0.0.0"])))
    done = run("demo", "--source", "tree-2-3", "-o", tmp_path / "d")
    assert done.code == 0
    assert "tree-2-3: 15 nodes" in done.out
    for name in ("hyperbolic-cones", "poincare"):
        assert any(line.strip().startswith(name) and "F1" in line for line in done.out.splitlines())
    assert f"Saved in {tmp_path / 'd'}/" in done.out
    assert len(hypercone.load(tmp_path / "d")) == 15
    below, above = re.findall(r"\(the graph has (\d+) (\w+): (\d+) are among these (\d+)\)", done.out)
    assert (below[:2], above[:2]) == (("14", "descendants"), ("3", "ancestors"))
    for true, _, correct, given in (below, above):
        assert 0 < int(correct) <= min(int(true), int(given))


def test_the_program_runs_as_a_command_and_as_a_module(process):
    assert process("--version").out == f"hypercone {hypercone.__version__}\n"
    given = [sys.executable, "-m", "hypercone.cli.main", "info", "tree-2-3", "--json"]
    done = subprocess.run(given, capture_output=True, check=True)
    assert json.loads(done.stdout)["nodes"] == 15
