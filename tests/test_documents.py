"""Documents name what there is: files, and in the tour of the code the functions."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/decisions/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"`([\w.-]+/[\w./-]+(?:\.py|\.html|\.md|\.css|\.toml|/))`")
TEST = re.compile(r"`((?:[\w/]+/)?test_\w+\.py)?(?:::)?((?:test_|Test)\w+)?(…)?`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_link_and_each_file_that_a_document_names_exists(document):
    text = document.read_text()
    links = [(document.parent / target) for _text, target in LINK.findall(text) if "://" not in target]
    assert [str(one) for one in links if not one.exists() and "mailto:" not in str(one)] == []
    # A document about one part begins their paths there.
    assert [
        name
        for name in NAMED.findall(text)
        if not (ROOT / name).exists() and not any(ROOT.glob(f"[!.]*/**/{name}"))
    ] == []


def anchors(document):
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S), re.M
    )
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_heading_that_a_link_leads_to_exists(document):
    links = re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", document.read_text())
    wrong = [
        (target, anchor)
        for target, anchor in links
        if "://" not in target and (not target or target.endswith(".md"))
        if anchor not in anchors(document.parent / target if target else document)
    ]
    assert wrong == []


def test_operations_lists_each_setting_and_each_command():
    """Both ways. A command may have its row together with others."""
    page = (ROOT / "docs" / "operations.md").read_text()
    settings, commands = (
        page.split(f"\n## {name}\n")[1].split("\n## ")[0] for name in ("Settings", "Commands")
    )
    code = "".join((ROOT / "foa" / name).read_text() for name in ("settings.py", "environment.py"))
    read = set(re.findall(r"env\.\w+\(\s*\"([A-Z_0-9]+)\"", code)) - {"PORT"}
    assert set(re.findall(r"^\| `([A-Z_0-9]+)` \|", settings, re.M)) == read
    rows = re.findall(r"^\| (`.*?`) \|", commands, re.M)
    listed = {name for row in rows for name in re.findall(r"`(\w+)", row)}
    files = (
        path
        for app in ("foa", "ratings", "members")
        for path in (ROOT / app).rglob("management/commands/*.py")
    )
    assert listed == {path.stem for path in files} - {"__init__", "migrate"}


def test_monitoring_lists_each_check():
    source = "".join(
        path.read_text() for path in (*(ROOT / "foa").rglob("*.py"), *(ROOT / "ratings").rglob("*.py"))
    )
    page = (ROOT / "docs" / "monitoring.md").read_text()
    assert set(re.findall(r"`(foa\.[EW]\d+)`", page)) == set(re.findall(r'id="(foa\.[EW]\d+)"', source))


@cache
def defined(file):
    """The names of all tests of a file of tests, and of those that it inherits its cases from."""
    return re.findall(r"^ *(?:def|class) ([tT]est\w+)", file.read_text(), re.M)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_test_that_a_document_names_exists(document):
    missing = []
    for line in document.read_text().splitlines():
        files = list((ROOT / "tests").rglob("test_*.py"))
        for name, function, more in TEST.findall(line):
            if name:
                here = (ROOT, ROOT / "tests", ROOT / "tests" / "rules")
                files = [place / name for place in here if (place / name).exists()]
            known = {one for file in files for one in defined(file)} if function else ()
            is_there = any(one == function or (more and one.startswith(function)) for one in known)
            if not files or (function and not is_there):
                missing.append(f"{name}::{function}{more}")
    assert missing == []


def test_the_tour_links_to_functions_where_they_are():
    tour = ROOT / "docs" / "tour.md"
    missing = []
    for text, target in LINK.findall(tour.read_text()):
        name = text.strip("`")
        if not text.startswith("`") or name.endswith((".py", ".html")):
            continue
        *owner, function = name.split(".")
        source = (tour.parent / target).read_text()
        missing += [
            (name, target)
            for one in (*owner, function)
            if not re.search(rf"^\s*(?:def|class) {one}\b", source, re.M)
        ]
    assert missing == []


@cache
def sources():
    """The parts of the path of each file of the product, and all names that it defines."""
    files = [path for app in ("foa", "members", "ratings") for path in (ROOT / app).rglob("*.py")]
    return [(path.relative_to(ROOT).with_suffix("").parts, names(path)) for path in files]


def names(path):
    """What a file defines: functions, classes and constants, and members alone and with their class."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        own = set(defines(node))
        members = {name for one in getattr(node, "body", ()) for name in defines(one)}
        found |= own | members | {f"{owner}.{name}" for owner in own for name in members}
    return found


def defines(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def is_defined(name):
    """Return True for a module, and for what one defines: ``rating.adjust``, ``Game.clean``."""
    if ".objects." in name:
        return all(map(is_defined, name.split(".objects.")))
    parts = tuple(name.split("."))
    return any(
        file[len(file) - cut :] == parts[:cut] and (cut == len(parts) or ".".join(parts[cut:]) in names)
        for file, names in sources()
        for cut in range(len(parts) + 1)
    )


def test_each_article_of_the_regulations_leads_to_functions_that_exist_and_to_a_test():
    """Whether the tests exist is asked of every document above."""
    assert not is_defined("rating.nothing")
    missing, rows = [], 0
    for line in (ROOT / "docs" / "regulations.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or len(cells) != 4 or cells[1] in ("reading", "Reading"):
            continue
        rows += 1
        article, _reading, functions, tests = cells
        named = re.findall(r"`([\w.]+?)(?:\.py)?`", functions)
        missing += [(article, name) for name in named if not is_defined(name)]
        # The office does something itself, and no rule.
        missing += [(article, "function")] * (not named and functions != "–")
        missing += [(article, "test")] * ("test_" not in tests)
    assert missing == []
    assert rows > 100
