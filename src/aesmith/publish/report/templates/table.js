// The same designs as a table: those on the front, or all; sorted by any column.

function columns() {
  const names = [...new Set([state.x, state.y, ...kindNow().defaults.table])];
  return names.map((name) => figure(name));
}

function drawTable() {
  const best = front();
  const rows = state.frontOnly ? best.slice() : visible();
  const key = state.sort || { name: state.x, down: figure(state.x).best === "most" };
  const value = (point) => point[key.name];
  const order = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  rows.sort((a, b) => {
    const missing = (value(a) === null) - (value(b) === null);
    return missing || order(value(a), value(b)) * (key.down ? -1 : 1);
  });
  const heads = [{ name: "design", label: "Design" }, { name: "synthesis", label: "Synthesis" }, ...columns()];
  $("points-table").replaceChildren(
    h("thead", {}, h("tr", {}, heads.map((head) => header(head, key)))),
    h("tbody", {}, rows.map((point) => tableRow(point, best.includes(point)))));
  $("table-front").setAttribute("aria-pressed", String(state.frontOnly));
  $("table-all").setAttribute("aria-pressed", String(!state.frontOnly));
  $("table-front").textContent = `On the front (${best.length})`;
  $("table-all").textContent = `All (${visible().length})`;
}

function header(head, key) {
  const sorted = head.name === key.name ? (key.down ? "descending" : "ascending") : "none";
  const arrow = { ascending: " ↑", descending: " ↓", none: "" }[sorted];
  const text = [head.label, h("span", { class: "arrow", "aria-hidden": "true" }, arrow), h("small", {}, head.unit || "\u00a0")];
  const flip = () => change({ sort: { name: head.name, down: head.name === key.name ? !key.down : head.best === "most" } });
  return h("th", { scope: "col", "aria-sort": sorted, class: head.best ? "figure" : head.name === "synthesis" ? "apart" : null }, h("button", { class: "sort", onclick: flip }, text));
}

function tableRow(point, best) {
  const selected = point.id === state.selected;
  return h("tr", { class: [selected ? "selected" : "", best && !state.frontOnly ? "best" : ""].join(" "), "data-id": point.id },
    h("th", { scope: "row" }, chip(kindOf(point)), h("button", { class: "name", onclick: () => select(point.id, true) }, point.design), h("span", { class: "beneath" }, point.synthesis)),
    h("td", { class: "apart" }, point.synthesis),
    columns().map((fig) => h("td", { class: "figure" }, number(point[fig.name], fig.digits))));
}
