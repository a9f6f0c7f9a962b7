"""ASGI entry point of the process that keeps followers: ``uvicorn foa.asgi:application``.

It answers what the site answers. If a response has ``goes_on``, it doesn't end: what comes later is sent to
the follower, on one thread for all of them. The other addresses are left to gunicorn (``foa.serving``).
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any, Final

import django
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
django.setup(set_prefix=False)

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]

_LEAVE: Final = 5
"""Seconds for which a follower whose stream ends may take what was sent last."""

_site: Final = BaseHandler()
_site.load_middleware()
# Threads with a database connection each. Whoever comes while all are taken waits for a moment.
_threads: Final = ThreadPoolExecutor(4)
_streams: Final[set[asyncio.Task[None]]] = set()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Answer a request, and go on with what comes later until the follower leaves or is given up."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
        return
    if scope["type"] != "http":
        await send({"type": "websocket.close"})
        return
    start, content, goes_on = await asyncio.get_running_loop().run_in_executor(_threads, _answer, scope)
    await send(start)
    await send({"type": "http.response.body", "body": content, "more_body": goes_on is not None})
    if goes_on is None:
        return
    stream = asyncio.create_task(_go_on(goes_on(), send))
    gone = asyncio.create_task(_gone(receive))
    _streams.add(stream)
    try:
        await asyncio.wait((stream, gone), return_when=asyncio.FIRST_COMPLETED)
        if not gone.done():
            async with asyncio.timeout(_LEAVE):
                await send({"type": "http.response.body", "body": b""})
    except TimeoutError:
        # It takes nothing. The server closes the connection.
        pass
    finally:
        _streams.discard(stream)
        for task in (stream, gone):
            task.cancel()
        await asyncio.gather(stream, gone, return_exceptions=True)


async def _go_on(pieces: AsyncIterator[bytes], send: Send) -> None:
    async for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _live(receive: Receive, send: Send) -> None:
    """Take as many connections as the system allows, and end all streams when the process is told to stop."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    loop, stop = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM)

    def end(number: int, frame: Any) -> None:
        # The server waits for answers to end, and streams never do.
        for stream in _streams:
            loop.call_soon_threadsafe(stream.cancel)
        if callable(stop):
            stop(number, frame)

    signal.signal(signal.SIGTERM, end)
    while (message := await receive())["type"] != "lifespan.shutdown":
        await send({"type": f"{message['type']}.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def _answer(scope: Message) -> tuple[Message, bytes, Callable[[], AsyncIterator[bytes]] | None]:
    """Return the start of the site's response, its content, and what follows it, if anything does."""
    request_started.send(sender=ASGIHandler, scope=scope)
    response = _site.get_response(ASGIRequest(scope, BytesIO()))
    try:
        # Read by the thread that began it: its rows come from this thread's connection.
        content = b"".join(response)
    finally:
        response.close()
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in response.items()]
    headers += [(b"set-cookie", cookie.OutputString().encode()) for cookie in response.cookies.values()]
    start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
    goes_on = getattr(response, "goes_on", None) if scope["method"] == "GET" else None
    return start, content, goes_on
