// The datasheet of the selected design.

function drawPanel() {
  const panel = $("sheet");
  const chosen = byId.get(state.selected);
  panel.replaceChildren(...(chosen ? sheet(chosen) : hint()));
}

function hint() {
  return [
    h("h2", {}, "No design chosen"),
    h("p", { class: "quiet" }, "Choose a mark or a name in the table, or use the arrow keys in the plot. Its datasheet appears here."),
    h("dl", { class: "keys" },
      [["← ↑ → ↓", "from design to design"], ["PgUp PgDn", "along the front"], ["Enter", "datasheet"], ["C", "compare"], ["drag", "zoom in; 0 or double click: out"]]
        .map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])),
  ];
}

function sheet(chosen) {
  const best = front();
  const at = best.indexOf(chosen);
  const pinned = state.pinned.includes(chosen.id);
  return [
    h("div", { class: "sheet-head" },
      h("h2", { tabindex: "-1", id: "sheet-title" }, chosen.design),
      h("button", { class: "plain", title: "Close the datasheet", "aria-label": "Close the datasheet", onclick: () => select(null) }, "×")),
    h("p", { class: "lead" }, chosen.title),
    h("p", { class: "badges" },
      at >= 0 ? h("span", { class: "badge strong" }, "on the front") : null,
      h("span", { class: "badge" }, chosen.verified ? `verified by ${chosen.verified}` : "not verified"),
      h("span", { class: "badge" }, chosen.synthesis)),
    h("div", { class: "actions no-print" },
      h("button", { "aria-pressed": String(pinned), onclick: () => togglePin(chosen.id) }, pinned ? "Compared" : "Compare"),
      packButton(chosen),
      at >= 0 && at > 0 ? h("button", { class: "plain", onclick: () => select(best[at - 1].id) }, "‹ front") : null,
      at >= 0 && at < best.length - 1 ? h("button", { class: "plain", onclick: () => select(best[at + 1].id) }, "front ›") : null),
    h("dl", { class: "headline" }, kindNow().defaults.headline.map((name) => [
      h("div", {}, h("dt", {}, figure(name).label), h("dd", {}, number(chosen[name], figure(name).digits), h("small", {}, " " + figure(name).unit)))])),
    section("Figures", FIGURES.filter(({ name }) => !kindNow().defaults.headline.includes(name)).map((fig) => [fig.label, chosen[fig.name], withUnit(chosen[fig.name], fig)])),
    section("Parameters", PARAMETERS.filter(({ name }) => !["library", "synthesis"].includes(name)).map(({ name, label }) => [label, chosen[name], valueText(chosen[name])])),
    section("Measured", DATA.conditions.map(({ name, label }) => [label, chosen[name], chosen[name]])),
    origin(chosen),
    published(chosen),
    make(chosen),
  ].flat().filter(Boolean);
}

// Rows of label, value, text; those without a value are left out.
function section(title, rows) {
  const known = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (!known.length) return null;
  return h("section", {}, h("h3", {}, title), h("dl", { class: "rows" }, known.map(([label, , text]) => [h("dt", {}, label), h("dd", {}, text)])));
}

function origin(chosen) {
  const box = DATA.sboxes[chosen.sbox];
  return h("section", {},
    h("h3", {}, "Origin"),
    h("p", {}, chosen.citation),
    box ? h("p", {}, h("b", {}, `S-box ${chosen.sbox}. `), box.citation) : null,
    box && box.provenance ? h("p", { class: "quiet" }, box.provenance) : null,
    box && box.patent ? h("p", { class: "warning" }, h("b", {}, "Patent: "), box.patent) : null);
}

// What the papers state of the same design: another synthesiser, so never beside measured figures.
function published(chosen) {
  const rows = DATA.published.filter((row) => row.name === chosen.design);
  return rows.map((row) =>
    h("section", { class: "paper" },
      h("h3", {}, diamond(), `Published: ${row.source}`),
      h("p", { class: "quiet" }, row.conditions),
      h("dl", { class: "rows" }, FIGURES.filter(({ name }) => row[name] !== undefined && row[name] !== null).map((fig) => [h("dt", {}, fig.label), h("dd", {}, withUnit(row[fig.name], fig))]))));
}

function make(chosen) {
  const code = h("code", {}, chosen.make);
  const copy = h("button", { class: "plain no-print", onclick: () => copyText(chosen.make) }, "Copy");
  return h("section", {}, h("h3", {}, "Make it", copy), h("pre", { tabindex: "0" }, code));
}

function copyText(text) {
  const done = () => say("copied");
  if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, () => undefined);
  else {
    const area = h("textarea", { class: "away" }, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  }
}
