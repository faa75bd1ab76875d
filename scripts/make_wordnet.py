"""Make the WordNet file that ships with hypercone from Princeton's dictionary files.

    apt-get install wordnet-base
    python scripts/make_wordnet.py /usr/share/wordnet src/hypercone/data

reads ``data.noun`` and ``index.noun`` of WordNet 3.0 and writes ``wordnet-nouns.tsv.xz``, the whole noun graph
(pointers ``@`` and ``@i``, root ``entity.n.01`` included), and ``WORDNET-LICENSE.txt``. The text inside is the same on
every machine.
``hypercone/data/wordnet.py`` describes the format.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HYPERNYMS = {"@", "@i"}
NODES, EDGES = 82_115, 84_427


def parser_of_options() -> argparse.ArgumentParser:
    """The parser of the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dictionary", type=Path, help="folder with data.noun and index.noun of WordNet 3.0")
    parser.add_argument("target", type=Path, help="folder to write wordnet-nouns.tsv.xz and the license to")
    return parser


def main() -> None:
    """Read the dictionary folder, write the data folder."""
    parser = parser_of_options()
    given = parser.parse_args()
    parents = hypernyms(given.dictionary)
    edges = sum(map(len, parents.values()))
    if (len(parents), edges) != (NODES, EDGES):
        parser.error(f"WordNet 3.0 has {NODES} noun synsets and {EDGES} hypernyms, not {len(parents)} and {edges}")
    text = "".join(lines(parents)).encode()
    packed = lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)
    (given.target / "wordnet-nouns.tsv.xz").write_bytes(packed)
    (given.target / "WORDNET-LICENSE.txt").write_text(license_of(given.dictionary))
    print(f"{len(parents)} synsets, {edges} hypernyms, {len(packed)} bytes")


def hypernyms(dictionary: Path) -> dict[str, list[str]]:
    """The names of the hypernyms of every noun synset, by its own name."""
    senses = {fields[0]: fields[-int(fields[2]) :] for fields in records(dictionary / "index.noun")}
    name_of: dict[str, str] = {}
    pointers: dict[str, list[str]] = {}
    for fields in records(dictionary / "data.noun"):
        offset, lemma = fields[0], fields[4].lower()
        # NLTK's name: the first lemma, and which of that lemma's senses this synset is.
        name_of[offset] = f"{lemma}.n.{senses[lemma].index(offset) + 1:02d}"
        pointers[offset] = list(targets(fields))
    if len(set(name_of.values())) != len(name_of):
        raise SystemExit("two synsets have the same name")
    return {name_of[offset]: [name_of[parent] for parent in pointers[offset]] for offset in name_of}


def records(path: Path) -> Iterator[list[str]]:
    """The fields of each line before the gloss; the license at the top is indented by two spaces."""
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith("  "):
            yield line.split(" | ")[0].split()


def targets(fields: list[str]) -> Iterator[str]:
    """The synsets that the ``@`` and ``@i`` pointers of a line of data.noun lead to."""
    start = 4 + 2 * int(fields[3], 16)
    for place in range(start + 1, start + 1 + 4 * int(fields[start]), 4):
        if fields[place] in HYPERNYMS:
            yield fields[place + 1]


def lines(parents: dict[str, list[str]]) -> Iterator[str]:
    """One line per synset: its name, and how many lines above it each parent is."""
    row_of: dict[str, int] = {}
    for row, name in enumerate(depth_first(parents)):
        row_of[name] = row
        back = [str(row - row_of[parent]) for parent in parents[name]]
        yield "\t".join([name, *back]) + "\n"


def depth_first(parents: dict[str, list[str]]) -> Iterator[str]:
    """Names such that each follows its parents, siblings in alphabetical order, and children soon after parents."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(parents, reverse=True):
        for parent in parents[name]:
            children[parent].append(name)
    waiting = {name: len(above) for name, above in parents.items()}
    stack = sorted((name for name in parents if not parents[name]), reverse=True)
    while stack:
        name = stack.pop()
        yield name
        for child in children[name]:
            waiting[child] -= 1
            if waiting[child] == 0:
                stack.append(child)


def license_of(dictionary: Path) -> str:
    """Princeton's license, from the numbered lines at the top of data.noun."""
    top = (dictionary / "data.noun").read_text(encoding="ascii").split("\n0000", 1)[0]
    return "".join(re.sub(r"^  \d+ ", "", line).rstrip() + "\n" for line in top.splitlines())


if __name__ == "__main__":
    main()
