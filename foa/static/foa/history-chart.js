// The chart of a member's ratings: a step line for each category, by date or by number of the game.
// Numbers here are for drawing only; the exact ones are in the ledger. Nothing moves by itself.
(() => {
  const chart = document.querySelector(".history-chart");
  if (!chart || !window.uPlot) return;

  const canvas = chart.querySelector(".history-canvas");
  const place = chart.querySelector(".history-place");
  const boxes = [...chart.querySelectorAll("input[type=checkbox]")];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const DAY = 86400;
  let lines;
  let plot;

  const axis = () => chart.querySelector("input[type=radio]:checked").value;
  const width = () => canvas.clientWidth;
  const height = () => Math.round(Math.min(380, Math.max(220, width() * 0.45)));

  // One column of places for all lines; each rating is held until the next, null while unrated.
  function aligned() {
    const name = axis();
    const places = [...new Set(boxes.flatMap((box) => lines[box.name][name]))].sort((a, b) => a - b);
    const columns = boxes.map((box) => {
      const { [name]: own, ratings } = lines[box.name];
      let at = -1;
      return places.map((here) => {
        while (at + 1 < own.length && own[at + 1] <= here) at += 1;
        // By number of the game, a line ends with the last game of its category.
        if (at < 0 || (name === "games" && here > own[own.length - 1])) return null;
        return ratings[at] === null ? null : ratings[at] / 100;
      });
    });
    return [places, ...columns];
  }

  const utc = (seconds) => new Date(seconds * 1000).toISOString();

  function dateLabels(_, splits, __, ___, step) {
    if (step < DAY) return splits.map((split) => utc(split).slice(5, 16).replace("T", " "));
    const length = step < 28 * DAY ? 10 : step < 360 * DAY ? 7 : 4;
    return splits.map((split) => utc(split).slice(0, length));
  }

  function showValues(u) {
    const index = u.cursor.idx;
    const here = index == null ? null : u.data[0][index];
    if (here === null) place.textContent = "";
    else place.textContent = axis() === "games" ? here : `${utc(here).slice(0, 19).replace("T", " ")} UTC`;
    boxes.forEach((box, number) => {
      const value = index == null ? null : u.data[number + 1][index];
      box.parentElement.querySelector(".history-value").textContent = value == null ? "" : value.toFixed(2);
    });
  }

  function draw() {
    plot?.destroy();
    const style = getComputedStyle(chart);
    const text = style.color;
    const grid = style.getPropertyValue("--history-grid");
    const common = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    plot = new uPlot(
      {
        width: width(),
        height: height(),
        legend: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
        cursor: { y: false, points: { size: 7 } },
        scales: { x: { time: axis() === "moments" } },
        axes: [
          axis() === "moments" ? { ...common, space: 90, values: dateLabels } : { ...common, space: 60, values: (_, splits) => splits.map(String) },
          { ...common, size: 56, values: (_, splits) => splits.map(String) },
        ],
        series: [
          {},
          ...boxes.map((box) => {
            const line = getComputedStyle(chart.querySelector(`.history-${box.name}`));
            return {
              show: box.checked,
              stroke: line.stroke,
              dash: line.strokeDasharray === "none" ? [] : line.strokeDasharray.split(/[ ,]+/).map(parseFloat),
              width: 2,
              points: { show: false },
              // The step is taken at the event; a gap begins where the rating was lost.
              paths: uPlot.paths.stepped({ align: 1, alignGaps: 1 }),
            };
          }),
        ],
        hooks: { setCursor: [showValues] },
      },
      aligned(),
      canvas,
    );
  }

  boxes.forEach((box, number) => {
    box.addEventListener("change", () => plot?.setSeries(number + 1, { show: box.checked }));
  });
  chart.querySelectorAll("input[type=radio]").forEach((radio) => radio.addEventListener("change", draw));

  fetch(chart.dataset.address)
    .then((answer) => {
      if (!answer.ok) throw new Error(answer.statusText);
      return answer.json();
    })
    .then((found) => {
      lines = found;
      chart.hidden = false;
      draw();
      dark.addEventListener("change", draw);
      new ResizeObserver(() => {
        if (plot.width !== width()) plot.setSize({ width: width(), height: height() });
      }).observe(canvas);
    })
    .catch(() => {
      chart.replaceChildren(chart.querySelector("[role=alert]"));
      chart.hidden = false;
      chart.firstElementChild.hidden = false;
    });
})();
