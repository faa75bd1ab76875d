"""The comparison with networkx notices every kind of wrong answer."""

from __future__ import annotations

import pytest
from benchmarks.quality import facts

import hypercone


@pytest.fixture
def pets() -> hypercone.Hierarchy:
    edges = [("animal", "pet"), ("animal", "dog"), ("pet", "dog"), ("pet", "cat"), ("dog", "poodle")]
    return hypercone.Hierarchy.from_pairs(edges)


def test_the_judge_knows_the_relatives_in_the_transitive_reduction_by_depth(pets):
    judge = facts.Judge(pets)
    assert (judge.redundant, judge.several_parents) == (1, 0)
    expected = {
        "parents": [[], ["animal"], ["pet"], ["pet"], ["dog"]],
        "children": [["pet"], ["dog", "cat"], ["poodle"], [], []],
        "siblings": [[], [], ["cat"], ["dog"], []],
        "ancestors": [[], ["animal"], ["animal", "pet"], ["animal", "pet"], ["animal", "pet", "dog"]],
        "descendants": [["pet", "dog", "cat", "poodle"], ["dog", "cat", "poodle"], ["poodle"], [], []],
    }
    for question in facts.QUESTIONS:
        judge.turn_to(question)
        assert judge.expected == expected[question]


@pytest.mark.parametrize(
    ("answer", "by", "noticed"),
    [
        (["dog", "cat"], "graph", {}),
        (["cat", "dog"], "graph", {"out_of_order": 1}),
        (["dog", "cat"], "geometry", {"not_by_graph": 1}),
        (["dog"], "graph", {"different": 1}),
        (["dog", "cat", "cat"], "graph", {"different": 1}),
        (["dog", "cat", "poodle"], "graph", {"different": 1}),
    ],
)
def test_a_missing_a_second_a_wrong_and_a_misplaced_node_are_noticed(answer, by, noticed, pets):
    judge, counts = facts.Judge(pets), facts.Counts()
    judge.turn_to("children")
    counts.compare("children", judge, [1], iter([(answer, by)]))
    row = {"source": "pets", "method": "m", "default_by": "graph", "interfaces": {"HTTP": counts.as_row()}}
    assert {kind: facts.total([row], "HTTP", kind) for kind in facts.KINDS[1:]} == dict.fromkeys(
        facts.KINDS[1:], 0
    ) | noticed
    assert len(facts.problems([row])) == len(noticed)


def test_batches_list_no_more_than_the_service_allows_and_leave_nobody_out(pets):
    judge = facts.Judge(pets)
    judge.turn_to("descendants")
    assert list(judge.batches(range(5), 10, 4)) == [[0], [1, 2, 3, 4]]
    assert list(judge.batches(range(5), 2, 100)) == [[0, 1], [2, 3], [4]]
    assert list(judge.batches([0], 2, 1)) == [[0]]
