"""Newick trees, paths and outlines, and the files of the NCBI taxonomy and of WordNet."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import NCBI_NODES, WORDNET_INDEX, read_text, write_wordnet
from tests.support.hierarchies import edges_of

from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.formats import read

NAMES = (
    "1\t|\troot\t|\t\t|\tscientific name\t|\n9606\t|\tHomo sapiens\t|\t\t|\tscientific name\t|\n"
    "9606\t|\thuman\t|\t\t|\tgenbank common name\t|\n9605\t|\tHomo\t|\tHomo <genus, ♀>\t|\tscientific name\t|\n"
)
INSTALLED = Path("/usr/share/wordnet/data.noun")


@pytest.mark.parametrize(
    ("kind", "text", "edges"),
    [
        ("newick", "(b,c)a;", "a-b a-c"),
        ("newick", "( b , c:0.1 ) a : 1e-5 ;\n", "a-b a-c"),
        ("newick", "[a (comment);](b[&x=1],c)[yes]a[no]:[why]1;", "a-b a-c"),
        ("newick", "((b,c),d);", "node_2-b node_2-c node_1-node_2 node_1-d"),
        ("newick", "((b,c)95:1,(d,e)95)0.5e1;", "node_2-b node_2-c node_1-node_2 node_3-d node_3-e node_1-node_3"),
        ("newick", "((1,2),node_1);", "node_3-1 node_3-2 node_2-node_3 node_2-node_1"),
        ("newick", "((b)'95',c)a;", "95-b a-95 a-c"),
        ("newick", "(b)a;(d)c;", "a-b c-d"),
    ],
)
def test_a_newick_tree_is_read(kind, text, edges):
    assert edges_of(read_text(text, format=kind)) == [tuple(edge.split("-")) for edge in edges.split()]


@pytest.mark.parametrize(
    ("kind", "text", "edges", "words"),
    [
        ("paths", "a>b > c/d\n", ["a>b-a>b > c/d"], "a>b-c/d"),
        # The same word in two branches is two nodes.
        ("paths", "a > c\nb > c\n", ["a-a > c", "b-b > c"], "a-c b-c"),
        ("indented", "a\n c\nb\n c\n", ["a-a > c", "b-b > c"], "a-c b-c"),
        ("paths", "a > b > a\n", ["a-a > b", "a > b-a > b > a"], None),
        ("indented", "a\n b\n  a\n", ["a-a > b", "a > b-a > b > a"], None),
        # Any deepening is a level.
        (
            "indented",
            "a\n\tb\n\t\tc\n\td\ne\n f\n",
            ["a-a > b", "a > b-a > b > c", "a-a > d", "e-e > f"],
            "a-b b-c a-d e-f",
        ),
        (
            "indented",
            "  a\n   b\n      c\n\n   d\n  e\n    f\n",
            ["a-a > b", "a > b-a > b > c", "a-a > d", "e-e > f"],
            "a-b b-c a-d e-f",
        ),
    ],
)
def test_a_node_of_a_path_or_an_outline_is_named_by_its_path_or_on_request_by_its_word(kind, text, edges, words):
    found = read_text(text, format=kind)
    assert edges_of(found) == [tuple(edge.split("-")) for edge in edges]
    assert all(name.split(" > ")[-1] == found.display_name(row) for row, name in enumerate(found.names))
    if words:
        merged = read_text(text, format=kind, merge_names=True)
        assert edges_of(merged) == [tuple(edge.split("-")) for edge in words.split()]
        assert merged.labels is None


@pytest.mark.parametrize("mark", ["/", " / ", ">", " :: ", "::", " » ", " › "])
def test_names_of_a_path_may_be_separated_by_other_marks_if_none_by_a_spaced_greater_sign(mark):
    lines = [["food"], ["food", "cheese"], ["food", "cheese", "brie"], ["food", "bread"]]
    text = "".join(mark.join(names) + "\n" for names in lines)
    found = read_text(text, format="paths")
    assert found.names == ("food", "food > cheese", "food > cheese > brie", "food > bread")
    assert found.read_as == f"paths, A{mark.strip()}B{mark.strip()}C"


def test_slashes_at_the_ends_of_a_path_are_those_of_a_file_system_and_one_too_many_inside_is_refused():
    assert read_text("/food/cheese/\n/food/bread\n", format="paths").names[0] == "food"
    with raises_exactly("the stream:2: a name is missing beside a / in 'food//bread'; write it or remove the /"):
        read_text("food/cheese\nfood//bread\n", format="paths")
    # Where most lines have another mark, a slash is a part of a name.
    assert read_text("a :: b/c\na :: d\n", format="paths").names == ("a", "a > b/c", "a > d")


@pytest.mark.parametrize(
    "text", ["a -> b\nb -> c\n", "a>=1\nb>2\n", "http://a/b\nhttp://a/c\n", "<a/>\n<b/c>\n", "a\nb\n"]
)
def test_arrows_addresses_and_tags_are_not_paths(text):
    with pytest.raises(InputError, match="holds no edges"):
        read_text(text, format="paths")


GOOGLE = """# Google_Product_Taxonomy_Version: 2021-09-21
166 - Apparel & Accessories
167 - Apparel & Accessories > Jewelry > Cases
222 - Electronics
4493 - Electronics > Cases
"""
SHOPIFY = """# Shopify Product Taxonomy - Categories: 2026-02
# Format: {GID} : {Ancestor name} > ... > {Category name}

