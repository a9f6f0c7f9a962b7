"""A client of the rating office to copy and change. It needs `requests`. docs/api.md has the rules."""

import base64
import hashlib
import hmac
import json
import time
from itertools import islice

import requests

COME_BACK = (401, 429, 500, 502, 503, 504)


class Refused(Exception):
    """The office refused a request: `problem` says why (RFC 9457), `status` is the HTTP status."""

    def __init__(self, answer):
        is_problem = answer.headers.get("Content-Type") == "application/problem+json"
        self.status = answer.status_code
        self.problem = answer.json() if is_problem else {"kind": "", "detail": answer.text[:200]}
        super().__init__(self.problem["detail"], *(one["detail"] for one in self.problem.get("errors", ())))


class Office:
    """An office at an address, with the id and secret that it gave this server."""

    def __init__(self, site, client_id, secret):
        self.site, self.login = site.rstrip("/"), (client_id, secret)
        self.http = requests.Session()
        self.kept = {}  # what was read last: address -> ETag and content

    def ask(self, method, path, *, waits=(0, 1, 5, 30, 60), timeout=60, **how):
        """Return the answer. If there is none, or the office says so, ask again: nothing is done twice."""
        address = self.site + (path if path.startswith("/") else f"/api/v1/{path}")
        answer, told = None, None
        for wait in waits:
            time.sleep(wait if told is None else int(told))
            told = None
            try:
                if "Authorization" not in self.http.headers:
                    self._log_in(timeout)
                answer = self.http.request(method, address, timeout=timeout, **how)
            except (requests.ConnectionError, requests.Timeout):
                continue
            if answer.status_code not in COME_BACK:
                break
            told = answer.headers.get("Retry-After")
            if told is not None and int(told) > waits[-1]:  # an hour, perhaps: nobody waits here for that
                break
            if answer.status_code == 401:  # a token is good for an hour
                del self.http.headers["Authorization"]
        if answer is None:
            raise requests.ConnectionError(f"No answer from {address}")
        if not answer.ok:
            raise Refused(answer)
        return answer

    def _log_in(self, timeout):
        form, address = {"grant_type": "client_credentials"}, f"{self.site}/oauth/token/"
        answer = requests.post(address, data=form, auth=self.login, timeout=timeout)
        answer.raise_for_status()
        self.http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"

    def put(self, path, **fields):
        """Send a game (`games/ID`) or a member (`members/USERNAME`); return the office's answer."""
        return self.ask("PUT", path, json=fields).json()

    def send(self, path, objects):
        """Send any number of `games` or `members`; yield each with its verdict, such as "stored"."""
        objects, headers = iter(objects), {"Content-Type": "application/x-ndjson"}
        while some := list(islice(objects, 10_000)):
            lines = "".join(json.dumps(one) + "\n" for one in some).encode()
            answer = self.ask("POST", path, data=lines, headers=headers, timeout=600)
            yield from zip(some, map(json.loads, answer.iter_lines()), strict=True)

    def read(self, path):
        """Return what is at an address. The office sends it only if it has changed since the last time."""
        etag, content = self.kept.get(path, ("", None))
        answer = self.ask("GET", path, headers={"If-None-Match": etag} if etag else {})
        if answer.status_code != 304:
            content = answer.json()
            self.kept[path] = (answer.headers.get("ETag", ""), content)
        return content

    def rows(self, path):
        """Yield the rows of a list, page by page: `members`, `ratings/blitz`, `lists`, `all-games`."""
        while path:
            page = self.read(path)
            yield from next(rows for rows in page.values() if isinstance(rows, list))
            path = page["next"]

    def follow(self, cursor=""):
        """Yield a cursor and each rating change, for ever. Store both, and continue from the cursor."""
        while True:
            retry, mark, data = 5, cursor, ""
            try:
                place = {"headers": {"Last-Event-ID": cursor}} if cursor else {}
                with self.ask("GET", "stream/changes", waits=(0,), stream=True, **place) as stream:
                    for line in stream.iter_lines(chunk_size=None):
                        name, _, value = line.decode().partition(": ")
                        if name == "retry":
                            retry = int(value) / 1000
                        elif name == "id":
                            mark = value
                        elif name == "data":
                            data = value
                        elif not line:  # the event is whole
                            cursor = mark
                            if data:
                                yield cursor, json.loads(data)
                            data = ""
            except Refused as refused:
                if refused.status not in COME_BACK:  # such as 410: start again, without a cursor
                    raise
                page = self.ask("GET", "changes", params={"after": cursor, "wait": 20}).json()
                for row in page["changes"]:
                    yield row["cursor"], row
                cursor, retry = page["next"], 0 if page["changes"] else 20
            except requests.RequestException:
                pass  # cut off: go on from the last cursor
            time.sleep(retry)


def verified(secret, headers, body):
    """Return the message of a webhook from its bytes; raises ValueError if the office didn't send it now."""
    headers = {name.lower(): value for name, value in headers.items()}
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        raise ValueError("The message is too old.")
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    key = base64.b64decode(secret.removeprefix("whsec_"))
    ours = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(f"v1,{ours}", one) for one in headers["webhook-signature"].split()):
        raise ValueError("The signature isn't the office's.")
    return json.loads(body)
