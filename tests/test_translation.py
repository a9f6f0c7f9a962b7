"""The Polish catalogue: complete, compiled, and nothing English left on any page."""

from __future__ import annotations

import ast
import gettext
import html
import io
import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import polib
import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils import translation
from django.utils.formats import get_format, localize
from django.utils.translation import ngettext
from django.utils.translation.template import templatize

from members.models import TITLES
from ratings.office.decision_types import kinds
from ratings.office.models import ChangeSet
from ratings.rbb.labels import CATEGORY_WORDS
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, Rating, RatingChange, RatingList, RatingListEntry, RecalculatedLine
from ratings.rules.b02 import types as b02_types
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.first_ratings import Publication
from ratings.rules.bal import cycles as bal_cycles
from ratings.rules.rbb import rating as rbb_rating
from ratings.rules.rbb.conditions import Condition
from ratings.rules.rbb.plausibility import Doubt
from ratings.rules.rbb.terminations import Impossible
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, rated
from tests.backoffice import admin_page, furnish
from tests.decisions import found as worked_out
from tests.decisions import page_of
from tests.deployment.versions import STORED_TEXTS
from tests.pages import words

ROOT = Path(__file__).parent.parent
CATALOGUE, EARLIER = (
    polib.pofile(str(folder / "pl/LC_MESSAGES/django.po")) for folder in settings.LOCALE_PATHS
)
EACH = pytest.mark.parametrize("catalogue", [CATALOGUE, EARLIER], ids=["today's", "of earlier releases"])


FUNCTIONS = re.compile(r"_|n?p?gettext(_lazy|_noop)?")
STRING = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
IN_TEMPLATE = re.compile(rf"\b(n?p?gettext|_)\(((?:{STRING})(?:, (?:{STRING}))*)(?:, count)?\)")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|&\w+;|<[^>]*>")


def forms(entry):
    return list(entry.msgstr_plural.values()) or [entry.msgstr]


def message(function, texts):
    """Context, text and plural of a call, with None for what there is not."""
    texts = list(texts)
    context = texts.pop(0) if "p" in function.removesuffix("_lazy").partition("gettext")[0] else None
    return context, texts[0], texts[1] if function.startswith("n") else None


