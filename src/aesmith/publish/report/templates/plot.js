// The scatter: grid, axes, the front with what it leaves behind, published points, designs.

const plot = { width: 0, height: 0, x: null, y: null, drawn: [], wanted: null };
const MARGIN = { left: 62, right: 18, top: 14, bottom: 50 };

function drawPlot() {
  const svg = $("plot");
  const box = svg.parentElement.getBoundingClientRect();
  plot.width = Math.max(300, Math.round(box.width));
  plot.height = Math.round(Math.min(640, Math.max(360, plot.width * 0.66)));
  const x = figure(state.x);
  const y = figure(state.y);
  const shown = visible().filter(drawable);
  const ranging = shown.length ? shown : publishedHere();
  plot.x = axisFor(x, state.xlog, state.zoom && state.zoom.x, ranging, MARGIN.left, plot.width - MARGIN.right);
  plot.y = axisFor(y, state.ylog, state.zoom && state.zoom.y, ranging, plot.height - MARGIN.bottom, MARGIN.top);
  const papers = publishedHere().filter(inFrame);
  const best = front();
  const onFront = new Set(best.map((point) => point.id));
  svg.setAttribute("viewBox", `0 0 ${plot.width} ${plot.height}`);
  svg.setAttribute("height", plot.height);
  svg.setAttribute(
    "aria-label",
    `${y.label} against ${x.label}: ${shown.length} designs, ${best.length} on the Pareto front. Arrow keys move from design to design.`,
  );
  const marks = shown.filter(inFrame).sort((a, b) => onFront.has(a.id) - onFront.has(b.id));
  plot.drawn = [...papers, ...marks];
  svg.replaceChildren(
    s("defs", {}, s("clipPath", { id: "inside" }, frameRect({}))),
    grid(x, y),
    s("g", { "clip-path": "url(#inside)" },
      frontShape(best, x, y),
      s("g", { class: "papers" }, papers.map(paperMark)),
      s("g", { class: "designs" }, marks.map((point) => designMark(point, onFront.has(point.id)))),
      s("g", { class: "labels" }, frontLabels(best, x, y)),
      s("g", { id: "cursor" })),
    frameRect({ class: "frame" }),
    s("rect", { id: "zoom-box", class: "zoom-box", hidden: true }),
  );
  $("missing").textContent = missingText(x, y, shown.length);
}

const frameRect = (attributes) =>
  s("rect", {
    ...attributes,
    x: MARGIN.left, y: MARGIN.top,
    width: plot.width - MARGIN.left - MARGIN.right,
    height: plot.height - MARGIN.top - MARGIN.bottom,
  });

function axisFor(fig, log, zoom, points, from, to) {
  const [low, high] = zoom || rangeOf(points.map((point) => point[fig.name]), log);
  return makeAxis(low, high, log, from, to);
}

function grid(x, y) {
  const parts = [];
  const bottom = plot.height - MARGIN.bottom;
  const right = plot.width - MARGIN.right;
  for (const { value, major } of plot.x.ticks(plot.width / 110)) {
    const at = plot.x.at(value);
    parts.push(s("line", { class: major ? "major" : "minor", x1: at, x2: at, y1: MARGIN.top, y2: bottom }));
    if (major) parts.push(s("text", { class: "tick", x: at, y: bottom + 18, "text-anchor": "middle" }, short(value)));
  }
  for (const { value, major } of plot.y.ticks(plot.height / 70)) {
    const at = plot.y.at(value);
    parts.push(s("line", { class: major ? "major" : "minor", y1: at, y2: at, x1: MARGIN.left, x2: right }));
    if (major) parts.push(s("text", { class: "tick", x: MARGIN.left - 9, y: at + 4, "text-anchor": "end" }, short(value)));
  }
  const middle = (MARGIN.left + right) / 2;
  parts.push(s("text", { class: "axis", x: middle, y: plot.height - 10, "text-anchor": "middle" }, axisTitle(x, "←", "→")));
  const turned = `translate(15 ${(MARGIN.top + bottom) / 2}) rotate(-90)`;
  parts.push(s("text", { class: "axis", transform: turned, "text-anchor": "middle" }, axisTitle(y, "←", "→")));
  return s("g", { class: "grid", "aria-hidden": "true" }, parts);
}

