"""The names of version 0.1 keep working for one release, with a warning that states the new name."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hypercone
from hypercone import _old_names
from hypercone.cli.main import main
from hypercone.queries.suggestions import MissingLink, WrongLink

PETS = [("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("dog", "corgi")]
CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


@pytest.fixture(scope="module")
def pets():
    return hypercone.Hierarchy.from_pairs(PETS)


@pytest.fixture(scope="module")
def embedding(pets):
    return hypercone.fit(pets, dim=2)


def old(name):
    with pytest.warns(DeprecationWarning, match=rf"^hypercone\.{name} is deprecated and goes in version 1\.1; use "):
        return getattr(hypercone, name)


@pytest.mark.parametrize("name", sorted(_old_names.NEW_NAMES))
def test_an_old_name_works_with_a_warning_that_states_the_new_one_as_the_changelog_does(name):
    assert name not in hypercone.__all__
    with pytest.warns(DeprecationWarning, match=re.escape(_old_names.NEW_NAMES[name])):
        assert getattr(hypercone, name) is getattr(_old_names, name)
    table = CHANGELOG.read_text(encoding="utf-8").partition("## Moving from 0.1")[2]
    assert re.search(rf"\| `[^|]*\b{name}\b[^|]*\|", table)


def test_the_old_functions_give_the_results_of_the_new_ones(pets, embedding, tmp_path):
    assert old("describe")(pets).nodes == pets.summary().nodes
    assert (old("paper_split")(pets, 50, seed=3).train == pets.split(50, 3).train).all()
    assert old("dataset_names")() == hypercone.datasets()
    (tmp_path / "pets.csv").write_text("up,down\n" + "".join(f"{a},{b}\n" for a, b in PETS))
    for read in (old("read_edges"), old("read_hierarchy")):
        assert read(tmp_path / "pets.csv", parent_column="up", child_column="down") == pets
    assert old("suggest")(embedding, count=3) == embedding.suggest(3)
    assert old("compare")(embedding, embedding) == embedding.compare(embedding)
    assert old("evaluate_all_pairs")(embedding) == hypercone.evaluation.all_pairs(embedding)
    assert old("evaluate_hard")(embedding) == hypercone.evaluation.hard_pairs(embedding)
    assert old("evaluate_reconstruction")(embedding, pets) == hypercone.evaluation.reconstruction(embedding)
    run = old("Run")(tmp_path / "run", epochs=3, seconds=2.0)
    assert (run.resume, run.every_epochs, run.every_seconds) == (False, 3, 2.0)


@pytest.mark.parametrize(("before", "now"), [("construction", "nested-caps"), ("overlapping", "overlapping-caps")])
def test_the_old_names_of_constructions_work(pets, before, now, tmp_path, capsys):
    with pytest.warns(DeprecationWarning, match=f'^method="{before}" is deprecated .* use method="{now}"$') as seen:
        embedding = hypercone.fit(pets, before, dim=2)
    # The warning points to the line of the caller.
    assert [warning.filename for warning in seen] == [__file__]
    assert (embedding.made_by, embedding.record["config"]["method"]) == (now, now)
    with pytest.warns(DeprecationWarning, match=f'^init="{before}" is deprecated'):
        hypercone.fit(pets, "hyperbolic-cones", dim=2, init=before, epochs=1)
    given = ["fit", "tree-2-3", "-o", str(tmp_path / "model"), "--method", before, "--dim", "2", "--quiet"]
    assert main(given) == 0
    assert f"note: --method {before} is called --method {now} now" in capsys.readouterr().err


def test_a_model_with_an_old_name_in_its_record_is_loaded(embedding, tmp_path):
    record = embedding.record | {"config": embedding.record["config"] | {"method": "overlapping"}}
    hypercone.Embedding(
        embedding.names, embedding.points, embedding.method, embedding.settings, 0.0, record, edges=embedding.edges
    ).save(tmp_path / "old")
    assert hypercone.load(tmp_path / "old").made_by == "overlapping-caps"


def test_the_old_arguments_of_a_fit_still_work(pets, tmp_path):
    seen = []
    config = old("FitConfig")(method="order", dim=2, epochs=2)
    with pytest.warns(DeprecationWarning, match="recipe="):
        first = hypercone.fit(pets, config)
    with pytest.warns(DeprecationWarning, match="callback="):
        second = hypercone.fit(pets, "order", dim=2, epochs=2, on_epoch=seen.append)
    with pytest.warns(DeprecationWarning, match="checkpoint="):
        third = hypercone.fit(pets, "order", dim=2, epochs=2, run=hypercone.Checkpointing(tmp_path / "run"))
    assert np.array_equal(first.points, second.points)
    assert np.array_equal(first.points, third.points)
    assert [event.epoch for event in seen] == [1, 2]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_and_a_new_argument_that_disagree_are_refused(pets, tmp_path):
    with pytest.raises(hypercone.ConfigError, match="on_epoch is an old name of callback, which is given as well"):
        hypercone.fit(pets, "order", epochs=1, on_epoch=print, callback=repr)
    run = hypercone.Checkpointing(tmp_path / "a")
    with pytest.raises(hypercone.ConfigError, match="run is an old name of checkpoint"):
        hypercone.fit(pets, "order", epochs=1, run=run, checkpoint=tmp_path / "b")


def test_a_toml_file_may_use_old_names(pets, tmp_path):
    (tmp_path / "old.toml").write_text('method = "construction"\ndim = 2\n')
    with pytest.warns(DeprecationWarning, match="nested-caps"):
        assert hypercone.fit(pets, recipe=tmp_path / "old.toml").made_by == "nested-caps"


def test_the_old_methods_of_embeddings_and_hierarchies_still_work(embedding, pets):
    with pytest.warns(DeprecationWarning, match=r"use Embedding\.to_sparse"):
        assert (embedding.relation() != embedding.to_sparse()).nnz == 0
    with pytest.warns(DeprecationWarning, match=r"use Embedding\.ancestors"):
        assert embedding.ancestors_of_many(["poodle"]) == embedding.ancestors(["poodle"]) == [["animal", "dog"]]
    with pytest.warns(DeprecationWarning, match=r"use Embedding\.descendants"):
        assert embedding.descendants_of_many(["dog"]) == [embedding.descendants("dog")]
    with pytest.warns(DeprecationWarning, match="use k="):
        assert embedding.nearest("dog", count=2) == embedding.nearest("dog", 2)
    with pytest.warns(DeprecationWarning, match=r"use Hierarchy\(names, edges\)"):
        assert hypercone.Hierarchy.from_rows(pets.names, pets.edges) == pets
    with pytest.warns(DeprecationWarning, match=r"use Hierarchy\.drop"):
        assert pets.without(["dog"]) == pets.drop(["dog"])
    with pytest.warns(DeprecationWarning, match=r"use hypercone\.hierarchy\.LabeledPairs"):
        assert hypercone.hierarchy.LabelledPairs is hypercone.LabeledPairs


def test_the_old_names_of_results_and_options_and_old_values_still_work(embedding, tmp_path, capsys):
    missing = MissingLink("dog", "pet", None, None, 0.5, "additional", 0.25, 0.1)
    wrong = WrongLink("dog", "stone", None, None, 0.5, 0.25, 0.1, 0.3)
    for link, names in ((missing, ("score", "company")), (wrong, ("strain", "company"))):
        for name in names:
            with pytest.warns(DeprecationWarning, match=f"{name} is deprecated"):
                assert getattr(link, name) >= 0
    with pytest.warns(DeprecationWarning, match="use neighbor_overlap"):
        assert embedding.compare(embedding).neighbour_overlap == 1.0
    with pytest.warns(DeprecationWarning, match="use center="):
        embedding.plot(path=tmp_path / "disk.svg", centre="dog")
    embedding.save(tmp_path / "model")
    assert main(["plot", str(tmp_path / "model"), "-o", str(tmp_path / "d.svg"), "--colour", "depth"]) == 0
    (tmp_path / "pets.tsv").write_text("parent\tchild\nanimal\tdog\n")
    with pytest.warns(DeprecationWarning, match='use on_cycle="error"'):
        hypercone.read(tmp_path / "pets.tsv", on_cycle="refuse")
    assert main(["evaluate", str(tmp_path / "model"), "--all-pairs", "--by", "depth"]) == 0
    assert main(["info", str(tmp_path / "pets.tsv"), "--on-cycle", "refuse"]) == 0
    said = capsys.readouterr().err
    assert "note: --colour is called --color now" in said
    assert "note: --by is called --group-by now" in said
    assert "note: --on-cycle refuse is called --on-cycle error now" in said


@pytest.mark.parametrize("name", ["evaluate", "evaluate_all_pairs", "evaluate_hard", "evaluate_reconstruction"])
def test_the_old_names_in_the_evaluation_module_work(name):
    with pytest.warns(DeprecationWarning, match=rf"^hypercone\.evaluation\.{name} is deprecated"):
        assert callable(getattr(hypercone.evaluation, name))
    for module in (hypercone.evaluation, hypercone.hierarchy):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = module.nothing
