"""New nodes through the command line."""

from __future__ import annotations

import hypercone


def test_place_puts_a_node_into_a_new_model_and_says_where(run, model, tmp_path):
    done = run("place", model, "husky", "--parent", "dog", "--label", "Husky", "-o", tmp_path / "larger")
    assert done.out == f"husky is a: animal, dog\nmodel: {tmp_path / 'larger'}\n"
    larger = hypercone.load(tmp_path / "larger")
    assert larger.ancestors("husky") == ["animal", "dog"]
    assert larger.called(10) == "Husky"
    assert len(hypercone.load(model)) == 10


def test_place_reads_many_from_a_file_with_new_parents_among_them(run, model, tmp_path):
    (tmp_path / "new.tsv").write_text("parent\tchild\nhusky\tsled dog\ndog\thusky\n")
    found = run("place", model, "--edges", tmp_path / "new.tsv", "-o", tmp_path / "larger", "--json").json
    assert (found["model"], found["nodes"]) == (str(tmp_path / "larger"), 12)
    assert [node["name"] for node in found["placed"]] == ["husky", "sled dog"]
    assert found["placed"][1]["ancestors"] == ["animal", "dog", "husky"]
    assert [found["placed"][1][wish] for wish in ("missed", "unwanted")] == [[], []]


def test_place_says_what_is_missed(run, model, tmp_path):
    asked = ("place", model, "catdog", "--parent", "dog", "--parent", "cat", "-o", tmp_path / "larger")
    found = run(*asked, "--json").json["placed"][0]
    assert sorted({*found["ancestors"], *found["missed"]}) == ["animal", "cat", "dog"]
    said = run(*asked).out
    assert ("but should be a: " in said) == bool(found["missed"])


def test_a_long_list_is_cut_for_people(run, model, tmp_path):
    (tmp_path / "new.tsv").write_text("parent\tchild\n" + "".join(f"animal\tn{i}\n" for i in range(23)))
    said = run("place", model, "--edges", tmp_path / "new.tsv", "-o", tmp_path / "larger").out
    assert "and 3 new nodes more; see --json\n" in said


def test_bad_input_is_one_sentence_and_writes_nothing(run, model, tmp_path):
    (tmp_path / "old.tsv").write_text("parent\tchild\nanimal\tnew\nanimal\tdog\n")
    (tmp_path / "strange.tsv").write_text("parent\tchild\nanimal\tnew\ndgo\thusky\n")
    (tmp_path / "empty.tsv").write_text("parent\tchild\n")
    give = "give the name of one new node with --parent, or a file of many with --edges"
    for arguments, sentence in {
        (): give,
        ("husky", "--edges", tmp_path / "old.tsv"): give,
        ("husky",): "'husky' has no --parent; give at least one, to say where it belongs",
        ("dog", "--parent", "animal"): "'dog' is already in the model; give the new node another name",
        ("husky", "--parent", "dgo"): "there is no node 'dgo'; did you mean dog?",
        ("--edges", tmp_path / "old.tsv", "--label", "x"): (
            "--parent, --not-under and --label are for one new node, not for --edges; leave them out"
        ),
        ("--edges", tmp_path / "old.tsv"): (
            f"{tmp_path / 'old.tsv'}:3: 'dog' is already in the model; only new nodes can be placed"
        ),
        ("--edges", tmp_path / "strange.tsv"): f"{tmp_path / 'strange.tsv'}:3: there is no node 'dgo'; did you mean",
        ("--edges", tmp_path / "empty.tsv"): f"{tmp_path / 'empty.tsv'}: has no edges, so there is nothing to place",
    }.items():
        done = run("place", model, *arguments, "-o", tmp_path / "larger")
        assert done.code == 2
        assert done.out == ""
        assert done.err.startswith(f"hypercone: {sentence}")
        assert not (tmp_path / "larger").exists()
