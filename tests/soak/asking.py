"""How actors ask: through a gate, one site or the other, and no answer goes unjudged."""

from __future__ import annotations

import html
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final

import requests

from tests.soak.servers import Office

_TIMEOUT: Final = 120


class Gate:
    """Actors pass one by one; while it is closed, nobody is inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._is_open = True

    @contextmanager
    def passing(self) -> Iterator[None]:
        """In here, the gate can't close."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_open)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody in, and wait for whoever is inside."""
        with self._changed:
            self._is_open = False
            self._changed.wait_for(lambda: self._inside == 0)

    def open(self) -> None:
        """Let them in."""
        with self._changed:
            self._is_open = True
            self._changed.notify_all()


class Campaign:
    """What everybody shares: the office, the gate, the counts, and what was found wrong."""

    def __init__(self, office: Office, seed: int) -> None:
        self.office = office
        self.seed = seed
        self.gate = Gate()
        self.enough = threading.Event()
        """Nothing more is killed."""
        self.over = threading.Event()
        """Nobody acts any more."""
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self._lock = threading.Lock()

    def count(self, what: str, number: int = 1) -> None:
        """For the report."""
        with self._lock:
            self.counts[what] += number

    def fault(self, text: str) -> None:
        """Something that must not be."""
        with self._lock:
            self.faults.append(text)
        print(f"FAULT {text}", flush=True)

    def judge(self, what: str, since: float, response: Any, site: str) -> None:
        """Look at an answer: 5xx only as 503 with Retry-After, and only while something is down.

        ``response``: None for none, which only a site or a database that was down may give. A file that is
        read from the replica is cut off when the replica is killed, so that nobody takes half for the whole.
        A site that is asked for many games or files at once by several says 503, too.
        """
        now = time.monotonic()
        self.count("answers" if response is not None else "no answer")
        if response is None:
            may_be_down = (site, "primary", *(("replica",) if "format=" in what else ()))
            if not self.office.was_disturbed(may_be_down, since, now):
                self.fault(f"{what}: no answer from {site}, which was up")
        elif response.status_code >= 500:
            self.count(f"answers {response.status_code}")
            told = words(response.text)
            if response.status_code != 503 or "Retry-After" not in response.headers:
                self.fault(f"{what}: {response.status_code} {told}")
            elif '"busy"' in response.text or "Several other files are being created" in told:
                self.count("answers busy")
            elif not self.office.was_disturbed(("primary", "replica"), since, now):
                self.fault(f"{what}: 503 while everything was up")


class Door:
    """A way in: a session of HTTP that asks one of the sites at random.

    ``passing``: what is entered for each request; the gate, unless something else is said.
    """

    def __init__(
        self, campaign: Campaign, seed: str, passing: Callable[[], AbstractContextManager[None]] | None = None
    ) -> None:
        self.campaign = campaign
        self.passing = passing or campaign.gate.passing
        self.dice = random.Random(f"{campaign.seed} {seed}")
        self.session = requests.Session()
        # A connection that was kept may be closed by the site just when something is sent over it.
        self.session.headers.update({"Accept-Language": "en", "Connection": "close"})

    def ask(self, method: str, path: str, **more: Any) -> requests.Response | None:
        """An answer below 500, or None: whoever needs one asks again."""
        number = self.dice.randrange(len(self.campaign.office.sites))
        address = self.campaign.office.sites[number].address
        with self.passing():
            since = time.monotonic()
            response: requests.Response | None = None
            try:
                more = {"allow_redirects": False, "timeout": _TIMEOUT, **more}
                response = self.session.request(method, address + path, **more)
            except requests.RequestException:
                response = None
            self.campaign.judge(f"{method} {path}", since, response, f"site {number + 1}")
        if response is None or response.status_code >= 500:
            time.sleep(0.2)
            return None
        return response

    def abandon(self, path: str, after: float, **more: Any) -> None:
        """Ask, and hang up when the answer begins, or after so many seconds without one."""
        site = self.dice.choice(self.campaign.office.sites)
        with (
            self.passing(),
            suppress(requests.RequestException),
            self.session.get(site.address + path, stream=True, timeout=after, **more) as answer,
        ):
            next(answer.iter_content(1024), b"")

    def until_answered(self, method: str, path: str, **more: Any) -> requests.Response | None:
        """Ask until there is an answer below 500; None once the campaign is over."""
        while not self.campaign.over.is_set():
            if (response := self.ask(method, path, **more)) is not None:
                return response
            self.campaign.count("sent again")
        return None


class ServerDoor(Door):
    """A game server, with its token."""

    def __init__(self, campaign: Campaign, name: str) -> None:
        super().__init__(campaign, name)
        self.login = campaign.office.credentials[name]
        self.log_in()

    def log_in(self) -> None:
        """Get a token, which is good for an hour: also once the campaign is over, for the last questions."""
        form = {"grant_type": "client_credentials"}
        for _attempt in range(600):
            answer = self.ask("POST", "/oauth/token/", data=form, auth=self.login)
            if answer is not None:
                self.session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
                return

    def ask(self, method: str, path: str, **more: Any) -> requests.Response | None:
        """Also with a new token."""
        answer = super().ask(method, path, **more)
        if answer is not None and answer.status_code == 401 and "auth" not in more:
            self.log_in()
            return super().ask(method, path, **more)
        return answer


class StaffDoor(Door):
    """An officer who is logged in."""

    def __init__(self, campaign: Campaign, seed: str, username: str, password: str) -> None:
        super().__init__(campaign, seed)
        page = self.until_answered("GET", "/admin/login/")
        assert page is not None
        form = {**hidden(page.text), "username": username, "password": password, "next": "/admin/"}
        answer = self.until_answered("POST", "/admin/login/", data=form)
        assert answer is not None
        assert answer.status_code == 302, words(answer.text)

    def decide(self, kind: str, parameters: dict[str, Any]) -> str | None:
        """Make a decision by its page; the address of what came of it, None where nothing was to be done.

        Sent again after no answer; shown again where the facts have changed since.
        """
        address = f"/admin/office/changeset/decide/{kind}/"
        page = self.ask("GET", address, params=parameters)
        for _attempt in range(6):
            if page is None or page.status_code != 200 or 'name="shown"' not in page.text:
                break
            form: dict[str, Any] = {**parameters, **hidden(page.text, "confirm")}
            # A parameter that stands several times in the page is sent as often.
            form |= {name: value for name, value in parameters.items() if isinstance(value, list)}
            form |= {"public_reason": "error", "staff_note": "soak"}
            page = self.ask("POST", address, data=form)
            if page is not None and page.status_code == 302:
                return page.headers["Location"]
            self.campaign.count("decisions shown again")
        return None


def words(page: str) -> str:
    """What stands in the middle of a page, or all of another answer."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.partition("<main")[2] or page))[:500]


def hidden(page: str, form: str = "") -> dict[str, str]:
    """The hidden inputs of a page, or of the form with this id."""
    if form:
        page = page.partition(f'id="{form}"')[2].partition("</form>")[0]
    inputs = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in inputs}