function axisTitle(fig, less, more) {
  const title = fig.unit ? `${fig.label} (${fig.unit})` : fig.label;
  return fig.best === "least" ? `${less} better   ${title}` : `${title}   better ${more}`;
}

function inFrame(point) {
  const inside = (axis, value) => axis.low <= value && value <= axis.high;
  return inside(plot.x, point[state.x]) && inside(plot.y, point[state.y]);
}

const place = (point) => [plot.x.at(point[state.x]), plot.y.at(point[state.y])];

function designMark(point, best) {
  const [x, y] = place(point);
  const kind = kindOf(point);
  const classes = ["mark", `kind${kind}`];
  if (best) classes.push("best");
  if (state.pinned.includes(point.id)) classes.push("pinned");
  if (point.id === plot.wanted) classes.push("wanted");
  if (state.selected === point.id) classes.push("selected");
  return s("path", { class: classes.join(" "), "data-id": point.id, d: shapePath(SHAPES[kind], x, y, best ? 5 : 3.8) });
}

function paperMark(point, index) {
  const [x, y] = place(point);
  return s("path", { class: "publication", "data-paper": index, d: shapePath("diamond", x, y, 4.4) });
}

// The staircase through the front, and the region of points that it is better than.
function frontShape(best, x, y) {
  if (!best.length) return null;
  const worseX = x.best === "least" ? plot.width - MARGIN.right : MARGIN.left;
  const worseY = y.best === "least" ? MARGIN.top : plot.height - MARGIN.bottom;
  const corners = best.map(place);
  let line = `M${corners[0][0]} ${worseY}`;
  corners.forEach(([px, py], k) => {
    if (k) line += `L${px} ${corners[k - 1][1]}`;
    line += `L${px} ${py}`;
  });
  line += `L${worseX} ${corners[corners.length - 1][1]}`;
  return s("g", { class: "front" },
    s("path", { class: "behind", d: `${line}L${worseX} ${worseY}Z` }),
    s("path", { class: "stairs", d: line }));
}

// Names of the designs on the front, on the side of the better figures, where they run into nothing.
function frontLabels(best, x, y) {
  const taken = plot.drawn.map((point) => {
    const [px, py] = place(point);
    const r = best.includes(point) ? 6 : 4;
    return { left: px - r, right: px + r, top: py - r, bottom: py + r };
  });
  const sideways = x.best === "least" ? [-1, 1] : [1, -1];
  const upright = y.best === "least" ? [1, -1] : [-1, 1];
  const labels = [];
  const named = new Set();
  for (const point of best) {
    if (named.has(point.design)) continue;
    const [px, py] = place(point);
    const width = point.design.length * 6.1;
    for (const [dx, dy] of [[sideways[0], upright[0]], [sideways[0], 0], [sideways[1], upright[1]], [sideways[1], 0]]) {
      const start = dx < 0 ? px - 9 - width : px + 9;
      const middle = py + dy * 9;
      const box = { left: start, right: start + width, top: middle - 7, bottom: middle + 7 };
      const inside = box.left > MARGIN.left && box.right < plot.width - MARGIN.right && box.top > MARGIN.top && box.bottom < plot.height - MARGIN.bottom;
      const hits = (other) => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top;
      if (!inside || taken.some(hits)) continue;
      taken.push(box);
      named.add(point.design);
      const anchor = dx < 0 ? "end" : "start";
      labels.push(s("text", { x: px + dx * 9, y: middle + 4, "text-anchor": anchor }, point.design));
      break;
    }
  }
  return labels;
}

function missingText(x, y, count) {
  const all = visible().length;
  const words = all === POINTS.length ? `${all} designs` : `${all} of ${POINTS.length} designs`;
  if (count === all) return words;
  const lacking = [x, y].filter((fig) => visible().some((point) => point[fig.name] === null)).map((fig) => fig.label.toLowerCase());
  return `${words}; ${all - count} not drawn: ${lacking.length ? `no ${lacking.join(", no ")}` : "not above zero"}`;
}