def in_python(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            function = getattr(node.func, "id", getattr(node.func, "attr", ""))
            # What is no literal was marked where it is written.
            if FUNCTIONS.fullmatch(function) and isinstance(node.args[0], ast.Constant):
                wanted = 1 + function.startswith("n") + ("pgettext" in function)
                yield message(function, [ast.literal_eval(argument) for argument in node.args[:wanted]])


def in_template(path):
    for function, arguments in IN_TEMPLATE.findall(templatize(path.read_text())):
        yield message(function, ast.literal_eval(f"({arguments},)"))


def test_the_catalogue_has_every_message_of_the_sources_and_no_other():
    found = set()
    for app in ("foa", "members", "ratings"):
        for path in (ROOT / app).rglob("*.py"):
            found.update(in_python(path))
    for ending in ("html", "txt"):
        for path in (ROOT / "templates").rglob(f"*.{ending}"):
            found.update(in_template(path))
    known = {(entry.msgctxt, entry.msgid, entry.msgid_plural or None) for entry in CATALOGUE}
    assert found - known == set(), "make locale"
    assert known - found == set(), "make locale"


@EACH
def test_every_message_is_translated(catalogue):
    assert catalogue.untranslated_entries() == []
    assert catalogue.fuzzy_entries() == []
    assert catalogue.obsolete_entries() == []
    assert [entry.msgid for entry in catalogue if not all(forms(entry))] == []


@EACH
def test_placeholders_and_tags_are_kept(catalogue):
    for entry in catalogue:
        one, *more = forms(entry)
        assert set(PLACEHOLDER.findall(one)) == set(PLACEHOLDER.findall(entry.msgid)), entry.msgid
        for form in more:
            assert set(PLACEHOLDER.findall(form)) == set(PLACEHOLDER.findall(entry.msgid_plural)), entry.msgid


def test_a_text_that_releases_stored_is_in_one_of_the_catalogues():
    # What is stored keeps no context.
    today, earlier = (
        {entry.msgid for entry in catalogue if not entry.msgctxt} for catalogue in (CATALOGUE, EARLIER)
    )
    gone = set(json.loads(STORED_TEXTS.read_text())) - today - earlier
    assert gone == set(), "Reworded: keep the old text and its Polish in foa/locale/earlier (CONTRIBUTING.md)"
    assert today & earlier == set(), "These are back: take them out of foa/locale/earlier"


@EACH
def test_the_compiled_catalogue_is_that_of_the_source(catalogue):
    compiled = gettext.GNUTranslations(io.BytesIO(Path(catalogue.fpath).with_suffix(".mo").read_bytes()))
    expected = gettext.GNUTranslations(io.BytesIO(catalogue.to_binary()))
    del compiled._catalog[""], expected._catalog[""]  # the head, from which msgfmt leaves out a date
    assert compiled._catalog == expected._catalog, "make locale"
    assert [compiled.plural(number) for number in range(200)] == [
        expected.plural(number) for number in range(200)
    ]


def test_the_words_of_categories_in_english_are_their_names_in_addresses():
    assert {category.slug: str(word) for category, word in CATEGORY_WORDS.items()} == {
        category.slug: category.slug for category in CATEGORY_WORDS
    }


@pytest.mark.parametrize(
    "kind",
    [
        rbb_rating.Reason,
        Condition,
        Impossible,
        Doubt,
        b02_types.GameReason,
        b02_types.Outcome,
        Publication,
        Finds,
        bal_cycles.GameReason,
        bal_cycles.Formula,
    ],
)
def test_whatever_the_rules_say_is_in_the_catalogue(kind):
    """The rules mark their words and know no language; pages translate them where they show them."""
    known = {entry.msgid for entry in CATALOGUE}
    assert [one for one in kind if (one.value if isinstance(one.value, str) else one.text) not in known] == []


ATTRIBUTES = "aria-label|title|placeholder|alt|data-board|data-start-name|data-name"
TEXT_OF = re.compile(rf' (?:{ATTRIBUTES})="([^"]+)"|type="submit"[^>]* value="([^"]+)"|>([^<]+)<')
HIDDEN = re.compile(
    r'<(script|pre)\b.*?</\1>|<(code|textarea)\b[^>]* translate="no".*?</\2>|<!--.*?-->', re.DOTALL
)

SAME = {
    # The same in both languages.
    *TITLES,
    "Autumn",
    "Winter",
    "Arena",
    "Bullet",
    "CSV",
    "FIDE",
    "JSON",
    "Menu",
    "Online",
    "PGN",
    "RBB",
    "SHA",
    "Status",
    "TXT",
    "Trend",
    "UTC",
    "XLSX",
    "XML",
    "min",
    "English",
    "Polski",
    # Names and data of the arena.
    "Anna",
    "Berg",
    "anna",
    "boris",
    "cecilia",
    "dora",
    "felix",
    "gitte",
    "hanno",
    "NOR",
    "POLAND",
    "csv",
    "games",
    "list",
    "normal",
    "registrar",
    "test",
    "xyz",
    "Some",
    "work",
    # Django's and Axes' own, which their catalogues lack.
    "Access",
    "Axes",
    "Breadcrumbs",
    "False",
    "True",
    "failures",
}
"""Words that may stand on a Polish page as they stand on the English one."""

FRAGMENTS = {
    fragment
    for entry in CATALOGUE
    for text in filter(None, (entry.msgid, entry.msgid_plural))
    for fragment in map(str.strip, PLACEHOLDER.split(text))
    if sum(map(str.isalpha, fragment)) > 12 and not any(fragment in form for form in forms(entry))
}
"""What stands between the placeholders of English messages, where it is long enough to be nothing else."""


def texts_of(response):
    """The texts of a page that a person sees or hears."""
    page = HIDDEN.sub("", response.content.decode())
    return {re.sub(r"\s+", " ", html.unescape("".join(found))).strip() for found in TEXT_OF.findall(page)}


def an_arena():
    """Members, games and lines of the ledger of every kind. Whoever can have several words has none."""
    anna = member("anna", name="Berg, Anna", federation="NOR", title="WGM", fide_id=1500001, birth_year=1990)
    boris, cecilia, dora, felix = (member(name) for name in ("boris", "cecilia", "dora", "felix"))
    for who, points in ((anna, "1799.60"), (boris, "1279.60"), (dora, "100.00")):
        opening(who, points)
    opening(anna, 1500, minute=1)
    for minute, result in enumerate(("0-1", "1/2-1/2", "0-1", "1-0", "0-1", "1-0"), 10):
        game(cecilia, anna, result, minute=minute)
    game(dora, anna, "0-1", minute=21)
    game(felix, member("gitte"), minute=22)
    for minute, result in enumerate(("0-1", "1/2-1/2"), 23):
        game(felix, boris, result, minute=minute)
    games = [
        game(anna, boris, minute=30, pgn="1. e4 e5 2. Nf3 1-0", plies=3),
        game(boris, anna, rated=False, notation="420+1", minute=31, plies=1),
        game(boris, member("hanno", full_from=None), rated=False, minute=32, unrated_reason="xyz"),
        game(anna, boris, "", minute=33, ended_at=None),
        game(anna, dora, minute=34, voided_at=at(35), void_reason="xyz"),
    ]
    furnish()
    RecalculatedLine.objects.update(line=0)
    publish(category=Category.BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
    User.objects.create_user("xyz")
    # One that waits, and of which somebody saw something else than it would do.
    ChangeSet.objects.create(
        kind="void-games",
        parameters={"game": [str(games[0].pk)]},
        needs_second=True,
        proposed_at=at(35),
        shown={"fingerprint": "", "moved": 0, "largest": 0, "moves": [], "facts": []},
    )
    return SimpleNamespace(anna=anna, boris=boris, felix=felix, games=games)


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def public_pages(arena):
    anna, boris, felix = arena.anna.pk, arena.boris.pk, arena.felix.pk
    return [
        "/",
        "/members/",
        "/members/?federation=Atlantis",
        "/members/?after=x",
        "/members/?after=%00",
        "/games/",
        "/games/?since=x",
        "/changes/",
        "/ratings/blitz/",
        "/ratings/rapid/",
        "/ratings/blitz/distribution/?rating=1800",
        "/ratings/blitz/?as_of=2026-03-02",
        "/lists/blitz/compare/",
        "/months/2026-03/",
        "/records/",
        "/leaders/",
        "/leaders/blitz/improved/",
        "/leaders/blitz/active/",
        "/leaders/blitz/federations/",
        "/lists/blitz/1999-01/",
        "/how-ratings-work/",
        "/calendar/",
        "/login/",
        "/password/forgotten/",
        "/password/sent/",
        "/password/new/MQ/x-y/",
        "/password/changed/",
        "/nowhere/",
        f"/members/{anna}/",
        f"/members/{felix}/",
        f"/members/{felix}/first-rating/blitz/",
        f"/members/{felix}/first-rating/rapid/?average=x",
        f"/members/{anna}/first-rating/blitz/",
        *(f"/members/{anna}/{tab}/" for tab in ("games", "statistics", "titles", "over-the-board")),
        f"/members/{anna}/games/?since=x&category=blitz",
        f"/compare/?members={anna},{boris}",
        f"/compare/?members={anna}&member=o",
        f"/members/{anna}/against/?member=o",
        f"/members/{anna}/against/{boris}/",
        f"/members/{anna}/against/{anna}/",
        f"/members/{anna}/history/?format=x",
        *(played.get_absolute_url() for played in arena.games),
        *(line.get_absolute_url() for line in RatingChange.objects.all()),
        *(published.get_absolute_url() for published in RatingList.objects.all()),
        *(entry.get_absolute_url() for entry in RatingListEntry.objects.all()),
        "/changes/0/",
        "/register/",
        "/register/?reason=x",
        *(decided.get_absolute_url() for decided in ChangeSet.objects.applied()),
    ]


def staff_pages(arena):
    chosen = "&".join(f"game={played.pk}" for played in (arena.games[0], arena.games[-1]))
    pages = [
        "/my-ratings/",
        "/account/",
        "/account/address/",
        "/account/password/",
        f"/admin/members/member/{arena.games[0].white_id}/invite/",
        "/admin/",
        "/admin/members/member/?full_from__year=x",
        *(f"{admin_page(Game, page)}?{chosen}" for page in ("void", "reinstate")),
        admin_page(Game, "void"),
        *(page_of(kind.name) for kind in kinds()),
        f"{page_of('void-games')}?{chosen}",
        f"{page_of('delete-games')}?{chosen}",
        *(admin_page(waiting) for waiting in ChangeSet.objects.open()),
    ]
    for model in admin.site._registry:
        if model._meta.app_label in ("members", "ratings"):
            row = model.objects.first()
            pages += [admin_page(model), admin_page(model, "add"), admin_page(row), admin_page(row, "delete")]
            if hasattr(model, "history"):
                pages += [admin_page(model, "history"), admin_page(row, "history")]
    return pages


@cache
def is_partly_english(text):
    """Most texts stand on many pages, and there are thousands of fragments."""
    return any(fragment in text for fragment in FRAGMENTS)


def left_in_english(client, pages):
    """For each page the texts that a Polish reader should not find on it."""
    found = []
    for address in pages:
        english = texts_of(worked_out(client, client.get(address)))
        in_polish = {"headers": {"accept-language": "pl"}}
        polish = texts_of(worked_out(client, client.get(address, **in_polish), **in_polish))
        assert english != polish, address
        for text in polish:
            untranslated = text in english and set(re.findall(r"\b[^\W\d_]{3,}\b", text)) - SAME
            # Sentences count points as Polish writes them: zyskuje 7,20 punktu.
            decimal_comma = re.search(r"\d,\d(?!\d* punkt)", text)
            if untranslated or is_partly_english(text) or decimal_comma:
                found.append(f"{address}: {text}")
    return found


@pytest.mark.django_db
@pytest.mark.rendered
@pytest.mark.long
def test_no_public_page_has_english_words_or_decimal_commas(client, arena, caplog):
    caplog.set_level("CRITICAL")
    assert left_in_english(client, public_pages(arena)) == []


@pytest.mark.django_db
@pytest.mark.rendered
@pytest.mark.long
def test_no_page_of_the_admin_has_english_words_or_decimal_commas(staff, arena, caplog, worker):
    caplog.set_level("CRITICAL")
    assert left_in_english(staff, staff_pages(arena)) == []


@pytest.mark.django_db
@pytest.mark.rendered
def test_polish_pages_write_exact_ratings_with_a_point(client, staff):
    anna, boris = rated("1799.60"), rated("1279.60")
    game(anna, boris)
    polish = {"accept-language": "pl"}
    assert "Bez zaokrąglenia 1800.20" in words(client.get(f"/members/{anna.pk}/", headers=polish))
    assert "1800.20" in words(staff.get(admin_page(Rating), headers=polish))
    assert (
        f"{anna.username}: ranking w szachach błyskawicznych wzrósł o 0.60, z 1799.60 do 1800.20, po "
        f"wygranej z przeciwnikiem {boris.username} (1279.60), którego wynik oczekiwany wynosił 0.03."
    ) in words(
        client.get(RatingChange.objects.get(member=anna, change__gt=0).get_absolute_url(), headers=polish)
    )


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_every_language_has_a_decimal_point(language):
    with translation.override(language):
        assert get_format("DECIMAL_SEPARATOR") == "."
        assert localize(Decimal("1800.20")) == "1800.20"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "Zmienił się 1 ranking"),
        (2, "Zmieniły się 2 rankingi"),
        (5, "Zmieniło się 5 rankingów"),
        (12, "Zmieniło się 12 rankingów"),
        (22, "Zmieniły się 22 rankingi"),
    ],
)
def test_nouns_follow_their_number(count, text):
    with translation.override("pl"):
        assert (
            ngettext("%(count)s rating changed", "%(count)s ratings changed", count) % {"count": count}
            == text
        )


