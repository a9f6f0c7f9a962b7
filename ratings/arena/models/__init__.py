"""Game servers, what they reported to the office, and the webhooks that the office notifies."""

from ratings.arena.models.presence import PresenceEvent, SentEnd
from ratings.arena.models.servers import GameServer
from ratings.arena.models.webhooks import Attempt, Delivery, KeptAnswer, Webhook

__all__ = ["Attempt", "Delivery", "GameServer", "KeptAnswer", "PresenceEvent", "SentEnd", "Webhook"]
