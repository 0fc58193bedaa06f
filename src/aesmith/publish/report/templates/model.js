// The data of the page, what the reader has asked to see of it, and the address that says so.

const DATA = JSON.parse($("data").textContent);
const FIGURES = DATA.figures;
const PARAMETERS = DATA.parameters;
const figure = (name) => FIGURES.find((candidate) => candidate.name === name);
const parameter = (name) => PARAMETERS.find((candidate) => candidate.name === name);

// Columns to points; a column of words is a list of the different ones and an index for each point.
const EVERY = DATA.ids.map((id, row) => {
  const point = { id };
  for (const [name, column] of Object.entries(DATA.columns)) {
    point[name] = column.words ? (column.index[row] === null ? null : column.words[column.index[row]]) : column[row];
  }
  return point;
});
const byId = new Map(EVERY.map((point) => [point.id, point]));

// What is asked for, such as cores or engines: the page shows the points of one kind.
const kindNow = () => DATA.kinds.find(({ name }) => name === state.kind);
const startOf = ({ defaults: { x, y, colour, filters } }) => ({ x, y, colour, filters, zoom: null, sort: null, selected: null, pinned: [] });
let POINTS = [];
const setPoints = () => (POINTS = EVERY.filter(({ kind }) => kind === state.kind));

const state = {
  kind: DATA.kinds[0].name,
  ...startOf(DATA.kinds[0]),
  xlog: true,
  ylog: true,
  published: true,
  search: "",
  frontOnly: true,
  need: null,
};

setPoints();

function matches(point, except) {
  for (const [name, wanted] of Object.entries(state.filters)) {
    if (name !== except && wanted.length && !wanted.includes(valueText(point[name]))) return false;
  }
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [point.design, point.title, point.sbox, point.citation].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

const valueText = (value) => (value === null || value === undefined ? "none" : String(value));
const visible = () => POINTS.filter((point) => matches(point, null));

// A point can be drawn if it has both figures, above zero where the scale is logarithmic.
function drawable(point) {
  const fits = (value, log) => value !== null && value !== undefined && (!log || value > 0);
  return fits(point[state.x], state.xlog) && fits(point[state.y], state.ylog);
}

function front() {
  return paretoFront(visible().filter(drawable), figure(state.x), figure(state.y));
}

const publishedHere = () => (state.published && state.kind === "core" ? DATA.published.filter(drawable) : []);

function toAddress() {
  const words = new URLSearchParams();
  if (state.kind !== DATA.kinds[0].name) words.set("kind", state.kind);
  words.set("x", state.x);
  words.set("y", state.y);
  words.set("log", (state.xlog ? "x" : "") + (state.ylog ? "y" : "") || "none");
  words.set("colour", state.colour);
  if (!state.published) words.set("published", "no");
  if (state.search) words.set("search", state.search);
  for (const [name, wanted] of Object.entries(state.filters)) if (wanted.length) words.set("is." + name, wanted.join("|"));
  if (state.selected) words.set("design", state.selected);
  if (state.pinned.length) words.set("compare", state.pinned.join(","));
  for (const [name, value] of Object.entries(state.need || {})) words.set("need." + name, value);
  return "#" + words.toString();
}

function fromAddress() {
  if (!location.hash) return;
  const words = new URLSearchParams(location.hash.slice(1));
  state.kind = (DATA.kinds.find(({ name }) => name === words.get("kind")) || DATA.kinds[0]).name;
  Object.assign(state, startOf(kindNow()));
  setPoints();
  if (figure(words.get("x"))) state.x = words.get("x");
  if (figure(words.get("y"))) state.y = words.get("y");
  if (words.has("log")) {
    state.xlog = words.get("log").includes("x");
    state.ylog = words.get("log").includes("y");
  }
  if (parameter(words.get("colour"))) state.colour = words.get("colour");
  state.published = words.get("published") !== "no";
  state.search = words.get("search") || "";
  state.filters = {};
  for (const [name, value] of words) {
    if (name.startsWith("is.") && parameter(name.slice(3))) state.filters[name.slice(3)] = value.split("|");
  }
  const asked = [...words].filter(([name]) => name.startsWith("need.") && name.slice(5) in needOf());
  state.need = asked.length ? Object.fromEntries(asked.map(([name, value]) => [name.slice(5), value])) : null;
  state.selected = byId.has(words.get("design")) ? words.get("design") : null;
  state.pinned = (words.get("compare") || "").split(",").filter((id) => byId.has(id));
}
