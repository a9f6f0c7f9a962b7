"""Simulated arenas in blitz: honest members with all their habits, and planted schemes.

Nobody is drawn for a scheme because of a result. ``SEEDS`` are for working on the radar, ``HELD_OUT`` for
the tests alone.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from ratings.lab.arrays import Data

SEEDS, HELD_OUT = range(1, 6), range(101, 111)
LIMITS = (1200, 1400, 1600, 1800, 2000)

JUNIORS, FRIENDS, CLUBS, TEACHERS, BAD_LINES = 0.08, 60, 6, 12, 20


@dataclass
class Scheme:
    """What was planted: its kind, who gains by it, and everybody in it."""

    kind: str
    who: int
    everybody: set[int] = field(default_factory=set)


@dataclass
class Arena:
    data: Data
    gone: np.ndarray
    schemes: list[Scheme]

    @property
    def crooked(self):
        """Everybody in a scheme."""
        return set().union(*(one.everybody for one in self.schemes)) if self.schemes else set()


class Simulation:
    """Members with a true strength, and a rating of their own that decides whom they meet."""

    def __init__(self, seed, members, games):
        self.dice = random.Random(seed)
        self.members, self.games = members, games
        dice = self.dice
        self.strength = [min(max(dice.gauss(1500, 280), 700), 2600) for _ in range(members)]
        self.newcomer = [dice.random() < 0.3 for _ in range(members)]
        self.since = [dice.uniform(0, 0.8) if new else 0.0 for new in self.newcomer]
        self.climbs = [dice.uniform(150, 400) if dice.random() < JUNIORS else 0 for _ in range(members)]
        self.activity = [dice.lognormvariate(0, 0.8) for _ in range(members)]
        # Ratings carried in from elsewhere may be off.
        self.opening = [
            round(one + dice.gauss(0, 70)) if not new else None
            for one, new in zip(self.strength, self.newcomer, strict=True)
        ]
        self.form = [dice.gauss(0, 40) for _ in range(members)]
        self.rating = [float(one or 1500) for one in self.opening]
        self.friends: dict[int, list[int]] = {}
        some = dice.sample(range(members), 2 * FRIENDS + 8 * CLUBS + TEACHERS + BAD_LINES)
        for _ in range(FRIENDS):
            one, other = some.pop(), some.pop()
            self.friends[one], self.friends[other] = [other], [one]
        for _ in range(CLUBS):
            club = [some.pop() for _ in range(8)]
            self.friends |= {one: [other for other in club if other != one] for one in club}
        self.teachers = {some.pop() for _ in range(TEACHERS)}
        for one in self.teachers:
            self.strength[one], self.newcomer[one], self.since[one] = 2100, False, 0.0
            self.opening[one], self.rating[one] = 2100, 2100.0
        self.bad_lines = {some.pop() for _ in range(BAD_LINES)}
        self.forced: dict[int, tuple[int, int | None, float, bool]] = {}
        self.throwing: dict[int, tuple[float, float]] = {}
        self.schemes: list[Scheme] = []
        self.free = [one for one in range(members) if one not in self.friends and one not in self.teachers]
        dice.shuffle(self.free)

    # Schemes

    def _take(self, fits=lambda one: True):
        for place, one in enumerate(self.free):
            if fits(one):
                return self.free.pop(place)
        raise AssertionError("nobody is left for a scheme")

    def _force(self, begin, end, player, opponent, wins, gone=False):
        while True:
            slot = self.dice.randrange(int(begin * self.games), int(end * self.games))
            if slot not in self.forced:
                self.forced[slot] = (player, opponent, wins, gone)
                return

    def _settled(self, one):
        return not self.newcomer[one] and self.activity[one] > 0.5 and not self.climbs[one]

    def plant(self):
        dice = self.dice
        for _ in range(8):
            self._farmer(self._take(self._settled), dice.randint(5, 8))
        for _ in range(6):
            one = self._take(self._settled)
            other = self._take(
                lambda two, one=one: self._settled(two) and abs(self.strength[two] - self.strength[one]) < 120
            )
            begin = dice.uniform(0.1, 0.6)
            for _ in range(dice.randint(25, 40)):
                self._force(begin, begin + 0.3, one, other, 0.95)
            self.schemes.append(Scheme("pair", one, {one, other}))
        for _ in range(6):
            hub = self._take(self._settled)
            ring = [
                self._take(
                    lambda two, hub=hub: (
                        self._settled(two) and abs(self.strength[two] - self.strength[hub]) < 150
                    )
                )
                for _ in range(dice.randint(3, 4))
            ]
            begin = dice.uniform(0.1, 0.5)
            for one in ring:
                for _ in range(dice.randint(12, 18)):
                    self._force(begin, begin + 0.4, hub, one, 0.92)
                for other in ring:
                    if one < other:
                        for _ in range(5):
                            self._force(begin, begin + 0.4, one, other, -1)
            self.schemes.append(Scheme("ring", hub, {hub, *ring}))
        for _ in range(10):
            self._sandbagger()
        for _ in range(4):
            hub = self._take(self._settled)
            others = [self._take(self._settled) for _ in range(4)]
            begin = dice.uniform(0.1, 0.5)
            for one in others:
                for _ in range(4):
                    self._force(begin, begin + 0.3, hub, one, 1.0, True)
            self.schemes.append(Scheme("gone", hub, {hub, *others}))

    def _farmer(self, farmer, accounts):
        """Other accounts of the farmer, who play some games for a rating, then lose to them."""
        dice, everybody = self.dice, {farmer}
        for _ in range(accounts):
            account = self._take(lambda one: self.newcomer[one])
            everybody.add(account)
            # They play no other games.
            begin = dice.uniform(0.1, 0.8)
            self.strength[account] = self.strength[farmer] - dice.uniform(0, 300)
            self.climbs[account], self.activity[account] = 0, 0
            for _ in range(dice.randint(8, 12)):
                self._force(begin, begin + 0.05, account, None, -1)
            for _ in range(dice.randint(7, 11)):
                self._force(begin + 0.05, begin + 0.1, farmer, account, 0.95)
        self.schemes.append(Scheme("farmer", farmer, everybody))

    def _sandbagger(self):
        """Loses on purpose, then plays as well as before."""
        one = self._take(lambda one: self._settled(one) and self.strength[one] > LIMITS[0] + 120)
        begin = self.dice.uniform(0.3, 0.6)
        limit = max(limit for limit in LIMITS if limit <= self.strength[one] - 110)
        self.throwing[one] = (begin, limit - self.dice.uniform(20, 80))
        for _ in range(80):
            self._force(begin, begin + 0.15, one, None, -1)
        self.schemes.append(Scheme("sandbagger", one, {one}))

    # Games

    def _opponent(self, one, now):
        dice = self.dice
        if one in self.friends and dice.random() < 0.35:
            return dice.choice(self.friends[one])
        best, nearest = None, 1e9
        for _ in range(10):
            other = self.drawn()
            if other == one or self.since[other] > now:
                continue
            apart = abs(self.rating[other] - self.rating[one])
            if one in self.teachers and dice.random() < 0.8:
                apart = abs(self.rating[other] - 1200)
            if apart < nearest:
                best, nearest = other, apart
        return best

    def drawn(self):
        return self.dice.choices(self.everybody, cum_weights=self.weights)[0]

    def run(self):
        dice, members = self.dice, self.members
        self.everybody = range(members)
        self.weights = np.cumsum(self.activity).tolist()
        white, black, points, gone = [], [], [], []
        for slot in range(self.games):
            now = slot / self.games
            one, other, wins, leaves = self.forced.get(slot, (None, None, -1, False))
            while one is None or (other is None and (other := self._opponent(one, now)) is None):
                one = self.drawn()
                one = one if self.since[one] <= now else None
            if wins < 0:
                thrown = [who for who in (one, other) if self._throws(who, now)]
                if thrown and thrown[0] == other:
                    one, other = other, one
                wins = 0.06 if thrown else wins
            as_white = dice.random() < 0.5
            ahead = self._plays(one, now) - self._plays(other, now) + (35 if as_white else -35)
            expected = 1 / (1 + 10 ** (-ahead / 400))
            if wins >= 0:
                score = 2 if dice.random() < wins else 0
            else:
                drawn = 0.45 * expected * (1 - expected)
                luck = dice.random()
                score = 2 if luck < expected - drawn / 2 else 1 if luck < expected + drawn / 2 else 0
            loser = {2: other, 0: one}.get(score)
            left = loser is not None and (
                leaves or dice.random() < (0.15 if loser in self.bad_lines else 0.01)
            )
            change = 20 * (score / 2 - 1 / (1 + 10 ** ((self.rating[other] - self.rating[one]) / 400)))
            self.rating[one] += change * (2 if self.newcomer[one] else 1)
            self.rating[other] -= change * (2 if self.newcomer[other] else 1)
            white.append(one if as_white else other)
            black.append(other if as_white else one)
            points.append(score if as_white else 2 - score)
            gone.append(0 if not left else 1 if loser == white[-1] else 2)
        return self._arena(white, black, points, gone)

    def _throws(self, one, now):
        """Return whether a sandbagger throws this game, as they do until they are below the limit."""
        begin, limit = self.throwing.get(one, (2, 0))
        if now >= begin and self.rating[one] < limit:
            del self.throwing[one]
        return now >= begin and one in self.throwing

    def _plays(self, one, now):
        """Return the strength in a game: the true one, what a junior has learnt, and form."""
        if self.dice.random() < 0.1:
            self.form[one] = self.dice.gauss(0, 40)
        return self.strength[one] + self.climbs[one] * now + self.form[one]

    def _arena(self, white, black, points, gone):
        members, games = self.members, self.games
        opened = np.array([one for one in range(members) if self.opening[one] is not None])
        extras = np.zeros((len(opened), 7), np.int64)
        extras[:, 1] = opened + members
        extras[:, 3] = [100 * self.opening[one] for one in opened]
        extras[:, 4] = 100
        data = Data(
            members=np.arange(members),
            born=np.zeros(members, np.int32),
            moment=np.arange(games) * 60_000_000,
            ids=np.arange(games),
            tie_rank=np.zeros(games, np.uint16),
            white=np.array(white, np.uint32) + np.uint32(members),
            black=np.array(black, np.uint32) + np.uint32(members),
            points=np.array(points, np.uint8),
            extras=extras,
            extra_ids=opened,
            extra_moments=np.zeros(len(opened), np.int64),
            read_at="",
            mark="",
            program="",
        )
        return Arena(data, np.array(gone, np.uint8), self.schemes)


def arena(seed, *, honest=False, members=2_000, games=100_000):
    """An arena of blitz games. The same seed gives the same one."""
    simulation = Simulation(seed, members, games)
    if not honest:
        simulation.plant()
    return simulation.run()
