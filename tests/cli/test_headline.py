"""The headline on the command line: fit, info, evaluate and the card say the same, in the same words."""

from __future__ import annotations

import json

import pytest

import hypercone
from hypercone.cli import fit as fit_command
from hypercone.evaluation import headline, link_prediction

# A forest cannot hold both parents of the tamagotchi, and two edges follow from others.
PETS = "thing,pet\nthing,toy\npet,tamagotchi\ntoy,tamagotchi\npet,dog\nthing,dog\ndog,poodle\nthing,poodle\n"
TITLES = ("direct edges", "exact ancestor lists", "all pairs f1")
REDUNDANT = [
    "'dog is a thing' follows from 'dog is a pet'",
    "'poodle is a thing' follows from 'poodle is a dog'",
]
FOREST = ("--method", "nested-caps", "--dim", 2)


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("parent,child\n" + PETS)
    return path


def lines_of(text: str) -> dict[str, str]:
    """The aligned lines of an answer by title."""
    pairs = (line.split("  ", 1) for line in text.split("\n\n")[0].splitlines())
    return {title: value.strip() for title, value in pairs}


def test_fit_info_evaluate_and_the_card_lead_with_the_same_headline(run, pets, tmp_path):
    fitted = run("fit", pets, "-o", tmp_path / "m", *FOREST, "--quiet").out
    expected = {
        "direct edges": "83.33 % hold in the geometry (5 of 6)",
        "exact ancestor lists": "83.33 % of the nodes by geometry (5 of 6)",
        "all pairs f1": "94.74 % by geometry (precision 100.00 %, recall 90.00 %)",
    }
    worst = "\nWrong by geometry are the ancestors of 1 node, most of all:\n  tamagotchi: 1 missing (toy)\n"
    for out in (fitted, run("info", tmp_path / "m").out, run("evaluate", tmp_path / "m").out):
        assert list(lines_of(out).items())[:3] == list(expected.items())
        assert out.endswith(worst)
    card = (tmp_path / "m" / "README.md").read_text().splitlines()
    assert card[4:7] == [f"| {title} | {line} |" for title, line in expected.items()]
    figures = [
        run(*given, "--json").json
        for given in (
            ("info", tmp_path / "m"),
            ("evaluate", tmp_path / "m"),
            ("fit", pets, "-o", tmp_path / "n", *FOREST),
        )
    ]
    for found in figures:
        assert list(found)[:3] == ["direct_edges", "exact_ancestor_lists", "all_pairs_f1"]
        assert (found["direct_edges"], found["wrong_nodes"], found["worst"][0]["name"]) == (5 / 6, 1, "tamagotchi")


@pytest.mark.parametrize(
    ("given", "method", "kind"),
    [
        (FOREST, "nested-caps (hyperbolic-cones)", "constructed"),
        (("--dim", 3), "overlapping-caps (hyperbolic-cones)", "constructed, closure-aware"),
        (("--method", "order", "--epochs", 3), "order", "learned, closure-aware"),
        (("--method", "hyperbolic-cones", "--init", "nested-caps", "--epochs", 3), "hyperbolic-cones", "learned from"),
    ],
)
def test_fit_info_and_the_card_call_the_method_and_the_kind_by_the_same_words(run, pets, tmp_path, given, method, kind):
    fitted = lines_of(run("fit", pets, "-o", tmp_path / "m", *given, "--quiet").out)
    about = lines_of(run("info", tmp_path / "m").out)
    assert (fitted["method"], fitted["kind"]) == (about["method"], about["kind"])
    assert fitted["method"] == method
    assert fitted["kind"].startswith(kind)
    card = (tmp_path / "m" / "README.md").read_text()
    assert card.startswith(f"# 6 nodes as {method} in {fitted['dim']} dimensions\n")
    assert f"An embedding made by hypercone: {fitted['kind']}.\n" in card
    found = run("info", tmp_path / "m", "--json").json
    made_by, _, rest = method.partition(" (")
    assert (found["made_by"], found["method"]) == (made_by, rest.removesuffix(")") or made_by)
    assert found["kind"] == fitted["kind"]


def test_info_of_a_model_tells_what_it_holds_and_what_answers(run, pets, tmp_path):
    model = hypercone.fit(pets, "nested-caps", dim=2).add("beagle", "dog")
    found = run("info", model.save(tmp_path / "m"), "--json").json
    expected = {"answers_by": "graph", "nodes": 7, "dim": 2, "edges": 9, "threshold": 0.0, "placed_nodes": 1}
    assert {name: found[name] for name in expected} == expected
    assert found["notes"] == model.record["notes"] != []
    # The headline of the fit has one node less, so it is counted again.
    assert (found["direct_edges_given"], found["direct_edges"]) == (7, headline(model).direct_edges)
    assert found["notes"][0] in run("info", tmp_path / "m").out
    folder = hypercone.Embedding(["a"], [[0.5, 0.0]], "hyperbolic-cones", model.settings, 0.0).save(tmp_path / "bare")
    bare = run("info", folder)
    assert lines_of(bare.out) == {
        "model": str(folder),
        "method": "hyperbolic-cones",
        "kind": "given",
        "answers by": "geometry",
        "nodes": "1",
        "dim": "2",
        "edges": "-",
        "threshold": "0",
        "placed nodes": "0",
    }


