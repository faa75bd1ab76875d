"""hypercone evaluate: hard pairs, breakdowns, reference lines, and what the model used."""

from __future__ import annotations

import pytest

import hypercone
from hypercone.evaluation import all_pairs, hard_pairs, kind_of


def test_hard_pairs_as_a_program_reads_them(process, model):
    found = process("evaluate", model, "--hard", "--json").json
    expected = hypercone.evaluation.hard_pairs(hypercone.load(model))
    assert found["hard_f1"] == expected.f1
    assert found["hard_negatives"] == sum(found[f"hard_{kind}_pairs"] for kind in expected.kinds)
    for kind, figures in expected.kinds.items():
        assert (found[f"hard_{kind}_called"], found[f"hard_{kind}_rate"]) == (figures.called, figures.rate)
    assert {name: found[name] for name in ("kind", "closure_aware")} == kind_of(hypercone.load(model)).as_dict()


def test_hard_pairs_as_people_read_them(process, model):
    done = process("evaluate", model, "--hard", "--group-by", "parents", "--references")
    assert (done.code, done.err) == (0, "")
    lines = dict(line.split("  ", 1) for line in done.out.splitlines())
    assert lines["hard symbolic f1"].strip() == "100.00 %"
    assert lines["hard one parent"].strip().endswith("true pairs")
    assert lines["closure aware"].strip() in {"yes", "no"}
    assert "hard parents siblings rate" in lines


@pytest.mark.parametrize("by", ["depth", "parents"])
def test_a_breakdown_goes_with_both(run, model, by):
    found = run(
        "evaluate", model, "--all-pairs", "--hard", "--group-by", by, "--threshold", 0.1, "--seed", 2, "--json"
    ).json
    embedding = hypercone.load(model)
    assert found[f"all_pairs_by_{by}"] == all_pairs(embedding, threshold=0.1, group_by=by).as_dict()["groups"]
    assert found[f"hard_by_{by}"] == hard_pairs(embedding, threshold=0.1, seed=2, group_by=by).as_dict()["groups"]
    groups = found[f"all_pairs_by_{by}"].values()
    assert sum(group["false_positives"] for group in groups) == found["all_pairs_false_positives"]


def test_a_line_for_each_depth(run, model):
    out = run("evaluate", model, "--all-pairs", "--group-by", "depth").out
    assert [line.split("  ")[0] for line in out.splitlines() if " depth " in line] == [
        f"all pairs depth {depth}" for depth in range(5)
    ]


def test_reference_lines_stand_beside_what_they_are_compared_with(run, tmp_path, quick):
    run("split", "tree-3-4", "--percent", "25", "-o", tmp_path / "s")
    run("fit", "tree-3-4", "--split", tmp_path / "s", "-o", tmp_path / "m", *quick, "--quiet")
    given = ("evaluate", tmp_path / "m", "--split", tmp_path / "s", "--all-pairs", "--json")
    found = run(*given, "--references").json
    assert (found["symbolic_f1"], found["all_pairs_symbolic_f1"]) == (1.0, 1.0)
    assert 0 < found["all_pairs_trivial_f1"] < 1
    assert 0 < found["trivial_f1"] < 1
    assert found["closure_aware"] is False
    without = run(*given).json
    assert without == {name: value for name, value in found.items() if "symbolic" not in name and "trivial" not in name}


def test_a_sample_of_hard_pairs_depends_on_the_seed(run, model):
    def drawn(seed):
        return run("evaluate", model, "--hard", "--sample", 5, "--seed", seed, "--json").json

    assert drawn(1)["hard_positives"] == 5
    assert drawn(1) == drawn(1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--group-by", "depth"), "say what to evaluate on"),
        (("--group-by", "colour", "--hard"), "invalid choice: 'colour'"),
        (("--group-by",), "expected one argument"),
        (("--references",), "--references needs --all-pairs, --hard or --split"),
        (("--hard", "--sample", "0"), "sample is 0, but must be at least 1"),
        (("--hard", "--sample", "many"), "invalid int value: 'many'"),
        (("--hard", "--seed", "-1"), "seed is -1, but must be at least 0"),
        (("--hard", "--threshold", "nan"), "--threshold is nan"),
        (("--all-pairs", "--group-by", "parents", "--threshold", "inf"), "--threshold is inf"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_sentence(process, model, arguments, words):
    done = process("evaluate", model, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("hypercone: ")
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_model_without_edges_is_asked_for_them(process, model, tmp_path):
    embedding = hypercone.load(model)
    bare = hypercone.Embedding(embedding.names, embedding.points, embedding.method, embedding.settings, 0.0)
    bare.save(tmp_path / "bare")
    for option in ("--hard", "--all-pairs"):
        done = process("evaluate", tmp_path / "bare", option)
        assert done.code == 2
        assert "the model does not know its edges" in done.err


def test_a_record_that_says_nonsense_is_refused(process, model, tmp_path):
    embedding = hypercone.load(model)
    embedding.record["kind"] = "dreamed"
    embedding.save(tmp_path / "odd")
    done = process("evaluate", tmp_path / "odd", "--hard")
    assert (done.code, done.out) == (2, "")
    assert "its kind is 'dreamed'" in done.err
