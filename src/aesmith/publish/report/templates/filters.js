// The controls: axes, colour, search, and a row of values for each parameter that has more than one.

function drawFilters() {
  $("filters").replaceChildren(...PARAMETERS.filter(({ name }) => valuesOf(name).length > 1).map(filterGroup));
  $("clear").disabled = !state.search && !Object.values(state.filters).some((wanted) => wanted.length);
  drawLegend();
}

function filterGroup({ name, label }) {
  const counts = new Map();
  for (const point of POINTS) {
    if (matches(point, name)) counts.set(valueText(point[name]), (counts.get(valueText(point[name])) || 0) + 1);
  }
  const wanted = state.filters[name] || [];
  const coloured = name === state.colour;
  return h("fieldset", {},
    h("legend", {}, label),
    h("div", { class: "chips" }, valuesOf(name).map((text, index) =>
      h("button", {
        class: "chip", "data-parameter": name, "data-value": text,
        "aria-pressed": String(wanted.includes(text)),
        onclick: () => toggleFilter(name, text),
      }, coloured ? chip(Math.min(index, KINDS - 1)) : null, text, h("span", { class: "count" }, counts.get(text) || 0)))));
}

function toggleFilter(name, text) {
  const wanted = state.filters[name] || [];
  const next = wanted.includes(text) ? wanted.filter((other) => other !== text) : [...wanted, text];
  change({ filters: { ...state.filters, [name]: next }, zoom: null });
  const again = [...document.querySelectorAll("#filters .chip")].find((node) => node.dataset.parameter === name && node.dataset.value === text);
  if (again) again.focus();
}

function drawLegend() {
  const values = valuesOf(state.colour).filter((text) => visible().some((point) => valueText(point[state.colour]) === text));
  const items = values.slice(0, KINDS).map((text) => h("li", {}, chip(Math.min(valuesOf(state.colour).indexOf(text), KINDS - 1)), text));
  if (values.length > KINDS) items.push(h("li", { class: "quiet" }, `and ${values.length - KINDS} more as the last`));
  if (publishedHere().length) items.push(h("li", {}, diamond(), "published, other synthesisers"));
  $("legend").replaceChildren(h("li", { class: "quiet" }, parameter(state.colour).label), ...items);
}

function fillSelects() {
  const options = (entries, chosen) => entries.map(({ name, label, unit }) => h("option", { value: name, selected: name === chosen }, unit ? `${label} (${unit})` : label));
  const having = FIGURES.filter(({ name }) => POINTS.some((point) => point[name] !== null));
  $("kind").replaceChildren(...options(DATA.kinds, state.kind));
  $("what").hidden = DATA.kinds.length < 2;
  $("x").replaceChildren(...options(having, state.x));
  $("y").replaceChildren(...options(having, state.y));
  $("colour").replaceChildren(...options(PARAMETERS.filter(({ name }) => valuesOf(name).length > 1 || name === state.colour), state.colour));
  $("xlog").checked = state.xlog;
  $("ylog").checked = state.ylog;
  $("published").checked = state.published;
  $("published").disabled = state.kind !== "core";
  $("search").value = state.search;
}

function startControls() {
  $("kind").addEventListener("change", () => setKind($("kind").value));
  $("x").addEventListener("change", () => change({ x: $("x").value, zoom: null, sort: null }));
  $("y").addEventListener("change", () => change({ y: $("y").value, zoom: null, sort: null }));
  $("colour").addEventListener("change", () => change({ colour: $("colour").value }));
  $("xlog").addEventListener("change", () => change({ xlog: $("xlog").checked, zoom: null }));
  $("ylog").addEventListener("change", () => change({ ylog: $("ylog").checked, zoom: null }));
  $("published").addEventListener("change", () => change({ published: $("published").checked, zoom: null }));
  $("search").addEventListener("input", () => change({ search: $("search").value, zoom: null }));
  $("clear").addEventListener("click", () => {
    $("search").value = "";
    change({ filters: {}, search: "", zoom: null });
  });
  $("unzoom").addEventListener("click", () => change({ zoom: null }));
  $("table-front").addEventListener("click", () => change({ frontOnly: true }));
  $("table-all").addEventListener("click", () => change({ frontOnly: false }));
  $("clear-comparison").addEventListener("click", () => change({ pinned: [] }));
}
