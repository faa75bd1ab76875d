"""The words of the project: CONTRIBUTING.md says which ones are not used, and this reads them from there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Old names are accepted for one release, so they have to be written down: here, or in a line that says "# old name".
EXEMPT = {"src/hypercone/_old_names.py", "tests/test_old_names.py", "tests/test_words.py"}
TEXTS = {".css", ".html", ".js", ".md", ".mjs", ".py", ".toml", ".ts"}
FUNCTIONS_THAT_ONLY_LOOK_LIKE_PARTICIPLES = {"embed", "need", "seed", "speed", "spread", "is_shared"}
IRREGULAR = {"begun", "built", "cut", "drawn", "found", "given", "held", "kept", "known", "laid", "left", "lost"}
IRREGULAR |= {"made", "said", "seen", "sent", "shown", "taken", "told", "written", "grown", "chosen", "hidden"}


def forbidden_words() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.split("<!-- forbidden words -->", 1)[1].split("```text\n", 1)[1].split("```", 1)[0]
    return [line for line in block.splitlines() if line.strip()]


def pattern_of(word: str) -> re.Pattern[str]:
    """A plain word with its endings, also as a part of an identifier; anything else as it is written."""
    if word.isalpha():
        endings = "(?:s|ed|d|ing|ly|hood)?(?![a-z])"
        return re.compile(rf"(?<![A-Za-z])(?i:{word}){endings}|(?<=[a-z]){word.capitalize()}{endings}")
    return re.compile(rf"(?<![A-Za-z]){re.escape(word)}" if word[0].isalpha() else re.escape(word), re.I)


def texts() -> Iterator[Path]:
    for folder in ("src", "tests", "docs", "explorer", "benchmarks", "scripts", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if path.suffix in TEXTS and "node_modules" not in parts and "corpus" not in parts:
                yield path
    yield ROOT / "README.md"


def uses_of(words: list[str]) -> Iterator[str]:
    patterns = {word: pattern_of(word) for word in words if "." not in word}
    names = {word for word in words if "." in word}
    for path in texts():
        place = path.relative_to(ROOT).as_posix()
        if place in EXEMPT:
            continue
        if path.name in names:
            yield f"{place}: the name of this file"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.endswith("# old name"):
                continue
            for word, pattern in patterns.items():
                if pattern.search(line) or (number == 1 and pattern.search(path.stem)):
                    yield f"{place}:{number}: {word!r} in {line.strip()[:100]!r}"


def test_no_forbidden_word_is_used_in_code_tests_docs_or_the_explorer() -> None:
    assert list(uses_of(forbidden_words())) == []


def test_the_search_finds_a_word_in_prose_in_an_identifier_and_in_a_class_name() -> None:
    pattern = pattern_of("door")
    assert all(pattern.search(text) for text in ("the door.", "open_door()", "class OpenDoor:", "Doors", "DOOR_KEY"))
    assert not any(pattern.search(text) for text in ("adoration", "indoors", "doorway"))
    assert pattern_of("kept_").search("x = kept_rows")
    assert not pattern_of("kept_").search("it is kept")


def test_no_function_is_named_by_a_bare_participle() -> None:
    named = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name.strip("_")):
                decorators = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
                is_old = "warn_renamed" in ast.unparse(node)
                if not is_old and not decorators & {"property", "cached_property", "setter"}:
                    named.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}")
    assert named == []


def is_participle(name: str) -> bool:
    if name in FUNCTIONS_THAT_ONLY_LOOK_LIKE_PARTICIPLES or "_" in name:
        return False
    return name in IRREGULAR or (name.endswith("ed") and len(name) > 4)
