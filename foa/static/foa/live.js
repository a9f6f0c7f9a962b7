// Pages that show what goes on ask every few seconds whether it has changed, while somebody looks.
// The server answers 304 where it hasn't, and nothing on the page is touched.
//
// Where the site offers a stream (data-stream), the page hears when something has changed, and asks only then: at
// once, and again five seconds later, since what is kept for visitors may be a little older than the news.
"use strict";

const ASKS = 2;
const SECONDS = 1000;
let asks = Infinity;
let askedAt = 0;

const isLive = (event) => event.target.matches?.("[data-live]");

document.addEventListener("htmx:beforeRequest", (event) => {
  if (!isLive(event)) return;
  if (document.hidden || asks < 1) {
    event.preventDefault();
    return;
  }
  asks -= 1;
  askedAt = Date.now();
});

document.addEventListener("htmx:configRequest", (event) => {
  const { etag } = event.target.dataset ?? {};
  if (isLive(event) && etag) event.detail.headers["If-None-Match"] = etag;
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isLive(event) || event.detail.xhr.status !== 200) return;
  const poll = event.target;
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  localise(page);
  if (!page.querySelector("[data-live]")) {
    // What went on has ended, such as a game: its page has other parts now.
    location.reload();
  }
  poll.dataset.etag = event.detail.xhr.getResponseHeader("ETag") ?? "";
  // A page for a login has no ETag. What looks the same is left alone: somebody may be reading or choosing.
  const regions = poll.getAttribute("hx-select-oob").split(",");
  const same = (region) => page.querySelector(region)?.innerHTML === document.querySelector(region)?.innerHTML;
  event.detail.shouldSwap = !regions.every(same);
  if (event.detail.shouldSwap) seen = new Set(rowsOf(regions).map((row) => row.textContent));
});

// Rows that weren't there before are marked for a moment.
let seen = null;
const rowsOf = (regions) =>
  regions.flatMap((region) => [...document.querySelectorAll(`${region} :is(tbody tr, .leaders li)`)]);

document.addEventListener("htmx:afterSettle", (event) => {
  const poll = document.querySelector("[data-live]");
  if (!seen || !poll) return;
  for (const row of rowsOf(poll.getAttribute("hx-select-oob").split(",")))
    if (!seen.has(row.textContent)) row.classList.add("moved");
  seen = null;
});

// A page that nobody looks at follows nothing: a browser has few connections for all its pages of a site.
let source = null;

function follow() {
  const page = document.querySelector("[data-stream]");
  source?.close();
  source = null;
  asks = Infinity;
  if (!page || document.hidden) return;
  source = new EventSource(page.dataset.stream);
  source.onopen = () => (asks = ASKS);
  source.onmessage = () => {
    asks = ASKS;
    // Where something changes all the time, the page asks as often as without a stream.
    if (Date.now() - askedAt > 5 * SECONDS) setTimeout(() => htmx.trigger(page, "news"), Math.random() * SECONDS);
  };
  source.onerror = () => {
    asks = Infinity;
    // The browser comes again by itself, unless it was refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, (30 + 30 * Math.random()) * SECONDS);
  };
}

document.addEventListener("visibilitychange", follow);
follow();
