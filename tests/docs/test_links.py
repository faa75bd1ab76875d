"""Links lead somewhere: every file, picture and heading that a page points to exists."""

import re

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
FENCES = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def test_every_relative_link_leads_somewhere(any_page, project):
    for target in links_of(any_page):
        path, _, anchor = target.partition("#")
        place = (any_page.parent / path).resolve() if path else any_page
        assert place.exists(), f"{any_page.name}: {target}"
        assert place.is_relative_to(project), f"{any_page.name}: {target} is outside the project"
        if anchor:
            assert anchor in anchors_of(place), f"{any_page.name}: no heading for {target}"


def test_no_figure_is_left_to_be_filled_in(any_page):
    assert "{{" not in any_page.read_text(encoding="utf-8")


def test_every_page_can_be_reached_from_the_readme(project):
    seen, waiting = set(), [project / "README.md"]
    while waiting:
        page = waiting.pop()
        seen.add(page)
        linked = [(page.parent / target.partition("#")[0]).resolve() for target in links_of(page)]
        waiting += [place for place in linked if place.suffix == ".md" and place not in seen]
    assert {*(project / "docs").rglob("*.md")} <= seen


def test_the_picture_is_small_enough_to_load_at_once(project):
    pictures = list((project / "docs" / "images").iterdir())
    assert pictures
    assert all(picture.stat().st_size <= 300 * 1024 for picture in pictures)


def links_of(page):
    text = CODE.sub("", FENCES.sub("", page.read_text(encoding="utf-8")))
    found = (match[1] or match[2] for match in LINK.finditer(text))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors_of(page):
    headings = re.findall(r"^#+ (.+)$", FENCES.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
