// The chart of a member's ratings as the server has drawn it: here it learns to tell what is at the pointer, to
// lead to that change, to choose a period, and to hide categories, which this browser remembers.
(() => {
  const REMEMBERED = "history-hidden";
  const STEPS = 4;
  const SIZES = [5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000];
  const DRAG = 8;
  const language = document.documentElement.lang;

  function day(seconds) {
    const parts = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).formatToParts(seconds * 1000);
    return ["day", "month", "year"].map((name) => parts.find((part) => part.type === name).value).join(" ");
  }

  function signed(hundredths) {
    const text = (Math.abs(hundredths) / 100).toFixed(2);
    return hundredths > 0 ? `+${text}` : hundredths < 0 ? `−${text}` : text;
  }

  // A browser may forbid storage; then nothing is remembered.
  function remembered(slugs) {
    try {
      if (slugs) localStorage.setItem(REMEMBERED, JSON.stringify(slugs));
      return slugs ?? JSON.parse(localStorage.getItem(REMEMBERED) ?? "[]");
    } catch {
      return [];
    }
  }

  // The same round numbers as on the server (ratings/rbb/drawing.py).
  function scale(lowest, highest) {
    for (const size of SIZES) {
      const low = Math.floor(lowest / size) * size;
      if (low + STEPS * size >= highest) return [low, low + STEPS * size];
    }
    return [0, STEPS * SIZES.at(-1)];
  }

  function add(parent, name, role) {
    const element = document.createElement("div");
    element.className = name;
    element.hidden = true;
    if (role) element.setAttribute("role", role);
    return parent.appendChild(element);
  }

  function enliven(chart) {
    const { address, games, axis } = chart.dataset;
    const [start, end, drawnLow, drawnHigh] = ["start", "end", "low", "high"].map((name) => Number(chart.dataset[name]));
    const plot = chart.querySelector(".history-plot");
    const boxes = [...chart.querySelectorAll("input[type=checkbox]")];
    const line = (slug) => plot.querySelector(`path.${slug}`);
    const point = add(plot, "history-point");
    const selection = add(plot, "history-selection");
    const tip = add(plot, "history-tip", "status");
    let [low, high] = [drawnLow, drawnHigh];
    let loading;
    let points = [];
    let current = -1;
    let from = null;

    const shown = () => boxes.filter((box) => box.checked).map((box) => box.name);

    function show() {
      const slugs = shown();
      for (const { name } of boxes) line(name).toggleAttribute("hidden", !slugs.includes(name));
      if (!slugs.length) return;
      [low, high] = scale(
        Math.min(...slugs.map((slug) => Number(line(slug).dataset.low))),
        Math.max(...slugs.map((slug) => Number(line(slug).dataset.high))),
      );
      const times = (drawnHigh - drawnLow) / (high - low);
      const moved = (300 * (high - drawnHigh)) / (high - low);
      for (const slug of slugs) line(slug).setAttribute("transform", `matrix(1 0 0 ${times} 0 ${moved})`);
      for (const peak of plot.querySelectorAll("[data-rating]")) {
        peak.toggleAttribute("hidden", !slugs.some((slug) => peak.classList.contains(slug)));
        const top = `${(100 * (high - peak.dataset.rating / 100)) / (high - low)}%`;
        peak.querySelector("circle").setAttribute("cy", top);
        peak.querySelector("text")?.setAttribute("y", top);
      }
      [...chart.querySelectorAll(".history-grid li")].forEach((label, number) => {
        label.textContent = high - (number * (high - low)) / STEPS;
      });
      place();
    }

    // Every point of the categories shown, with its place as parts of the width and the height.
    function place() {
      const chosen = shown();
      points = (loading?.found ?? [])
        .filter((one) => chosen.includes(one.slug) && one.rating !== null)
        .map((one) => ({
          ...one,
          x: Math.max(0, (one[axis] - start) / (end - start)),
          y: (high - one.rating / 100) / (high - low),
        }))
        .sort((one, other) => one.x - other.x);
      current = -1;
      point.hidden = tip.hidden = true;
      plot.classList.remove("pointing");
    }

    function load() {
      if (!address) return;
      if (!loading) plot.setAttribute("aria-busy", "true");
      loading ??= fetch(address)
        .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText))))
        .then(({ categories, players }) => {
          const names = Object.fromEntries(players.map(({ id, name, username }) => [id, name || username]));
          loading.found = categories.flatMap(({ category, moments, ...columns }) =>
            moments.map((moment, at) => ({
              slug: category,
              moments: moment,
              games: columns.games[at],
              rating: columns.ratings[at],
              change: columns.changes[at],
              line: columns.lines[at],
              opponent: names[columns.opponents[at]],
            })),
          );
          place();
          plot.setAttribute("aria-busy", "false");
        })
        // Without the points the chart and its links still work; the next pointer tries again.
        .catch(() => (loading = undefined));
    }

    function tell(number) {
      current = number;
      const one = points[number];
      const { clientWidth: width, clientHeight: height } = plot;
      const category = boxes.find((box) => box.name === one.slug).parentElement.textContent.trim();
      const change = one.change ? ` (${signed(one.change)})` : "";
      tip.textContent = `${day(one.moments)}\n${category} ${(one.rating / 100).toFixed(2)}${change}${one.opponent ? `\n${one.opponent}` : ""}`;
      tip.hidden = point.hidden = false;
      point.className = `history-point ${one.slug}`;
      point.style.left = `${one.x * width}px`;
      point.style.top = `${one.y * height}px`;
      const left = Math.min(Math.max(0, one.x * width - tip.offsetWidth / 2), width - tip.offsetWidth);
      const above = one.y * height - tip.offsetHeight - 12;
      tip.style.left = `${left}px`;
      tip.style.top = `${above < 0 ? one.y * height + 12 : above}px`;
      plot.classList.add("pointing");
    }

    function at(event) {
      const box = plot.getBoundingClientRect();
      return [Math.min(Math.max(0, event.clientX - box.left), box.width), event.clientY - box.top];
    }

    function pointAt(event) {
      const [x, y] = at(event);
      const { clientWidth: width, clientHeight: height } = plot;
      // What is above or below counts less: lines are held until the next change.
      const away = (one) => (one.x * width - x) ** 2 + ((one.y * height - y) / 3) ** 2;
      const nearest = points.reduce((best, one, number) => (best < 0 || away(one) < away(points[best]) ? number : best), -1);
      if (nearest >= 0 && nearest !== current) tell(nearest);
    }

    // The script is a file of its own, so the server says where a change is: that of the number 0.
    const open = (line) => location.assign(plot.dataset.change.replace("/0/", `/${line}/`));

    function choose(left, right) {
      const { clientWidth: width } = plot;
      const link = chart.querySelector(".history-span a");
      const [since, until] = [left, right].map((x) => start + (x / width) * (end - start));
      const iso = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
      link.href = `${games}?since=${iso(since)}&until=${iso(until)}`;
      link.textContent = link.dataset.words.replace("{from}", day(since)).replace("{to}", day(until));
    }

    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", plot.dataset.label);
    plot.addEventListener("pointerenter", load);
    plot.addEventListener("focus", load);
    plot.addEventListener("pointerdown", (event) => {
      if (event.button === 0) from = at(event)[0];
    });
    plot.addEventListener("pointermove", (event) => {
      const [x] = at(event);
      if (from === null || Math.abs(x - from) < DRAG || axis !== "moments") return pointAt(event);
      plot.setPointerCapture(event.pointerId);
      selection.hidden = false;
      selection.style.left = `${Math.min(x, from)}px`;
      selection.style.width = `${Math.abs(x - from)}px`;
      choose(Math.min(x, from), Math.max(x, from));
    });
    plot.addEventListener("pointerup", (event) => {
      const [x] = at(event);
      const clicked = from !== null && Math.abs(x - from) < DRAG;
      from = null;
      if (!clicked) return;
      selection.hidden = true;
      // A finger comes without having pointed at anything: its first tap only tells.
      if (event.pointerType === "mouse" && current >= 0) open(points[current].line);
      else pointAt(event);
    });
    plot.addEventListener("pointercancel", () => (from = null));
    plot.addEventListener("pointerleave", () => {
      point.hidden = tip.hidden = true;
      current = -1;
    });
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step && points.length) {
        event.preventDefault();
        tell(current < 0 ? points.length - 1 : Math.min(Math.max(0, current + step), points.length - 1));
      } else if (event.key === "Enter" && current >= 0) open(points[current].line);
    });

    const hidden = remembered();
    for (const box of boxes) {
      box.hidden = false;
      box.checked = !hidden.includes(box.name);
      box.addEventListener("change", () => {
        const here = boxes.map((one) => one.name);
        const others = remembered().filter((slug) => !here.includes(slug));
        remembered([...others, ...boxes.filter((one) => !one.checked).map((one) => one.name)]);
        show();
      });
    }
    if (!shown().length) for (const box of boxes) box.checked = true;
    show();
    if (axis === "moments") chart.querySelector(".history-hint").hidden = false;
  }

  function enlivenAll() {
    for (const chart of document.querySelectorAll(".history:not([data-alive])")) {
      chart.dataset.alive = "";
      enliven(chart);
    }
  }

  enlivenAll();
  document.addEventListener("htmx:afterSettle", enlivenAll);
})();