def without_words(data):
    """JSON without what is for people (docs/json.md)."""
    if isinstance(data, dict):
        return {key: without_words(value) for key, value in data.items() if key not in ("sentence", "text")}
    return [without_words(one) for one in data] if isinstance(data, list) else data


@pytest.mark.django_db
@pytest.mark.rendered
def test_json_says_the_same_in_every_language_but_for_its_sentences(client, arena):
    games = [f"all-games/{game.pk}" for game in arena.games]
    lines = [f"explanations/{key}" for key in RatingChange.objects.values_list("pk", flat=True)]
    for address in (f"/api/v1/{one}" for one in games + lines):
        english, polish = (
            client.get(address, headers={"accept-language": code}).json() for code in ("en", "pl")
        )
        assert english != polish
        assert without_words(english) == without_words(polish)


@pytest.mark.django_db
@pytest.mark.rendered
def test_files_are_english_in_every_language(client, arena):
    published = RatingList.objects.get(month="2026-04-01").get_absolute_url()
    lists = ["/members/", "/games/", "/changes/", "/ratings/blitz/", published]
    for address in (*lists, f"/members/{arena.anna.pk}/history/"):
        english, polish = (
            client.get(address, {"format": "csv"}, headers={"accept-language": code}).getvalue()
            for code in ("en", "pl")
        )
        assert english == polish
        assert english.count(b"\r\n") > 1


@pytest.mark.django_db
@pytest.mark.rendered
def test_why_a_game_cannot_be_rated_is_said_in_polish():
    with translation.override("pl"), pytest.raises(ValidationError) as caught:
        game(member(), member(), notation="420+1")
    assert caught.value.messages == [
        "Nie może być zaliczona do rankingu: tempo gry 420+1 nie należy do siedemnastu temp zaliczanych do "
        "rankingu (RBB 2.3)."
    ]
