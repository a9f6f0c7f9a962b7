// Pages that show what goes on ask every few seconds whether it has changed, while somebody looks.
// The server answers 304 where it hasn't, and nothing on the page is touched.
"use strict";

const isLive = (event) => event.target.matches?.("[data-live]");

document.addEventListener("htmx:beforeRequest", (event) => {
  if (isLive(event) && document.hidden) event.preventDefault();
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