gid://shopify/TaxonomyCategory/aa        : Apparel & Accessories
gid://shopify/TaxonomyCategory/aa-6-1    : Apparel & Accessories > Jewelry > Cases
gid://shopify/TaxonomyCategory/aa-6-1-2  : Apparel & Accessories > Jewelry > Cases > Travel Cases
gid://shopify/TaxonomyCategory/el        : Electronics
gid://shopify/TaxonomyCategory/el-2      : Electronics > Cases
gid://shopify/TaxonomyCategory/el-2-1    : Electronics > Cases > Travel Cases
"""


def test_a_product_taxonomy_has_one_node_per_line_named_by_its_id_and_a_node_without_a_line_by_its_path():
    google = read_text(GOOGLE, format="paths")
    jewelry = "Apparel & Accessories > Jewelry"
    assert edges_of(google) == [("166", jewelry), (jewelry, "167"), ("222", "4493")]
    assert google.row("4493") == google.names.index("4493")
    assert google.labels.texts == ("Apparel & Accessories", "Jewelry", "Cases", "Electronics", "Cases")
    shopify = read_text(SHOPIFY, format="paths")
    assert len(shopify) == 7
    assert shopify.children("gid://shopify/TaxonomyCategory/el-2") == ["gid://shopify/TaxonomyCategory/el-2-1"]
    assert shopify.parents("gid://shopify/TaxonomyCategory/el-2") == ["gid://shopify/TaxonomyCategory/el"]
    merged = read_text(SHOPIFY, format="paths", merge_names=True)
    assert merged.names == ("Apparel & Accessories", "Jewelry", "Cases", "Travel Cases", "Electronics")


def test_a_label_of_two_categories_is_ambiguous_and_both_are_shown_with_their_paths():
    with raises_exactly(
        "'Cases' is the label of 2 nodes: 167 (Apparel & Accessories > Jewelry > Cases), 4493 (Electronics > Cases); "
        "give one of these names"
    ):
        read_text(GOOGLE, format="paths").row("Cases")
    plain = read_text(re.sub("(?m)^[0-9]+ - ", "", GOOGLE), format="paths")
    with raises_exactly(
        "'cases' is the label of 2 nodes: Apparel & Accessories > Jewelry > Cases, Electronics > Cases; "
        "give one of these names"
    ):
        plain.row("cases")
    assert plain.row("jewelry") == plain.names.index("Apparel & Accessories > Jewelry")


TEN_WITH_NUMBERS = "".join(f"1{i} - z > child{i}\n" for i in range(10))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "1 - a\n2 - a > b\nc > d\n" + TEN_WITH_NUMBERS,
            ":3: 'c > d' has no id, but line 1 has one, '1 - a'; give every line one, or none",
        ),
        (
            "a > b\n" + TEN_WITH_NUMBERS,
            ":1: 'a > b' has no id, but line 2 has one, '10 - z > child0'; give every line one, or none",
        ),
        (
            "x:1 : a\nb > c\n" + TEN_WITH_NUMBERS.replace(" - ", "x : "),
            ":2: 'b > c' has no id, but line 1 has one, 'x:1 : a'; give every line one, or none",
        ),
        (
            "1 - a > b\n1 - a > c\n" + TEN_WITH_NUMBERS,
            ":2: the id '1' is that of line 1, which has another path; give each path its own id",
        ),
        (
            "1 - a > b\n2 - a > b\n" + TEN_WITH_NUMBERS,
            ":2: the path 'a > b' has the id '1' on line 1 and here another; give each path one id",
        ),
        ("x:a : b > c\ny:b : x:a > d\n", ": 'x:a' is an id and also a path without one; change the id"),
    ],
)
def test_ids_must_be_on_every_line_and_belong_to_one_path(text, words):
    with raises_exactly(f"the stream{words}"):
        read_text(text, format="paths")


def test_a_number_or_a_colon_later_in_a_file_without_ids_is_a_part_of_the_name():
    found = read_text("a > b\n911 - Calls > c\nMath : Algebra > d\n", format="paths")
    assert found.roots == ("a", "911 - Calls", "Math : Algebra")


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        ("24 - Season one > Pilot\n24 - Season one > Pilot\nLost > Pilot\n", ("24 - Season one", "Lost")),
        ("24 - Season one > Pilot\n24 - Season two > Pilot\n", ("24 - Season one", "24 - Season two")),
        ("S1 : Pilot > a\nS2 : Pilot > a\n", ("S1 : Pilot", "S2 : Pilot")),
    ],
    ids=["not on every line", "two paths with one id", "one path with two ids"],
)
def test_what_looks_like_an_id_is_a_part_of_the_name_unless_each_line_has_one_and_each_path_its_own(text, roots):
    assert read_text(text, format="paths").roots == roots
    assert read_text(text, format="paths", merge_names=True).roots == roots


def test_paths_that_would_make_endless_names_are_refused_but_can_be_read_by_word():
    deep = " > ".join(f"level{i}" for i in range(5_000))
    outline = "\n".join(" " * i + f"level{i}" for i in range(2_000))
    for kind, text in (("paths", deep), ("indented", outline)):
        with pytest.raises(InputError, match=r"is too long for a name \(10,0.. characters, .* with merge_names=True$"):
            read_text(text, format=kind)
        assert len(read_text(text, format=kind, merge_names=True)) in (5_000, 2_000)
    with pytest.raises(InputError, match=r"two nodes would have the name 'a > b', as there is a > in a text; change"):
        read_text("a\n b\na > b\n c\n", format="indented")


def test_names_in_newick_may_be_quoted():
    found = read_text("('it''s; (b)',c)'a b';", format="newick")
    assert set(edges_of(found)) == {("a b", "it's; (b)"), ("a b", "c")}


def test_a_tree_may_be_a_hundred_thousand_levels_deep_or_leaves_wide():
    size = 100_000
    for text in ("(" * size + "leaf" + ")" * size, "(" + ",".join(f"leaf{i}:0.1" for i in range(size)) + ")root"):
        assert len(read_text(f"{text};", format="newick").edges) == size


def test_a_path_gives_an_edge_at_every_step_and_each_edge_counts_once():
    found = read_text("# Products, 2026\nFood\nFood > Cheese\nFood > Cheese > Brie & Co\n\nToys\n", format="paths")
    assert edges_of(found) == [("Food", "Food > Cheese"), ("Food > Cheese", "Food > Cheese > Brie & Co")]
    assert found.duplicates == 0
    assert found.notes == ("1 node that is without an edge left out: Toys",)


@pytest.mark.parametrize(("text", "kind"), [("a > b > a\n", "paths"), ("a\n b\n  a\n", "indented")])
def test_a_cycle_of_merged_words_is_explained(text, kind):
    with pytest.raises(InputError, match=r'or "drop" \(the same word in two places is one node here; give one of them'):
        read_text(text, format=kind, merge_names=True)


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_taxa_are_named_by_id_and_labeled_by_scientific_name(tmp_path, packing):
    pack = gzip.compress if packing else bytes
    (tmp_path / f"nodes.dmp{packing}").write_bytes(pack(NCBI_NODES.encode()))
    (tmp_path / f"names.dmp{packing}").write_bytes(pack(NAMES.encode()))
    taxa = read(tmp_path / f"nodes.dmp{packing}")
    assert set(taxa.names) == {"1", "9605", "9606"}
    assert taxa.in_words() == ["Homo sapiens is a Homo", "Homo is a root"]
    assert taxa.notes == ()


def test_without_names_the_taxa_have_no_labels_and_names_without_a_scientific_one_are_refused(tmp_path):
    path = tmp_path / "nodes.dmp"
    path.write_text(NCBI_NODES)
    for source in (path, io.BytesIO(NCBI_NODES.encode())):
        taxa = read(source, format="ncbi")
        assert taxa.labels is None
        assert taxa.notes == ("there is no names.dmp beside the file, so the taxa have no labels",)
    (tmp_path / "names.dmp").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"names\.dmp: holds no scientific name; fetch it again, or remove it$"):
        read(path)


def test_hypernyms_are_the_edges_and_names_are_those_of_nltk_with_the_index_beside(tmp_path):
    path = write_wordnet(tmp_path) / "data.noun"
    words = read(path)
    names = {"thing.n.01-bank.n.02", "thing.n.01-bank.n.01", "tower.n.01-bank.n.01", "thing.n.01-tower.n.01"}
    assert {"-".join(edge) for edge in edges_of(words)} == names
    assert words.display_name(words.row("bank.n.02")) == "bank"
    with pytest.raises(
        InputError, match=r"'bank' is the label of 2 nodes: bank.n.0. \(Thing > .*bank\), bank.n.0. .*; give one"
    ):
        words.row("bank")
    (tmp_path / "index.noun").unlink()
    assert ("thing.n.00000100", "bank.n.00000200") in edges_of(read(path))


ANOTHER = "does not have 'tower' at 00000400; take data.noun and index.noun"


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (WORDNET_INDEX.replace("00000400", "00000500"), ANOTHER),
        (WORDNET_INDEX.replace("tower", "power"), ANOTHER),
        (WORDNET_INDEX + "cut\n", ":5: is not a line of WordNet's index: 'cut'"),
    ],
)
def test_an_index_of_another_wordnet_is_refused(tmp_path, index, words):
    (write_wordnet(tmp_path) / "index.noun").write_text(index)
    with pytest.raises(InputError, match=words):
        read(tmp_path / "data.noun")


@pytest.mark.skipif(not INSTALLED.exists(), reason="Debian's wordnet-base is not installed")
def test_the_files_say_what_the_dataset_says():
    nouns, words = load_dataset("wordnet-nouns"), read(INSTALLED).drop(["entity.n.01"])
    assert set(words.names) == set(nouns.names)
    assert set(edges_of(words)) == set(edges_of(nouns))
    assert words.display_name(words.row("dog.n.01")) == "dog"
