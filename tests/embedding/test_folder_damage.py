"""Whatever single byte is damaged, and wherever a file is cut, the model is refused or is the same model."""

from __future__ import annotations

import json

import pytest

from hypercone.embedding import load
from hypercone.errors import ModelFileError

PARTS = ("config.json", "model.safetensors", "nodes.txt.gz")


@pytest.fixture
def small(make_embedding, tmp_path):
    embedding = make_embedding(count=3, names=["animal", "Löwe", "x y"])
    return embedding, embedding.save(tmp_path / "small")


def _refused_or_same(folder, saved, is_same) -> str:
    try:
        loaded = load(folder)
    except ModelFileError as error:
        return "refused" if "\n" not in str(error) else pytest.fail(f"more than one line: {error}")
    assert is_same(loaded, saved)
    return "same"


@pytest.mark.parametrize("part", PARTS)
def test_every_flipped_byte_is_noticed_or_harmless(small, is_same, part):
    saved, folder = small
    path = folder / part
    content = path.read_bytes()
    harmless = 0
    for place in range(len(content)):
        # Every bit alone, all of them at once, and letters that mean something in JSON.
        for other in {content[place] ^ (1 << bit) for bit in range(8)} | {content[place] ^ 0xFF, *b' 0"}'}:
            if other == content[place]:
                continue
            path.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
            if _refused_or_same(folder, saved, is_same) == "same":
                harmless += 1
                assert part == "config.json"
                before, after = content, path.read_bytes()
                # Only white space, and the e of an exponent, may change without changing the meaning.
                assert json.loads(before) == json.loads(after)
    print(f"{part}: {harmless} harmless changes")


@pytest.mark.parametrize("part", PARTS)
def test_a_file_cut_anywhere_is_noticed(small, is_same, part):
    saved, folder = small
    path = folder / part
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        answer = _refused_or_same(folder, saved, is_same)
        # Without its last line break JSON is still whole.
        assert answer == ("same" if part == "config.json" and length == len(content) - 1 else "refused")


@pytest.mark.parametrize("part", PARTS)
def test_a_file_with_something_appended_is_noticed(small, part):
    _, folder = small
    path = folder / part
    path.write_bytes(path.read_bytes() + b"!")
    with pytest.raises(ModelFileError):
        load(folder)


def test_parts_of_two_models_do_not_mix(make_embedding, small, tmp_path):
    _, folder = small
    other = make_embedding(count=3, seed=1, names=["animal", "Löwe", "xy"]).save(tmp_path / "other")
    for part in PARTS[1:]:
        kept = (folder / part).read_bytes()
        (folder / part).write_bytes((other / part).read_bytes())
        with pytest.raises(ModelFileError, match=f"{part}: does not match its checksum"):
            load(folder)
        (folder / part).write_bytes(kept)
