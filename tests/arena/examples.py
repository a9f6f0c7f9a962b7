"""What the examples of the API's documentation are about."""

from datetime import UTC, datetime
from typing import Final

from django.apps import apps
from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection, transaction

from ratings.arena.models import GameServer, Webhook
from ratings.arena.services.registering import register_server
from ratings.arena.services.webhooks import begin
from ratings.office.models import ChangeSet
from ratings.rbb.lists.freezing import freeze
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import ArenaEvent, Game, RatingList, RunningClocks
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening

APRIL: Final = datetime(2026, 4, 1, tzinfo=UTC)
GAME: Final = 4711
BEGAN: Final = datetime(2026, 3, 1, 10, tzinfo=UTC)


def furnish_examples():
    """Anna beats Bert in March in the office's game 4711; the blitz list of April is published.

    She asked for the same list, which is 4711. The two also play what the server “arena” calls 4711, which
    goes on. Its webhook is 4711, and a decision that moved nothing.
    """
    anna = member("anna", name="Berg, Anna", fide_id=1500001, federation="NOR", title="WFM")
    bert = member("bert", name="Vik, Bert")
    opening(anna, 1600)
    opening(bert, 1500)
    played = game(anna, bert, pk=GAME, external_id="elsewhere/1")
    continue_counting(Game)
    playing = game(anna, bert, "", started_at=BEGAN, ended_at=None, external_id=f"arena/{GAME}")
    RunningClocks.objects.create(game=playing, white=180_000, black=180_000, at=BEGAN)
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    with transaction.atomic():
        requested = RatingList.objects.create(
            pk=GAME, category=Category.BLITZ, as_of=APRIL, requested_by=anna, published_at=APRIL, members=0
        )
        freeze(requested)
    continue_counting(RatingList)
    ChangeSet.objects.create(
        pk=GAME, kind="void-games", state=ChangeSet.State.APPLIED, public_reason="fair-play",
        proposed_at=APRIL, applied_at=APRIL, needs_second=False,
    )  # fmt: skip
    continue_counting(ChangeSet)
    server = GameServer.objects.filter(name="arena").first() or register_server("arena")[0]
    begin(
        Webhook(pk=GAME, server=server, url="https://arena.example/hook", events=["rating.changed"]), at=APRIL
    )
    continue_counting(Webhook)
    ArenaEvent.objects.create(pk=GAME, external_id="arena/spring", name="Spring Open")
    continue_counting(ArenaEvent)
    if apps.is_installed("ratings.otb"):
        furnish_over_the_board()
    if apps.is_installed("ratings.league"):
        furnish_league()
    if apps.is_installed("ratings.organizers"):
        furnish_organizers()
    return played


def furnish_over_the_board():
    """The tournament 4711, a Swiss of two players, is rated for the standard list of April."""
    from ratings.otb.models import (
        OtbList,
        OtbListEntry,
        Tournament,
        TournamentGame,
        TournamentPlayer,
        TournamentReport,
    )

    day = BEGAN.date()
    tournament = Tournament.objects.create(pk=GAME, name="Harbour Open", first_day=day, last_day=day)
    continue_counting(Tournament)
    tournament.report = TournamentReport.objects.create(
        tournament=tournament, source="open.trf", content=b"", sha256="e" * 64, received_at=APRIL,
        records={"headers": [], "teams": [], "rest": []},
    )  # fmt: skip
    tournament.status = Tournament.Status.RECEIVED
    tournament.save()
    for number, name in enumerate(("Berg, Anna", "Vik, Bert"), 1):
        TournamentPlayer.objects.create(
            tournament=tournament, line=number, number=number, name=name, place=number, points=10 // number
        )
    TournamentGame.objects.create(
        tournament=tournament, round=1, white=1, black=2, colours="wb", white_result="1", black_result="0"
    )
    TournamentGame.objects.create(tournament=tournament, round=2, white=2, colours="--", white_result="H")
    otb_list = OtbList.objects.create(
        list_day=APRIL.date(), revision=1, published_at=APRIL, checksum="0" * 64
    )
    OtbListEntry.objects.create(
        otb_list=otb_list, fide_id=1500001, name="Berg, Anna", folded="BERG, ANNA", rating=2000, k=20,
        listing=3,
    )  # fmt: skip


def furnish_league():
    """The season 4711 of a league has a cycle with an empty list."""
    from ratings.league.models import Cycle, CycleList, League, Season

    league = League.objects.create(name="BAL")
    season = Season.objects.create(pk=GAME, league=league, name="BAL 2026", ordinal=1)
    continue_counting(Season)
    cycle = Cycle.objects.create(season=season, number=1, last_round=3, closed_at=APRIL)
    CycleList.objects.create(cycle=cycle, published_at=APRIL, checksum="0" * 64)


def furnish_organizers():
    """Olga reports for NOR, also the tournament 4711, and has sent the file 4711."""
    from ratings.organizers.models import Scope, Submission
    from ratings.otb.models import Tournament

    Tournament.objects.filter(pk=GAME).update(federation="NOR")
    olga = User.objects.create_user("olga")
    scope = Scope.objects.create(user=olga, language="en", federation="NOR", given_at=APRIL, invited_at=APRIL)
    Submission.objects.create(
        pk=GAME, scope=scope, federation="NOR", source="open.trf", content=b"012 Open", sha256="f" * 64,
        sent_at=APRIL,
    )  # fmt: skip
    continue_counting(Submission)


def continue_counting(model):
    """Let the next row's key follow the one chosen here: PostgreSQL counts on by itself."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
