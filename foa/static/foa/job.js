// The page of a job asks every second how far it has come, until it has ended.
"use strict";

const SECOND = 1000;

async function renew() {
  const shown = document.getElementById("job");
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const now = page.getElementById("job");
    if (!response.ok) {
      return;
    }
    if (!now) {
      // The page shows what came of the job.
      location.reload();
      return;
    }
    // The status stays in place: a screen reader hears what changes in it, and only if it changes.
    const [old, status] = [shown, now].map((part) => part.querySelector("[role=status]"));
    if (old.innerHTML !== status.innerHTML) {
      old.innerHTML = status.innerHTML;
    }
    status.replaceWith(old);
    if (!("open" in now.dataset)) {
      // With the moments at which it began and ended.
      const [dates, ended] = [document, page].map((whole) => whole.querySelector("#job ~ fieldset"));
      dates?.replaceWith(ended);
    }
    shown.replaceWith(now);
  } catch {
    // The site does not answer just now.
  }
  ask();
}

function ask() {
  if ("open" in (document.getElementById("job")?.dataset ?? {})) {
    setTimeout(renew, SECOND);
  }
}

ask();
