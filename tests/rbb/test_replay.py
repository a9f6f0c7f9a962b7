"""Whatever happens to the inputs, ledger and ratings equal a rebuild from nothing."""

import random

import pytest

from ratings.rbb.models import Game, OtbAdjustment
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, control, game, member, opening, projections, rated, rebuild
from tests.histories import seeds

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", seeds(6))
@pytest.mark.long
def test_random_corrections_leave_what_a_rebuild_gives(seed):
    dice = random.Random(seed)
    people = [rated(dice.randrange(100, 2400)) if dice.random() < 0.6 else member() for _ in range(8)]
    for who in dice.sample(people, 3):
        opening(who, dice.randrange(100, 2400), Category.BULLET, minute=dice.randrange(300))

    def play():
        white, black = dice.sample(people, 2)
        minute = dice.randrange(5, 2000)
        return game(
            white,
            black,
            dice.choice(["1-0", "0-1", "1/2-1/2"]),
            minute=minute,
            notation=dice.choice(list(CONTROL.values())),
        )

    for _ in range(60):
        play()
    for _ in range(40):
        chosen = dice.choice(list(Game.objects.all()))
        match dice.randrange(8):
            case 0:
                chosen.delete()
            case 1:
                chosen.voided_at = None if chosen.voided_at else at(5000)
                chosen.void_reason = "engine"
                chosen.save()
            case 2:
                chosen.result = dice.choice(["1-0", "0-1", "1/2-1/2"])
                chosen.save()
            case 3:
                chosen.ended_at = at(dice.randrange(5, 2000))
                chosen.started_at = chosen.ended_at
                chosen.save()
            case 4:
                chosen.white, chosen.black = chosen.black, chosen.white
                chosen.save()
            case 5:
                chosen.time_control = control(dice.choice(list(CONTROL.values())))
                chosen.save()
            case 6:
                OtbAdjustment.objects.update_or_create(
                    member=dice.choice(people),
                    category=dice.choice([Category.RAPID, Category.BLITZ]),
                    period=at(0).date(),
                    defaults={"change": dice.randrange(-80, 80), "effective_at": at(dice.randrange(2000))},
                )
            case 7:
                play()
    after_corrections = projections()
    assert any(row for row in after_corrections)
    rebuild()
    assert projections() == after_corrections
