"""The players and games of a report, row by row: what pages, files and the rating of a period read."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import HundredthsField
from ratings.otb.models.tournaments import Tournament


class TournamentPlayer(models.Model):
    """A player as the report that counts has them: a projection of it, never edited.

    ``line``: in the file, counted from 1. ``number``: start number. ``sex``: m, w or empty. ``title``: FIDE's
    abbreviation. ``rating``: points, as reported; None without one. It decides nothing, because ratings come
    from the lists (B.02 4.13). ``federation``: FIDE's code or empty. ``other_id``: what the file has in place
    of a FIDE ID. ``birth``: as written. ``points``: tenths, None if the file has none. ``rank``: of the
    report, None without one. ``team``: name of the first team that has the player; empty without teams.

    What follows from the report: ``place``: the final place, from 1, each once: by the reported ranks;
    without them by points, tie-breaks and start number. ``buchholz_cut_1``, ``buchholz``: half points;
    ``sonneborn_berger``: quarter points; ``won``: games won over the board. These four are our own (C.07),
    None where the report ranks everybody or a tournament of its kind has none.

    What the tournament is worth for their rating is a ``TournamentResult`` with the same number.
    """

    tournament = models.ForeignKey(
        Tournament,
        on_delete=models.CASCADE,
        related_name="players",
        db_index=False,
        verbose_name=_("tournament"),
    )
    line = models.IntegerField(_("line"))
    number = models.PositiveSmallIntegerField(_("start number"))
    sex = models.CharField(_("sex"), max_length=1, blank=True)
    title = models.CharField(_("title"), max_length=3, blank=True)
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=150)
    rating = models.SmallIntegerField(_("rating"), null=True, help_text=_("As reported."))
    federation = models.CharField(_("federation"), max_length=3, blank=True)
    fide_id = models.IntegerField(_("FIDE ID"), null=True)
    other_id = models.CharField(_("other number"), max_length=20, blank=True)
    birth = models.CharField(_("date of birth"), max_length=20, blank=True)
    points = models.IntegerField(_("points"), null=True, help_text=_("In tenths."))
    rank = models.PositiveSmallIntegerField(_("rank"), null=True, help_text=_("As reported."))
    team = models.CharField(_("team"), max_length=32, blank=True)
    place = models.PositiveSmallIntegerField(_("place"))
    buchholz_cut_1 = models.SmallIntegerField(_("Buchholz Cut 1"), null=True)
    buchholz = models.SmallIntegerField(_("Buchholz"), null=True)
    sonneborn_berger = models.IntegerField(_("Sonneborn-Berger"), null=True)
    won = models.SmallIntegerField(_("games won over the board"), null=True)

    class Meta:
        verbose_name = _("tournament player")
        verbose_name_plural = _("tournament players")
        ordering = ("tournament", "line")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="tournament_player_once")
        ]
        # Tournaments that somebody plays in, also those that wait to be rated.
        indexes = [models.Index(fields=["fide_id", "tournament"], name="tournament_of_player")]

    def __str__(self) -> str:
        return gettext("%(tournament)s: %(name)s") % {"tournament": self.tournament, "name": self.name}


class TournamentGame(models.Model):
    """A pairing of two players, or a round that a player spent without one; a projection, never edited.

    ``white``, ``black``: start numbers. Without an opponent ``black`` is None and ``white`` the player, and
    where the report gives no colours, ``white`` is the lower number. A round for which the line of a player
    has no entry at all has no row; the number of rounds is that of the last round with a row. Reports don't
    say on which board a game was played.

    ``colours``: those that the report gives for white and black: wb, or - for one that it doesn't give.
    ``white_result``, ``black_result``: the codes of TRF as written (``formats.trf.Result``), which say how it
    ended: 1 = 0 played, + - a forfeit, W D L played and not to be rated, H F U Z byes, a blank none at all.
    The two of a played game aren't one point after a penalty.

    What the rating of a period settles is None until then, and again if the rating is taken back. For each
    side: ``…_reason``: ``GameReason`` by number, whether the game counts, and why not; its article depends on
    the edition. ``…_against``: the opponent's rating as used, points; None if the game doesn't count.
    ``…_expected``: expected score P(D) of a rated player in points, exact to hundredths. What the game
    changes is K × (score − P(D)), with K of the player's ``TournamentResult``.
    """

    tournament = models.ForeignKey(
        Tournament,
        on_delete=models.CASCADE,
        related_name="games",
        db_index=False,
        verbose_name=_("tournament"),
    )
    round = models.PositiveSmallIntegerField(_("round"))
    white = models.PositiveSmallIntegerField(_("White"))
    black = models.PositiveSmallIntegerField(_("Black"), null=True)
    colours = models.CharField(_("colours"), max_length=2)
    white_result = models.CharField(_("White’s result"), max_length=1)
    black_result = models.CharField(_("Black’s result"), max_length=1, blank=True)
    white_reason = models.SmallIntegerField(_("how it counts for White"), null=True)
    black_reason = models.SmallIntegerField(_("how it counts for Black"), null=True)
    white_against = models.SmallIntegerField(_("rating of White’s opponent"), null=True)
    black_against = models.SmallIntegerField(_("rating of Black’s opponent"), null=True)
    white_expected = HundredthsField(_("White’s expected score"), null=True)
    black_expected = HundredthsField(_("Black’s expected score"), null=True)

    class Meta:
        verbose_name = _("tournament game")
        verbose_name_plural = _("tournament games")
        ordering = ("tournament", "round", "white")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["tournament", "round", "white"], name="tournament_game_once")
        ]

    def __str__(self) -> str:
        words = {"tournament": self.tournament, "round": self.round}
        return gettext("%(tournament)s, round %(round)d") % words
