"""A node is found in the page by any of its names, as in Python, and the panel shows what its name means."""

from __future__ import annotations

import pytest
from tests.support.hostile_names import HOSTILE_NAMES

import hypercone
from hypercone import Hierarchy
from hypercone.embedding import Embedding
from hypercone.hierarchy.glossary import Glossary, Obsolete
from hypercone.hierarchy.lookup import find_rows
from hypercone.hierarchy.names import NodeNames

NAMES = ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", "HP:6", "HP:7", "zoo:pain"]
LABELS = ["All", "Heart disease", "Lung disease", "Myocardial infarction", "Finding", "Pain", "Pain", "Ache"]
EDGES = [[0, 1], [0, 2], [1, 3], [3, 4], [4, 5], [2, 6], [0, 7]]
DEFINITION = "Necrosis of the heart muscle."


@pytest.fixture(scope="module")
def phenotypes() -> Embedding:
    glossary = Glossary.of_rows(
        len(NAMES),
        {3: DEFINITION},
        {3: ["Heart attack", "MI", "Cafe\u0301"], 7: ["pain", "heart disease"]},
        {2: ["HP:99"], 3: ["HP:98", "HP:97"]},
        {
            "HP:50": Obsolete("Old heart", ("HP:99",)),
            "HP:51": Obsolete("", (), ("HP:2", "HP:404")),
            "HP:52": Obsolete(),
        },
        {"zoo": "http://a/#"},
    )
    graph = Hierarchy(NAMES, EDGES, LABELS, glossary=glossary)
    return hypercone.fit(graph, method="nested-caps", dim=2)


def _options(opened, query: str) -> list[str]:
    opened.find("#query").fill(query)
    return [" ".join(text.split()) for text in opened.find("#results [role=option]").all_inner_texts()]


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("heart att", ["Heart attack → Myocardial infarction HP:4"]),
        ("hp:99", ["HP:99 → Lung disease HP:3"]),
        ("caf\u00e9", ["Cafe\u0301 → Myocardial infarction HP:4"]),
        ("myocardial", ["Myocardial infarction HP:4"]),
        ("HP_4", ["Myocardial infarction HP:4"]),
        ("http://a/#pain", ["Ache zoo:pain"]),
    ],
)
def test_a_synonym_or_another_id_finds_its_node_and_the_list_says_by_what(query, options, phenotypes, show):
    opened = show(phenotypes)
    assert _options(opened, query) == options
    opened.press("Enter")
    assert opened.selected == phenotypes.row(options[0].split()[-1])


def test_nodes_with_one_label_come_with_their_way_from_a_root(phenotypes, show):
    opened = show(phenotypes)
    assert _options(opened, "pain") == [
        "Pain HP:6 All › Heart disease › Myocardial infarction › Finding",
        "Pain HP:7 All › Lung disease",
        "pain → Ache zoo:pain",
    ]
    paths = ["Animals > Pets > Food > Dry > Accessories", "Vehicles > Accessories"]
    names = [" > ".join(path.split(" > ")[:stop]) for path in paths for stop in range(1, path.count(" > ") + 2)]
    edges = [[names.index(name.rpartition(" > ")[0]), names.index(name)] for name in names if " > " in name]
    shop = Hierarchy(names, edges, [name.rpartition(" > ")[2] for name in names])
    opened = show(hypercone.fit(shop, method="nested-caps", dim=2))
    # The name is the path already, so it is not there twice.
    assert sorted(_options(opened, "accessories")[:2]) == [
        "Accessories Animals › Pets › Food › Dry",
        "Accessories Vehicles",
    ]


@pytest.mark.parametrize(
    ("query", "message", "options"),
    [
        ("HP:50", "HP:50 (Old heart) is obsolete, replaced by HP:3 (Lung disease).", ["Lung disease HP:3"]),
        ("hp_50", "HP:50 (Old heart) is obsolete, replaced by HP:3 (Lung disease).", ["Lung disease HP:3"]),
        ("HP:51", "HP:51 is obsolete; what is meant may be HP:2 (Heart disease).", ["Heart disease HP:2"]),
        ("HP:52", "HP:52 is obsolete, and nothing replaces it.", []),
    ],
)
def test_an_obsolete_id_says_what_replaces_it_in_the_box_and_in_the_address(query, message, options, phenotypes, show):
    opened = show(phenotypes)
    assert _options(opened, query) == options
    assert message in opened.text("#results")
    opened.press("Enter")
    found = NAMES.index(options[0].split()[-1]) if options else -1
    assert opened.selected == found
    opened = show(phenotypes, f"#node={query.replace(':', '%3A')}")
    assert message in opened.text("#notice")
    assert opened.selected == found


def test_the_panel_shows_the_definition_the_synonyms_and_the_other_ids(phenotypes, show):
    opened = show(phenotypes, "#node=MI")
    header = opened.text("#details header.node")
    assert opened.text("#details h2") == "Myocardial infarction"
    for text in (DEFINITION, "Also called: Heart attack; MI; Cafe\u0301", "Other ids: HP:98, HP:97"):
        assert text in header
    opened.ask("h.select(0)")
    assert opened.text("#details header.node").split()[:2] == ["All", "HP:1"]
    assert opened.find("#details .definition").count() == 0


def test_every_text_names_the_same_nodes_as_in_python(phenotypes, show):
    texts = [*NAMES, *LABELS, "MI", "mi", "heart DISEASE", "HEART ATTACK", "Caf\u00e9", "CAF\u00c9", "pain", "PAIN"]
    texts += ["HP_4", "hp_4", "<http://purl.obolibrary.org/obo/HP_99>", "obo:HP_98", "http://a/#pain", "zoo:pain", ""]
    texts += ["HP:50", "HP:404", "nothing", " ", "\u0130", "hp:97"]
    found = show(phenotypes).ask("argument.map(text => h.rowsNamed(text))", texts)
    names = NodeNames(phenotypes.names)
    assert found == [find_rows(text, names, phenotypes.labels, phenotypes.glossary).rows for text in texts]
    assert {len(rows) for rows in found} == {0, 1, 2}


@pytest.fixture(scope="module")
def hostile() -> Embedding:
    """Hostile texts as definitions, synonyms, other ids and obsolete ids."""
    names = [f"n{row}" for row in range(len(HOSTILE_NAMES))]
    texts = {row: [text] for row, text in enumerate(HOSTILE_NAMES)}
    old = {text: Obsolete(text, ("n1", text), (text,)) for text in HOSTILE_NAMES if text.strip()}
    glossary = Glossary.of_rows(len(names), dict(enumerate(HOSTILE_NAMES)), texts, texts, old, {"<b>": "javascript:"})
    star = [[0, row] for row in range(1, len(names))]
    return hypercone.fit(Hierarchy(names, star, ["same"] * len(names), glossary=glossary), method="nested-caps", dim=2)


def test_hostile_texts_of_a_glossary_are_only_text(hostile, show):
    opened = show(hostile)
    for row, text in enumerate(HOSTILE_NAMES):
        opened.ask("h.select(argument)", row)
        assert opened.find("#details .definition").all_text_contents() == [" ".join(text.split())] * bool(text.strip())
        opened.find("#query").fill(text)
        assert opened.find("#results [role=option]").count() >= bool(text.strip())
        opened.press("Escape")
    assert opened.ask("window.broken") is None
    assert opened.find("script").count() == 1
    assert opened.find("img").count() == 0
