"""Plain English: no riddles, a plural for every number, one language in a sentence."""

from __future__ import annotations

import ast
import re
from itertools import chain

import pytest
from django.core.management import get_commands, load_command_class

from tests.test_translation import CATALOGUE, ROOT, forms, in_python, in_template

APPS = ("foa", "members", "ratings")
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
COMMANDS = [name for name, app in get_commands().items() if app.split(".")[0] in APPS]

RIDDLES = re.compile(
    r"""\b(?:
        (?:he|his|him|himself|she|her|herself)        # they
        | (?<!here\ )is\ no\ (?!longer|more\b|less\b)  # isn’t a
        | there\ is\ no\ such
        | nothing\ but
        | by\ now
        | as\ it\ stands
        | st(?:ands?|ood)\ otherwise
        | comes?\ (?:out|about)
        | counts?\ for\ nothing
        | no\ longer\ there
        | nobody['’]s
        | on\ the\ (?:whole|books)
        | lies\ (?:ahead|in\ the\ future)
        | since\ ever
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
HEARD = re.compile(
    r"""\b(?:
        (?:cannot|can['’]t)\ be\ played\ through
        | never\ altered
        | however\ great
        | (?:is|are)\ worth
        | see\ what\ becomes\ of\ them
        | half\ of\ it
        | the\ own\ rating
        | none\ of\ (?:my|your|their)
        | (?:you|I)\ (?:are|am)\ told
        | told\ the\ old
        | makes?\ the\ first\ rating
        | opponents\ to\ come
        | left\ to\ reach
        | in\ the\ words\ of
        | taken\ over\ from
        | of\ those\ of\ them
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Heard on pages, and refused there."""
BARE = re.compile(
    r"(?:B\.02 [\d., ]+: |RBB [\d., ]+: )?"
    r"(?:What|Who|Whose|Whom|Whether|Which|Of|With|By|For|So|Whoever|Beside|Without|Behind|Within) ",
    re.IGNORECASE,
)
"""No verb and no noun: nobody would begin a sentence so."""
QUOTED = re.compile(r"“[^”]*”|„[^”]*”|`[^`]*`|<[^>]+>|%\(\w+\)[sd]|\{\w+\}")
"""What is quoted, code or a placeholder is in nobody's language."""

COMMAND_LINE = re.compile(
    rf"(?:(?<![\w-])--[a-z]|\bmanage\.py\b|\b(?:{'|'.join(one for one in COMMANDS if '_' in one)})\b)"
)

COUNTED = re.compile(
    r"(?P<before>\w* ?)(?:%\((?P<name>\w+)\)d|%d|\{\{ ?(?P<value>\w+) ?\}\}) (?P<noun>[a-z]+s)\b"
)
LIMIT = re.compile(r"(?:had|than|least|most|Over|Compare|Select|has|between|holds) $")
"""What a number is compared with is a limit, and more than one."""
NO_NOUNS = {"appears", "counts", "is", "has", "was", "as", "this", "its", "does", "points", "loses"}
LIMITS = {"most", "needed", "limit", "longest", "moves", "days", "found"}

ENGLISH = re.compile(r"\b(?:the|of|and|is|are|was|were|with|from|for|not|has|have|this|that|which)\b")


def messages():
    """Every message of the sources: its singular, and its plural or None."""
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            yield from ((one, many) for _context, one, many in in_python(path))
    for path in chain((ROOT / "templates").rglob("*.html"), (ROOT / "templates").rglob("*.txt")):
        yield from ((one, many) for _context, one, many in in_template(path))


def errors():
    """What is raised or printed without a translation."""
    spoken = {"say", "fault", "refuse", "Problem", "FileRefused", "CommandError", "Fault"}
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    isinstance(node, ast.Call)
                    and getattr(node.func, "id", getattr(node.func, "attr", "")) in spoken
                ):
                    parts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
                    yield from (part for part in parts if isinstance(part, str))


def riddles(texts, heard=RIDDLES):
    return sorted({text for text in texts if heard.search(QUOTED.sub(" ", text))})


def test_pages_speak_plainly():
    texts = [text for message in messages() for text in message if text]
    assert riddles(texts) == []
    assert riddles(texts, HEARD) == []


def test_pages_name_no_command_and_none_of_its_options():
    told = {text for message in messages() for text in message if text and COMMAND_LINE.search(text)}
    assert sorted(told) == []


def test_errors_speak_plainly():
    assert riddles(errors()) == []


def test_docstrings_begin_with_a_verb_or_a_noun():
    told = (
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value.value}"
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        if path.parent.name != "migrations"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if BARE.match(str(node.value.value))
    )
    assert sorted(told) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_speaks_plainly(name):
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    helps = (action.help for action in parser._actions if action.help)
    assert riddles([parser.description, *helps]) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_speak_plainly(name):
    text = re.sub(r"```.*?```", " ", (ROOT / name).read_text(), flags=re.DOTALL)
    assert riddles(re.split(r"\n\s*\n|\n(?=[*|-])", text)) == []


def test_a_number_that_varies_has_a_plural():
    lacking = {
        one
        for one, many in messages()
        for found in COUNTED.finditer(one)
        if many is None
        and found["noun"] not in NO_NOUNS
        and found["name"] not in LIMITS
        and not LIMIT.search(found["before"])
    }
    assert sorted(lacking) == []


def test_no_polish_sentence_has_english_words():
    mixed = [text for entry in CATALOGUE for text in forms(entry) if ENGLISH.search(QUOTED.sub(" ", text))]
    assert mixed == []
