"""What MkDocs does beyond Markdown: tables made from the code, links that leave docs/, docstrings with examples.

``<!-- table: NAME ARGUMENT -->`` in a page is replaced by what the function ``NAME_table`` returns for the argument.
"""

import argparse
import inspect
import json
import posixpath
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from hypercone.cli.main import COMMANDS, command_parser
from hypercone.cli.options import option_name
from hypercone.construction import CONSTRUCTIONS
from hypercone.methods import METHODS
from hypercone.training.config import OPTIONS, FitConfig, Option

PROJECT = Path(__file__).parents[1]
FRONT_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
SECTIONS = ("Tutorial", "Notebooks", "How to", "Explanation", "Reference", "Project")
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>(?![a-z]+:|#)[^)\s]+)\)|src=\"(?P<image>[^\"]+)\"")


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """The pages beside docs/ are part of the site, and so are the notebooks, with their stored outputs."""
    for name in FRONT_PAGES:
        files.append(File.generated(config, f"project/{name}", content=(PROJECT / name).read_text(encoding="utf-8")))
    for path in sorted((PROJECT / "docs" / "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=notebook_markdown(path)))


def notebook_markdown(path: Path) -> str:
    """The cells of a notebook, with a comment in place of each output, and where to get it."""
    parts = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [f"<!-- output: {path.name} {number} {at} -->" for at in range(len(cell.get("outputs", ())))]
    return "\n\n".join([*parts, f"[This page as a notebook]({path.name})"])


def notebook_output(name: str, cell: int, at: int) -> str:
    """An output of a notebook as HTML, the richest form that it has."""
    path = PROJECT / "docs" / "notebooks" / name
    output = json.loads(path.read_text(encoding="utf-8"))["cells"][cell]["outputs"][at]
    data = {kind: "".join(text) for kind, text in output.get("data", {"text/plain": output.get("text", "")}).items()}
    if "text/html" in data:
        return f"<div>{data['text/html']}</div>"
    if "image/png" in data:
        width = output["metadata"]["image/png"]["width"]
        return (
            f'<div><img alt="" width="{width}" src="data:image/png;base64,{"".join(data["image/png"].split())}"></div>'
        )
    return f"<pre>{escape(data['text/plain'])}</pre>"


def on_nav(nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
    """Sections in the order in which one reads them; pages are found by themselves."""
    nav.items.sort(key=lambda item: SECTIONS.index(str(item.title)) if item.is_section else -1)


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with its tables filled in, and with links that the site can follow."""
    place = page.file.src_uri
    source = place.removeprefix("project/") if place.startswith("project/") else f"docs/{place}"

    def rewrite(link: re.Match[str]) -> str:
        path, hash_sign, anchor = (link["target"] or link["image"]).partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if target in FRONT_PAGES:
            target = f"docs/project/{target}"
        elif target.endswith(".ipynb") and not place.startswith("notebooks/"):
            target = target.removesuffix(".ipynb") + ".md"
        elif not target.startswith("docs/") or (PROJECT / target).is_dir():
            return str(link["text"])  # a part of the repository that the site does not have
        target = posixpath.relpath(target.removeprefix("docs/"), posixpath.dirname(place)) + hash_sign + anchor
        return f'src="{target}"' if link["image"] else f"[{link['text']}]({target})"

    markdown = re.sub(r"<!-- table: (\w+) ?(.*?) -->", lambda table: globals()[f"{table[1]}_table"](table[2]), markdown)
    # Last, because outputs are HTML that may contain anything.
    return re.sub(
        r"<!-- output: (\S+) (\d+) (\d+) -->",
        lambda output: notebook_output(output[1], int(output[2]), int(output[3])),
        LINK.sub(rewrite, markdown),
    )


def _table(header: tuple[str, ...], rows: Iterable[Iterable[Any]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "&#124;") for cell in line) + " |" for line in lines)


def commands_table(_: str) -> str:
    """Every command with its arguments and its examples."""
    parts = []
    for name, summary in COMMANDS.items():
        parser = command_parser(name)
        actions = [action for action in parser._actions[1:] if action.help != argparse.SUPPRESS]
        listed = [_argument(action) for action in actions if not action.dest.startswith("setting_")]
        parts += [f"## {name}", summary, _table(("argument", "meaning"), listed), f"```text\n{parser.epilog}\n```"]
        parts += ["There is one more option for each of [the settings](settings.md)."] * (len(listed) < len(actions))
    return "\n\n".join(parts)


def _argument(action: argparse.Action) -> tuple[str, str]:
    value = action.metavar or ",".join(action.choices or ()) or (action.dest.upper() if action.nargs != 0 else "")
    return " ".join(f"`{word}`" for word in [*action.option_strings, value] if word), (action.help or "") % {}


def methods_table(_: str) -> str:
    """Every method, learned and constructed."""
    rows = [(f"`{m.name}`", m.summary, f"learned, {m.loss} loss", inspect.getdoc(m)) for m in METHODS.values()]
    rows += [(f"`{name}`", summary, "constructed", "") for name, summary in CONSTRUCTIONS.items()]
    return _table(("method", "summary", "kind", "energy"), rows)


def settings_table(_: str) -> str:
    """Every setting of a fit."""
    rows = []
    for name, option in OPTIONS.items():
        default = " or ".join(dict.fromkeys(_defaults(name)))
        rows.append((f"`{name}`", f"`{option_name(name)}`", _range_of(option), default, option.reason))
    return _table(("setting", "option", "type and range", "default", "meaning"), rows)


def defaults_table(_: str) -> str:
    """The settings whose defaults depend on the method."""
    rows = [(f"`{name}`", *_defaults(name)) for name in OPTIONS]
    return _table(("setting", *(f"`{name}`" for name in METHODS)), [row for row in rows if len({*row[1:]}) > 1])


def _defaults(name: str) -> list[str]:
    if name == "method":
        return [f"`{OPTIONS[name].default}`"]
    values = [getattr(FitConfig(method=method), name) for method in METHODS]
    values = [m.defaults.get(name) if v is None else v for m, v in zip(METHODS.values(), values, strict=True)]
    return ["open" if value is None else f"`{value}`" for value in values]


def _range_of(option: Option) -> str:
    limits = {"at least": option.at_least, "above": option.above, "at most": option.at_most}
    named = ["integer" if option.kind is int else "number", *(f"{k} {v}" for k, v in limits.items() if v is not None)]
    return " · ".join(f"`{choice}`" for choice in option.choices) or ", ".join(named)


def faults_table(kind: str) -> str:
    """The recorded cases of a kind, by what they are about."""
    files = sorted((PROJECT / "tests" / "faults" / "rows").glob("*.json"))
    rows = [row for file in files for row in json.loads(file.read_text(encoding="utf-8")) if row["kind"] == kind]
    parts = []
    for about in sorted({row["about"] for row in rows}):
        cells = [(_plain(row["case"]), _plain(row["seen"]), row["code"]) for row in rows if row["about"] == about]
        parts += [f"### {about[:1].upper()}{about[1:]}"] * bool(about)
        parts.append(_table(("what happens", "what you see", "exit code"), cells))
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is, on one line; a command and a call are code."""
    escaped = re.sub(r"([\\`*_<>\[\]])", r"\\\1", text).replace("\n", "<br>")
    return f"`{text}`" if re.match(r"hypercone |\w+\(", text) else escaped


class Docstrings(griffe.Extension):
    """Docstrings as Markdown: examples and drawings are fenced, and old names are left out."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring and obj.docstring.value.startswith("The old name of") and obj.parent:
            obj.parent.del_member(obj.name)
        elif obj.docstring:
            text = re.sub(r"(?m)^::$|:(?=:$)", "", obj.docstring.value.replace("``", "`"))
            text = re.sub(r"(?ms)^(>>>.*?)(?=\n\s*\n|\Z)", r"```pycon\n\1\n```", text)
            obj.docstring.value = re.sub(r"(?ms)^(===.*?)(?=\n\s*\n|\Z)", r"```text\n\1\n```", text)
