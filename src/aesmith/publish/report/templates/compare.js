// Designs side by side: the best of each figure stands out, and each is relative to the first.

function drawComparison() {
  const chosen = state.pinned.map((id) => byId.get(id));
  $("comparison").hidden = !chosen.length;
  if (!chosen.length) return;
  const [base] = chosen;
  const head = h("tr", {}, h("td", {}), chosen.map((point) => h("th", { scope: "col" },
    h("button", { class: "name", onclick: () => select(point.id, true) }, point.design),
    h("span", { class: "quiet block" }, point.synthesis),
    h("button", { class: "plain no-print", "aria-label": `Take ${point.design} out of the comparison`, onclick: () => togglePin(point.id) }, "remove"))));
  const figures = FIGURES.filter(({ name }) => chosen.some((point) => point[name] !== null)).map((fig) => figureRow(fig, chosen, base));
  const parameters = PARAMETERS.map(({ name, label }) => {
    const texts = chosen.map((point) => valueText(point[name]));
    const differ = new Set(texts).size > 1;
    return h("tr", { class: differ ? "differs" : "same" }, h("th", { scope: "row" }, label), texts.map((text) => h("td", {}, text)));
  });
  $("comparison-table").replaceChildren(
    h("thead", {}, head),
    h("tbody", {}, figures),
    h("tbody", {}, h("tr", { class: "divider" }, h("th", { scope: "rowgroup", colspan: chosen.length + 1 }, "Parameters")), parameters));
}

function figureRow(fig, chosen, base) {
  const values = chosen.map((point) => point[fig.name]).filter((value) => value !== null);
  const best = fig.best === "least" ? Math.min(...values) : Math.max(...values);
  return h("tr", {},
    h("th", { scope: "row" }, fig.unit ? `${fig.label}, ${fig.unit}` : fig.label),
    chosen.map((point) => {
      const value = point[fig.name];
      const relative = point !== base && value !== null && base[fig.name] ? percent(value / base[fig.name] - 1) : "";
      const wins = value === best && chosen.length > 1 && new Set(values).size > 1;
      return h("td", { class: wins ? "figure wins" : "figure" }, number(value, fig.digits), relative ? h("span", { class: "relative" }, relative) : null);
    }));
}
