// Mouse and keyboard on the scatter: the design nearest to the pointer, the next one in a direction, zoom.

const REACH = 26;
let cursor = null;

function nearest(px, py) {
  let found = null;
  let least = REACH;
  for (const point of plot.drawn) {
    const [x, y] = place(point);
    const distance = Math.hypot(x - px, y - py) - (point.id ? 2 : 0);
    if (distance < least) [found, least] = [point, distance];
  }
  return found;
}

function pixel(event) {
  const box = $("plot").getBoundingClientRect();
  const scale = plot.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

function showCursor(target) {
  cursor = target;
  const tip = $("tip");
  const ring = $("cursor");
  ring.replaceChildren();
  tip.hidden = !target;
  if (!target) return;
  const [x, y] = place(target);
  ring.append(s("circle", { class: "ring", cx: x, cy: y, r: 10 }));
  tip.replaceChildren(...tipContent(target));
  const box = $("plot").getBoundingClientRect();
  const scale = box.width / plot.width;
  const left = x * scale + (x > plot.width * 0.6 ? -tip.offsetWidth - 16 : 16);
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${Math.max(0, Math.min(y * scale - 20, box.height - tip.offsetHeight))}px`;
}

function tipContent(target) {
  const lines = [h("strong", {}, target.design || target.label)];
  if (target.id) lines.push(h("span", { class: "quiet" }, `synthesis: ${target.synthesis}`));
  else lines.push(h("span", { class: "quiet" }, `published: ${target.publication}, ${target.source}`));
  const names = [...new Set([state.x, state.y, ...kindNow().defaults.tip])];
  lines.push(h("dl", {}, names.filter((name) => target[name] !== null && target[name] !== undefined).map((name) =>
    [h("dt", {}, figure(name).label), h("dd", {}, withUnit(target[name], figure(name)))])));
  return lines;
}

// The nearest design in the direction of an arrow, counting sideways distance double.
function neighbour(from, dx, dy) {
  const [x, y] = place(from);
  let found = null;
  let least = Infinity;
  for (const other of plot.drawn) {
    if (!other.id || other === from) continue;
    const [ox, oy] = place(other);
    const along = (ox - x) * dx + (oy - y) * dy;
    const across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    if (along > 0.01 && along + 2 * across < least) [found, least] = [other, along + 2 * across];
  }
  return found;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const best = front();
  const here = cursor && cursor.id ? cursor : null;
  const start = byId.get(state.selected);
  const first = start && plot.drawn.includes(start) ? start : best[0] || plot.drawn.find((candidate) => candidate.id);
  let target = null;
  if (event.key in ARROWS) target = here ? neighbour(here, ...ARROWS[event.key]) || here : first;
  else if (event.key === "Home") target = best[0];
  else if (event.key === "End") target = best[best.length - 1];
  else if (event.key === "PageDown" || event.key === "PageUp") {
    const next = best.indexOf(here) + (event.key === "PageDown" ? 1 : -1);
    target = best[Math.max(0, Math.min(best.length - 1, next))];
  } else if (event.key === "Enter" && here) select(here.id, true);
  else if ((event.key === "c" || event.key === " ") && here) togglePin(here.id);
  else if (event.key === "0") change({ zoom: null });
  else if (event.key === "Escape") showCursor(null);
  else return;
  event.preventDefault();
  if (target) {
    showCursor(target);
    say(`${target.design}, ${withUnit(target[state.x], figure(state.x))}, ${withUnit(target[state.y], figure(state.y))}${best.includes(target) ? ", on the front" : ""}`);
  }
}

function startPointer() {
  const svg = $("plot");
  let from = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType === "mouse") from = pixel(event);
  });
  svg.addEventListener("pointermove", (event) => {
    const at = pixel(event);
    if (from && Math.hypot(at[0] - from[0], at[1] - from[1]) > 6) drawBox(from, at);
    else if (!from) {
      const found = nearest(...at);
      if (found !== cursor) showCursor(found);
    }
  });
  window.addEventListener("pointerup", (event) => {
    const box = $("zoom-box");
    if (from && box && !box.hasAttribute("hidden")) {
      const at = pixel(event);
      box.setAttribute("hidden", "");
      zoomTo(from, at);
      event.preventDefault();
      svg.dataset.zoomed = "yes";
    }
    from = null;
  });
  svg.addEventListener("click", (event) => {
    if (svg.dataset.zoomed) {
      delete svg.dataset.zoomed;
      return;
    }
    const found = nearest(...pixel(event));
    if (found && found.id) event.shiftKey ? togglePin(found.id) : select(found.id, false);
  });
  svg.addEventListener("pointerleave", () => showCursor(null));
  svg.addEventListener("blur", () => showCursor(null));
  svg.addEventListener("dblclick", () => change({ zoom: null }));
  svg.addEventListener("keydown", onKey);
}

function drawBox(a, b) {
  const box = $("zoom-box");
  box.removeAttribute("hidden");
  box.setAttribute("x", Math.min(a[0], b[0]));
  box.setAttribute("y", Math.min(a[1], b[1]));
  box.setAttribute("width", Math.abs(a[0] - b[0]));
  box.setAttribute("height", Math.abs(a[1] - b[1]));
}

function zoomTo(a, b) {
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const xs = [a[0], b[0]].map((p) => plot.x.value(clamp(p, MARGIN.left, plot.width - MARGIN.right)));
  const ys = [a[1], b[1]].map((p) => plot.y.value(clamp(p, MARGIN.top, plot.height - MARGIN.bottom)));
  const up = (values) => values.sort((one, other) => one - other);
  if (xs[0] !== xs[1] && ys[0] !== ys[1]) change({ zoom: { x: up(xs), y: up(ys) } });
}
