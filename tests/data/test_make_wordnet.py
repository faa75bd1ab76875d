"""The script that makes the WordNet file."""

import importlib.util
import lzma
import sys
from importlib.resources import files
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_wordnet.py"
INSTALLED = Path("/usr/share/wordnet")

DATA = """\
  1 This is the licence,
  2
  3 indented.
00000100 03 n 01 Thing 0 002 ~ 00000300 n 0000 + 00000200 v 0101 | all there is | or was
00000200 03 n 02 bank 0 shore 0 001 @ 00000100 n 0000 | land
00000300 03 n 01 bank 1 002 @ 00000100 n 0000 @i 00000400 n 0000 | money
00000400 03 n 0a house 0 a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 001 @ 00000100 n 0000 | ten words
"""
INDEX = """\
  1 This is the licence,
bank n 2 1 @ 2 1 00000300 00000200
house n 1 1 @ 1 0 00000400
thing n 1 2 ~ + 1 0 00000100
"""


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("make_wordnet", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def dictionary(tmp_path):
    # Princeton's lines end with two spaces.
    (tmp_path / "data.noun").write_text(DATA.replace("\n", "  \n"))
    (tmp_path / "index.noun").write_text(INDEX.replace("\n", "  \n"))
    return tmp_path


def test_synsets_are_named_by_first_lemma_and_sense_and_both_pointers_count(script, dictionary):
    assert script.hypernyms(dictionary) == {
        "thing.n.01": [],
        "bank.n.02": ["thing.n.01"],
        "bank.n.01": ["thing.n.01", "house.n.01"],
        "house.n.01": ["thing.n.01"],
    }


def test_lines_count_the_steps_up_to_each_parent(script, dictionary):
    assert list(script.lines(script.hypernyms(dictionary))) == [
        "thing.n.01\n",
        "bank.n.02\t1\n",
        "house.n.01\t2\n",
        "bank.n.01\t3\t1\n",
    ]


def test_the_licence_is_taken_without_its_line_numbers(script, dictionary):
    assert script.license_of(dictionary) == "This is the licence,\n\nindented.\n"


def test_another_wordnet_is_refused(script, dictionary, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["make_wordnet", str(dictionary), str(dictionary)])
    with pytest.raises(SystemExit):
        script.main()
    assert "WordNet 3.0 has 82115 noun synsets and 84427 hypernyms, not 4 and 4" in capsys.readouterr().err


@pytest.mark.skipif(not (INSTALLED / "data.noun").exists(), reason="needs Debian's wordnet-base")
def test_the_shipped_file_is_what_the_script_makes(script, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["make_wordnet", str(INSTALLED), str(tmp_path)])
    script.main()
    shipped = files("hypercone.data")
    for name, unpack in {"wordnet-nouns.tsv.xz": lzma.decompress, "WORDNET-LICENSE.txt": bytes}.items():
        assert unpack((tmp_path / name).read_bytes()) == unpack(shipped.joinpath(name).read_bytes())
