// One way for everything to change: the state, then all that shows it, then the address.

function change(changes) {
  Object.assign(state, changes);
  render();
  history.replaceState(null, "", toAddress());
}

function render() {
  drawNeed();
  drawFilters();
  drawPlot();
  showCursor(null);
  drawPanel();
  drawTable();
  drawComparison();
  $("unzoom").hidden = !state.zoom;
}

// Another kind of designs: the page begins anew with its points, axes and requirement.
function setKind(name) {
  state.kind = name;
  setPoints();
  Object.assign(state, startOf(kindNow()), { need: state.need ? { mode: needOf().mode } : null });
  fillSelects();
  buildNeed();
  change({});
  say(`${POINTS.length} ${kindNow().label.toLowerCase()}`);
}

function select(id, goThere) {
  change({ selected: id });
  const title = $("sheet-title");
  if (goThere && title) {
    title.focus({ preventScroll: true });
    $("sheet").scrollIntoView({ block: "nearest" });
  }
  if (id) say(`${byId.get(id).design}: datasheet shown`);
}

function togglePin(id) {
  const pinned = state.pinned.includes(id) ? state.pinned.filter((other) => other !== id) : [...state.pinned, id];
  change({ pinned });
  say(`${byId.get(id).design} ${pinned.includes(id) ? "added to" : "taken out of"} the comparison of ${pinned.length}`);
}

const say = (words) => ($("live").textContent = words);

// The theme is the reader's system's until it is chosen here; what was chosen is kept where the browser allows it.
function startTheme() {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return localStorage.getItem("aesmith-theme");
    } catch {
      return null;
    }
  };
  const show = (theme) => {
    root.dataset.theme = theme;
    $("theme").textContent = theme === "dark" ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", `Change to ${theme === "dark" ? "light" : "dark"} colours`);
  };
  show(kept() || (system.matches ? "dark" : "light"));
  system.addEventListener("change", () => kept() || show(system.matches ? "dark" : "light"));
  $("theme").addEventListener("click", () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    show(theme);
    try {
      localStorage.setItem("aesmith-theme", theme);
    } catch {
      // A page opened from a file may have no storage; the theme then lasts as long as the page.
    }
  });
}

function start() {
  startTheme();
  fromAddress();
  fillSelects();
  startControls();
  startNeed();
  startLive();
  startPointer();
  if (window.matchMedia("(max-width: 60rem)").matches) $("controls").open = false;
  render();
  new ResizeObserver(() => drawPlot()).observe($("plot").parentElement);
  window.addEventListener("hashchange", () => {
    fromAddress();
    fillSelects();
    buildNeed();
    render();
  });
  window.addEventListener("beforeprint", () => drawPlot());
  // For the console and for tests: what is shown, by design.
  const rule = { requirementOf, recommendation, requirementText, reasonsOf, failuresOf, commandOf };
  const parse = (name, text, field) => parseQuantity(criterion(name).kind, text, field);
  const text = (name, value) => kindText(criterion(name).kind, value);
  window.report = { state, get points() { return POINTS; }, visible, front, select, change, setKind, place, shapes: SHAPES, ...rule, parse, text };
}

start();
