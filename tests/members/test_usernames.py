"""Usernames: how they are written, when two are one, and what becomes of those from before."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from members.importing import COLUMNS
from members.models import Member, this_year
from members.usernames import Usernames, composed, fault_in, key_of, mixed_in, stands_for_nobody
from ratings.formats.unseen import unseen
from tests.arena import member
from tests.commands import csv_file, game_row, refusals, run

APART, TOGETHER = "jose\u0301", "jos\u00e9"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anna", "ANNA"),
        (APART, TOGETHER),
        (APART, "JOSÉ"),
        ("straße", "STRASSE"),
        ("ΣΑΣ", "σας"),
        ("ŁUCJA", "łucja"),
    ],
)
def test_usernames_that_differ_only_in_case_or_composition_have_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("anna", "ana"), ("łucja", "lucja"), ("jose", "josé"), ("a.b", "a_b")]
)
def test_other_usernames_have_other_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


@given(st.text(max_size=150))
def test_a_key_is_its_own_key_and_fits(text: str) -> None:
    assert key_of(key_of(text)) == key_of(text) == key_of(composed(text))
    assert len(key_of(text)) <= Member._meta.get_field("username_key").max_length


@pytest.mark.parametrize("char", ["\u200b", "\ufeff", "\xad", "\u202e", "\xa0", "\u3164", "\ufe0f", "\x7f"])
def test_what_cannot_be_seen_is_named(char: str) -> None:
    assert unseen(f"an{char}na") == f"U+{ord(char):04X}"


@pytest.mark.parametrize("username", ["anna", "Anna Berg", "José", "łucja_1", "名前", "анна", "a-b.c+d@e"])
def test_what_people_write_can_be_seen(username: str) -> None:
    assert unseen(username) == ""


UNFIT = {
    ".": "The username “.” needs at least one letter or digit.",
    "_-_": "The username “_-_” needs at least one letter or digit.",
    "admin/../x": "The username “admin/../x” contains a slash. Remove it.",
    "a\\b": "The username “a\\b” contains a slash. Remove it.",
    "ａｎｎａ": ("The username “ａｎｎａ” has characters in an unusual width or form. Write it as “anna”."),
    "ﬁnn": "The username “ﬁnn” has characters in an unusual width or form. Write it as “finn”.",
    "an\u2066na": "U+2066 in the username “an\u2066na” is invisible. Remove it.",
}


@pytest.mark.parametrize("username", UNFIT)
def test_a_username_that_misleads_or_fits_no_address_is_refused_with_what_to_do(username: str) -> None:
    assert str(fault_in(username)) == UNFIT[username]


@pytest.mark.parametrize(
    "username", ["anna", "Anna Berg", "Jose\u0301", "łucja_1", "名前", "a-b.c+d@e", "...7"]
)
def test_other_usernames_may_be_taken(username: str) -> None:
    assert fault_in(username) is None


NOBODY = [
    "BYE",
    "bye 2",
    "- Bye -",
    "NN",
    "N.N.",
    "N. N.",
    "No player",
    "no-opponent",
    "Spielfrei",
    "unknown",
]
SOMEBODY = ["nn1", "Nunn", "byer", "goodbye", "Noplay", "Guesta", "ai_weiwei", "Computerfan", "Ann"]


@pytest.mark.parametrize("name", NOBODY)
def test_an_entry_for_nobody_is_recognised(name: str) -> None:
    assert stands_for_nobody(name) == (
        f"“{name}” doesn’t stand for a person, so nobody was registered for it: leave it out, "
        "or, if a member has this username, register them in the admin"
    )


@pytest.mark.parametrize("name", SOMEBODY)
def test_a_name_that_only_looks_like_an_entry_for_nobody_is_a_name(name: str) -> None:
    assert stands_for_nobody(name) == ""


@pytest.mark.django_db
def test_files_of_games_register_nobody_for_a_bye(tmp_path):
    member("anna")
    rows = [
        game_row(1, black="BYE"),
        game_row(2, white="N.N.", black="bert"),
        game_row(3, black="bert"),
    ]
    done = run("import_games", csv_file(tmp_path / "games.csv", rows), "--create-members")
    assert "1 stored, 0 already there, 2 refused" in done.out
    assert refusals(done) == [
        f"line {line}: {colour} {stands_for_nobody(name)}"
        for line, colour, name in ((2, "black", "BYE"), (3, "white", "N.N."))
    ]
    assert {one.username for one in Member.objects.all()} == {"anna", "bert"}


@pytest.mark.django_db
def test_a_registered_member_may_have_such_a_username(tmp_path):
    for username in ("anna", "nn"):
        member(username)
    done = run("import_games", csv_file(tmp_path / "games.csv", [game_row(1, black="NN")]))
    assert "1 stored" in done.out


@pytest.mark.django_db
def test_files_of_members_register_nobody_for_a_bye(tmp_path):
    path = csv_file(tmp_path / "members.csv", [{"username": "Bye"}, {"username": "anna"}], COLUMNS)
    assert refusals(run("import_members", path)) == [f"line 2: username: {stands_for_nobody('Bye')}"]
    assert {one.username for one in Member.objects.all()} == {"anna"}


@pytest.mark.parametrize(
    ("name", "letters"),
    [("аnna", "а + nna"), ("Berg, Αnna", "Α + nna"), ("Ivan Иvan", "И + van")],
)
def test_letters_of_several_alphabets_in_one_word_are_named(name: str, letters: str) -> None:
    word = name.split()[-1]
    assert str(mixed_in(name)) == (
        f"“{word}” mixes letters from several alphabets, so it may look like another name: {letters}."
    )


@pytest.mark.parametrize("name", ["Anna", "Анна", "Ivan Иван", "名前 Anna", "Łucja", "Ωμέγα 7", ""])
def test_words_of_one_alphabet_mislead_nobody(name: str) -> None:
    assert mixed_in(name) is None


def test_a_username_is_found_however_it_is_composed_and_never_guessed() -> None:
    people = Usernames([("anna", 1), ("Anna", 2), (APART, 3)])
    assert [people.get(name) for name in ("anna", "Anna", "ANNA", TOGETHER, APART)] == [1, 2, None, 3, 3]
    people.add(TOGETHER, 4)
    assert people.get(TOGETHER) is None


@pytest.mark.django_db
class TestMembers:
    def checked(self, **values):
        who = Member(**values)
        who.full_clean()
        who.save()
        return who

    def test_a_new_username_is_stored_in_nfc_with_its_key(self):
        who = self.checked(username="Jose\u0301")
        assert (who.username, who.username_key) == ("Jos\u00e9", TOGETHER)
        who.username = "Other"
        who.save()
        assert Member.objects.get().username_key == "other"

    @pytest.mark.parametrize("username", ["ANNA", "Anna"])
    def test_a_username_that_differs_only_in_case_is_refused(self, username):
        member("anna", full_from=None)
        with pytest.raises(
            ValidationError, match=("“anna” belongs to another member, and differs only in capital letters")
        ):
            self.checked(username=username)

    def test_a_username_with_what_cannot_be_seen_is_refused(self):
        with pytest.raises(ValidationError, match=r"U\+200B in the username “.*” is invisible\. Remove it\."):
            self.checked(username="an\u200bna")

    @pytest.mark.parametrize("hidden", ["\u200e", "\u202e", "\u2067", "\u200b", "\u200d"])
    def test_a_name_with_what_cannot_be_seen_is_refused_unless_it_is_from_before(self, hidden):
        who = member("anna", name=f"Berg,{hidden} Anna", full_from=None)
        who.title = "FM"
        who.full_clean()
        who.name = f"{hidden}Berg"
        told = rf"U\+{ord(hidden):04X} in the name is invisible\. Remove it\."
        with pytest.raises(ValidationError, match=told):
            who.full_clean()
        with pytest.raises(ValidationError, match=told):
            self.checked(username="bob", name=f"Berg,{hidden} Anna")

    @pytest.mark.parametrize("username", ["ANNA", "an\u200bna", ".", "admin/../x", "ａｎｎａ"])
    def test_a_member_from_before_keeps_the_username_until_somebody_changes_it(self, username):
        member("anna", full_from=None)
        who = member(username, full_from=None)
        who.name = "Berg, Anna"
        who.full_clean()
        who.save()
        assert Member.objects.get(pk=who.pk).name == "Berg, Anna"

    def test_saving_composes_a_username_from_before(self):
        who = member(APART, full_from=None)
        who.full_clean()
        who.save()
        assert Member.objects.get().username == TOGETHER

    def test_nobody_is_born_in_the_future(self):
        self.checked(username="anna", birth_year=this_year())
        with pytest.raises(ValidationError, match="birth_year"):
            self.checked(username="bob", birth_year=this_year() + 1)


@pytest.mark.django_db
class TestGames:
    def load(self, tmp_path, *rows, options=()):
        return run("import_games", csv_file(tmp_path / "games.csv", rows), *options)

    def test_a_game_finds_its_players_however_the_file_composes_them(self, tmp_path):
        member(TOGETHER)
        member("bob")
        row = game_row(1, white=APART)
        assert "1 stored" in self.load(tmp_path, row).out
        assert "1 already there" in self.load(tmp_path, row).out

    def test_a_game_finds_its_players_in_any_case_and_makes_no_member_of_it(self, tmp_path):
        member("anna")
        member("bob")
        rows = game_row(1, white="Anna"), game_row(2, "Carl", "BOB"), game_row(3, "carl", "bob")
        assert "3 stored" in self.load(tmp_path, *rows, options=("--create-members",)).out
        assert "3 already there" in self.load(tmp_path, *rows).out
        assert set(Member.objects.values_list("username", flat=True)) == {"anna", "bob", "Carl"}

    def test_of_two_members_of_an_earlier_version_the_one_is_meant_who_is_written_so(self, tmp_path):
        for username in ("anna", "Anna", "bob"):
            Member(username=username).save_base(raw=False)
        done = self.load(tmp_path, game_row(1, white="ANNA"))
        assert "“anna” and “Anna” are registered. Capital letters don’t make a different username" in done.err

    def test_members_made_by_an_import_have_usernames_that_can_be_seen_and_differ(self, tmp_path):
        rows = game_row(1, "anna", "bob"), game_row(2, "ANNA", "bob"), game_row(3, "an\u200bna", "bob")
        rows += (game_row(4, "admin/../x", "bob"), game_row(5, "ａｎｎａ", "bob"))
        done = self.load(tmp_path, *rows, options=("--create-members",))
        assert "2 stored, 0 already there, 3 refused" in done.out
        assert "line 5: white “admin/../x”: The username “admin/../x” contains a slash. Remove it" in done.err
        assert (
            "line 6: white “ａｎｎａ”: The username “ａｎｎａ” has characters in an unusual width" in done.err
        )
        said = "U+200B in the username “an\u200bna” is invisible. Remove it"
        assert f"line 4: white “an\u200bna”: {said}" in done.err
        done = self.load(tmp_path, game_row(6, "аnna", "bob"), options=("--create-members",))
        assert "New members with different alphabets in one word, 1: аnna" in done.out
        assert set(Member.objects.values_list("username", flat=True)) == {"anna", "bob", "аnna"}
