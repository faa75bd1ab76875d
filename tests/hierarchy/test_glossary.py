"""Glossaries: one entry per row through every part of a hierarchy, immutable, and equal only if all entries are."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import hypercone
from hypercone.errors import HierarchyError
from hypercone.hierarchy import Glossary, Hierarchy, Obsolete
from hypercone.hierarchy.glossary import Entries

NAMES = ["A:1", "A:2", "A:3"]
EDGES = [[0, 1], [1, 2]]


@pytest.fixture
def glossary():
    return Glossary.of_rows(
        3, {0: "A part.", 2: "It\n pumps."}, {2: ["cor", " "]}, {1: ["B:7"]}, {"A:9": Obsolete("pump", ("A:3",))}
    )


def test_a_hierarchy_carries_its_glossary_into_every_part_of_it(glossary):
    organs = Hierarchy(NAMES, EDGES, glossary=glossary)
    assert organs.definitions == {"A:1": "A part.", "A:3": "It pumps."}
    assert organs.glossary.synonyms == ((), (), ("cor",))
    below = organs.subtree("A:2")
    assert (below.definitions, below.row("cor"), below.row("B:7")) == ({"A:3": "It pumps."}, 1, 0)
    assert organs.drop(["A:1"]).glossary == below.glossary
    assert below.glossary.obsolete == glossary.obsolete
    assert Hierarchy(NAMES, EDGES).definitions == {}


def test_a_fit_new_nodes_and_the_models_hierarchy_have_the_glossary(glossary):
    model = hypercone.fit(Hierarchy(NAMES, EDGES, glossary=glossary), dim=2)
    assert model.glossary == model.hierarchy.glossary == glossary
    more = model.add("A:4", "A:3")
    assert more.glossary.definitions == ("A part.", "", "It pumps.", "")
    assert (more.row("cor"), more.search("co")) == (2, ["A:3"])
    learned = hypercone.fit(Hierarchy(NAMES, EDGES, glossary=glossary), "hyperbolic-cones", dim=2, epochs=1)
    assert learned.glossary == glossary


def test_a_glossary_is_immutable_picklable_and_compared_by_all_of_its_entries(glossary):
    for same in (copy.deepcopy(glossary), pickle.loads(pickle.dumps(glossary))):
        assert (same, hash(same), same.digest) == (glossary, hash(glossary), glossary.digest)
    with pytest.raises(TypeError):
        glossary.obsolete["A:8"] = Obsolete()
    with pytest.raises(AttributeError):
        glossary.definitions = ()
    others = [
        Glossary.of_rows(3),
        Glossary.of_rows(4, {0: "A part."}),
        Glossary(glossary.definitions, glossary.synonyms, glossary.other_ids),
        Glossary(glossary.definitions, glossary.synonyms, glossary.other_ids, glossary.obsolete, {"a": "http://a/"}),
    ]
    assert glossary not in others
    assert len({glossary.digest, *(other.digest for other in others)}) == 5


def test_a_glossary_must_have_one_entry_per_node(glossary):
    with pytest.raises(HierarchyError, match="there are 1 definition, 0 lists of synonyms and 0 of other ids"):
        Glossary(("x",), (), ())
    with pytest.raises(HierarchyError, match="an entry is about row 3, but there are rows 0 … 2"):
        Glossary.of_rows(3, {3: "x"})
    with pytest.raises(HierarchyError, match="the glossary has 3 rows for 2 nodes; give each one"):
        Hierarchy(NAMES[:2], EDGES[:1], glossary=glossary)
    with pytest.raises(HierarchyError, match=r"give a hypercone\.Glossary"):
        Hierarchy(NAMES, EDGES, glossary={"A:1": "A part."})
    assert Hierarchy(NAMES, EDGES, glossary=Glossary.of_rows(3)).glossary is None


def test_a_synonym_that_repeats_the_name_the_label_or_another_synonym_is_left_out():
    entries = Entries(synonyms={"A:3": ["cor", "heart", "A:3", "cor"]}, definitions={"B:1": "Elsewhere."})
    found = Glossary.of_names(entries, NAMES, {"A:3": "heart"})
    assert found.synonyms == ((), (), ("cor",))
    assert found.definitions == ("", "", "")
    assert Glossary.of_names(Entries(definitions={"B:1": "Elsewhere."}), NAMES, {}) is None


def test_runs_of_hierarchies_that_differ_in_the_glossary_differ(glossary):
    from hypercone.training.config import FitConfig
    from hypercone.training.fitting import identity_of

    with_one, without = Hierarchy(NAMES, np.array(EDGES), glossary=glossary), Hierarchy(NAMES, np.array(EDGES))
    assert with_one == without
    assert identity_of(with_one, FitConfig(), None, None) != identity_of(without, FitConfig(), None, None)


def test_runs_of_hierarchies_that_differ_in_their_notes_differ():
    from hypercone.training.config import FitConfig
    from hypercone.training.fitting import identity_of

    first, second = (Hierarchy(NAMES, np.array(EDGES), notes=notes) for notes in (["1 term skipped"], []))
    assert identity_of(first, FitConfig(), None, None) != identity_of(second, FitConfig(), None, None)