def test_a_model_learned_from_a_split_has_a_headline_of_the_whole_graph_apart_from_its_test(run, tmp_path, quick):
    given = ("fit", "tree-3-4", "--percent", 50, "-o", tmp_path / "m", *quick, "--quiet")
    found, text = run(*given, "--json").json, run(*given).out
    model, tree = hypercone.load(tmp_path / "m"), hypercone.load_dataset("tree-3-4")
    assert (found["held_out_pairs_included"], found["direct_edges_given"]) == (True, 120)
    assert found["all_pairs_f1"] == headline(model, tree).f1
    assert found["test"]["f1"] == link_prediction(model, tree.split(50).test).f1
    assert lines_of(text)["all pairs f1"].endswith("held-out pairs included")
    assert "test" in lines_of(text)
    about = run("info", tmp_path / "m", "--json").json
    assert (about["answers_by"], about["all_pairs_f1"]) == ("geometry", found["all_pairs_f1"])


def test_missed_writes_one_line_for_each_wrong_pair(run, tmp_path):
    labeled = tmp_path / "labeled.csv"
    labels = {"dog": "Dog", "poodle": "Poodle, a"}
    rows = [(*line.split(","), labels.get(line.split(",")[1], "")) for line in PETS.splitlines()]
    labeled.write_text("parent,child,label\n" + "".join(f'{up},{down},"{label}"\n' for up, down, label in rows))
    given = ("--label-column", "label", "--method", "hyperbolic-cones", "--dim", 2, "--epochs", 2, "--quiet")
    assert run("fit", labeled, "-o", tmp_path / "m", *given, "--missed", tmp_path / "f.tsv").code == 0
    model = hypercone.load(tmp_path / "m")
    head, *lines = (tmp_path / "f.tsv").read_text(encoding="utf-8").splitlines()
    assert head.split("\t") == ["node", "label", "wrong", "ancestor", "ancestor_label"]
    written = {tuple(line.split("\t")) for line in lines}
    expected = set()
    for name in model.names:
        graph, geometry = set(model.hierarchy.ancestors(name)), set(geometric_ancestors(model, name))
        for kind, others in (("missing", graph - geometry), ("extra", geometry - graph)):
            expected |= {(name, labels.get(name, ""), kind, other, labels.get(other, "")) for other in others}
    assert written == expected != set()
    assert len(lines) == len(written)
    assert run("evaluate", tmp_path / "m", "--missed", tmp_path / "e.tsv", "--all-pairs").code == 0
    assert (tmp_path / "e.tsv").read_bytes() == (tmp_path / "f.tsv").read_bytes()


def geometric_ancestors(model, name):
    return [other for other in model.names if other != name and model.energy(name, other) <= model.threshold]


def test_the_file_of_a_model_without_a_wrong_pair_has_a_header_only(run, tmp_path):
    run("fit", "tree-2-3", "-o", tmp_path / "m", "--missed", tmp_path / "missed.tsv", "--quiet")
    assert (tmp_path / "missed.tsv").read_text() == "node\tlabel\twrong\tancestor\tancestor_label\n"


def test_evaluate_is_always_by_geometry_and_says_so(run, pets, tmp_path):
    model = hypercone.fit(pets, "nested-caps", dim=2).save(tmp_path / "m")
    for given in ((), ("--all-pairs",), ("--hard",), ("--reconstruction", pets)):
        assert run("evaluate", model, *given, "--json").json["by"] == "geometry"
        assert lines_of(run("evaluate", model, *given).out)["by"] == "geometry"
    renamed = run("evaluate", model, "--all-pairs", "--by", "depth")
    assert (renamed.code, "--by is called --group-by now" in renamed.err) == (0, True)


def test_evaluate_at_another_threshold_counts_at_that_threshold(run, pets, tmp_path):
    folder = hypercone.fit(pets, "nested-caps", dim=2).save(tmp_path / "m")
    assert run("evaluate", folder, "--threshold", 4, "--json").json["wrong_nodes"] == 6
    assert run("evaluate", folder, "--threshold", -1, "--json").json["direct_edges"] == 0


def test_redundant_edges_are_reported_as_sentences(run, pets, tmp_path):
    found = run("info", pets, "--json").json
    assert (found["redundant_edges"], found["redundant_examples"]) == (2, REDUNDANT)
    assert run("info", pets).out.endswith(f"for example:\n  {REDUNDANT[0]}\n  {REDUNDANT[1]}\n")
    assert lines_of(run("info", pets).out)["redundant edges"] == "2"
    fitted = run("fit", pets, "-o", tmp_path / "m", "--quiet").out
    assert lines_of(fitted)["redundant edges"] == f"2, such as: {REDUNDANT[0]}"
    none = run("info", "tree-2-3", "--json").json
    assert (none["redundant_edges"], none["redundant_examples"]) == (0, [])
    assert "redundant edges" not in lines_of(run("fit", "tree-2-3", "-o", tmp_path / "n", "--quiet").out)


def test_a_model_is_saved_without_its_headline_if_counting_is_interrupted(run, pets, tmp_path, monkeypatch):
    def interrupt(embedding):
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_command, "known_headline", interrupt)
    done = run("fit", pets, "-o", tmp_path / "m", "--method", "order", "--epochs", 2, "--quiet")
    assert (done.code, "without its headline" in done.err) == (130, True)
    assert "headline" not in hypercone.load(tmp_path / "m").record
    assert lines_of(run("info", tmp_path / "m").out).keys() >= set(TITLES)


def test_the_record_in_the_folder_is_small_and_the_same_from_python_and_the_shell(run, pets, tmp_path):
    run("fit", pets, "-o", tmp_path / "shell", "--quiet")
    hypercone.fit(pets).save(tmp_path / "python")
    shell, python = (json.loads((tmp_path / name / "config.json").read_text()) for name in ("shell", "python"))
    assert shell == python
    assert len(json.dumps(shell["record"]["headline"])) < 4_000
