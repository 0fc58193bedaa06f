// The panel of a requirement: the options of `aesmith recommend` as a form, and its answer from the points of this page.
// What is asked is kept as texts by option name, those left as they are by default left out: the address has the same.

const limitsHere = () => RULE.limits.filter(({ figure: of }) => criterion(of).only !== (state.kind === "device" ? "library" : "device"));
const figuresHere = () => RULE.figures.filter(({ only }) => only !== (state.kind === "device" ? "library" : "device"));
const setsHere = () => kindNow().sets.map((index) => DATA.sets[index]);

// What is asked before anything is chosen: of each kind something else.
function needOf() {
  const { name, defaults } = kindNow();
  const device = name === "device";
  return {
    mode: defaults.mode, core: name === "engine" ? "" : "core", directions: "enc", key: "128",
    ...Object.fromEntries(RULE.limits.map((limit) => [limit.name, ""])),
    clock: "", streams: "1", block_width: "", order: name === "protected" ? "1" : "0", decides: device ? "least luts" : "least area", library: defaults.library,
  };
}
const WAYS = { enc: ["encrypt"], dec: ["decrypt"], encdec: ["encrypt", "decrypt"] };
const WAY_WORDS = { enc: "encrypt", dec: "decrypt", encdec: "both" };
const optionName = (name) => name.replaceAll("_", "-");
const asked = () => ({ ...needOf(), ...state.need });

// The requirement that the texts mean. Throws Refused, naming the option, for what cannot be.
function requirementOf(texts) {
  const given = { ...needOf(), ...texts };
  const mode = RULE.modes.find(({ name }) => name === given.mode);
  if (!mode) throw new Refused(`mode: must be one of ${RULE.modes.map(({ name }) => name).join(", ")}, not '${given.mode}'`);
  if (!WAYS[given.directions]) throw new Refused(`directions: must be enc, dec or encdec, not '${given.directions}'`);
  const engine = given.core || !mode.engine ? null : mode.engine;
  const keys = given.key.split(",").filter(Boolean).map(Number);
  const wrong = keys.filter((bits) => !mode.key_bits.includes(bits));
  if (wrong.length || !keys.length) throw new Refused(`key: must be of ${mode.key_bits.join(", ")} for ${mode.title}, not ${wrong.join(", ") || "none"}`);
  const limits = limitsHere().filter(({ name }) => given[name]).map((limit) => limitOf(limit, given[limit.name]));
  const clock = given.clock ? parseQuantity(criterion("fmax").kind, given.clock, "clock") : null;
  const streams = /^\d+$/.test(given.streams) ? Number(given.streams) : 0;
  if (streams < 1) throw new Refused(`streams: must be 1 or more, not ${given.streams || "nothing"}`);
  const order = /^\d+$/.test(given.order) ? Number(given.order) : -1;
  if (order < (state.kind === "protected") || order > RULE.most_order) throw new Refused(`protected: must be order=1 to order=${RULE.most_order}, not order=${given.order}`);
  const several = [["streams", streams > 1], ["key", keys.length > 1]].find(([, asked]) => asked);
  if (engine !== null && several) throw new Refused(`${several[0]}: no engine has several; --core asks for the AES core of ${mode.title} alone`);
  const blockWidth = given.block_width ? Number(given.block_width) : null;
  if (blockWidth !== null && !RULE.block_widths.includes(blockWidth)) throw new Refused(`block-width: must be ${RULE.block_widths.join(" or ")}, not ${given.block_width}`);
  const [side, decides] = given.decides.split(" ");
  if (!["least", "most"].includes(side) || !criterion(decides)) throw new Refused(`decides: must be least or most and a figure, not '${given.decides}'`);
  const set = setsHere().find(({ library }) => library === given.library);
  if (!set) throw new Refused(`library: must be one of ${setsHere().map(({ library }) => library).join(", ")}, not '${given.library}'`);
  const bounds = clock === null ? limits : [...limits, { figure: criterion("fmax"), bound: clock }];
  return { mode, engine, directions: WAYS[given.directions], keys, limits, clock, streams, blockWidth, objective: { figure: criterion(decides), least: side === "least" }, order, device: set.device, set, bounds };
}

// A limit on latency is in clocks if its unit says so, else a time.
function limitOf({ name, figure: figureName, clocks }, text) {
  const found = criterion(clocks && text.toLowerCase().includes("c") ? clocks : figureName);
  return { figure: found, bound: parseQuantity(found.kind, text, optionName(name)) };
}

// The command that gives the same answer.
function commandOf(texts) {
  const given = { ...needOf(), ...texts };
  const words = ["aesmith recommend"];
  const add = (option, value) => words.push(`--${option} ${/^[\w.,+/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`);
  const set = setsHere().find(({ library }) => library === given.library);
  if (set && set.source) add("points", set.source);
  if (!set || !set.alone) add(state.kind === "device" ? "device" : "library", given.library);
  add("mode", given.mode);
  if (given.core && RULE.modes.find(({ name }) => name === given.mode)?.engine) words.push("--core");
  if (given.directions !== "enc") add("directions", given.directions);
  if (given.key !== "128") given.key.split(",").forEach((bits) => add("key", bits));
  for (const name of [...limitsHere().map((limit) => limit.name), "clock", "block_width"]) if (given[name]) add(optionName(name), given[name]);
  if (given.streams !== "1") add("streams", given.streams);
  if (given.order !== "0") words.push(`--protected order=${given.order}`);
  const [side, decides] = given.decides.split(" ");
  add(side === "least" ? "minimise" : "maximise", decides);
  return words.join(" ");
}

// The three fields that most requirements need, and the others, which unfold.
function buildNeed() {
  const field = (name, label, control, hint) =>
    h("div", { class: "field" }, h("label", { for: `need-${name}` }, label), control, hint ? h("small", { class: "quiet", id: `need-${name}-hint` }, hint) : null);
  const choose = (name, options) => h("select", { id: `need-${name}`, name }, options.map(([value, text]) => h("option", { value }, text)));
  const write = (name, example) => h("input", { id: `need-${name}`, name, type: "text", placeholder: example, autocomplete: "off", spellcheck: "false" });
  const count = (name, least) => h("input", { id: `need-${name}`, name, type: "number", min: least, step: 1 });
  const limit = ({ name, figure: of }) => {
    const { kind, meaning } = criterion(of);
    const [side, word] = optionName(name).split("-");
    return field(name, `${side === "min" ? "At least" : "At most"}: ${word}`, write(name, kind.example), meaning);
  };
  const { kind } = state;
  const modes = RULE.modes.filter(({ engine }) => kind !== "engine" || engine);
  const decides = figuresHere().flatMap(({ name, least_is_best: least }) => [`${least ? "least" : "most"} ${name}`, `${least ? "most" : "least"} ${name}`]).map((text) => [text, text]);
  const libraries = field("library", kind === "device" ? "Device" : "Library", choose("library", setsHere().map(({ library }) => [library, library])));
  const keys = h("fieldset", { class: "field" }, h("legend", {}, "Key bits, each of them"), RULE.key_bits.map((bits) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "key", value: bits }), ` ${bits}`)));
  const [throughput, ...limits] = limitsHere();
  const first = [kind === "device" ? libraries : null, field("mode", "Mode", choose("mode", modes.map(({ name, title }) => [name, title]))), kind === "device" ? null : keys, limit(throughput)];
  const more = [
    field("directions", "Directions, in that mode", choose("directions", Object.entries(WAY_WORDS))),
    kind === "device" ? keys : null,
    kind === "device" ? field("core", "What answers", choose("core", [["core", "the AES core alone"], ["", "an engine, if the mode has any"]])) : null,
    kind === "protected" ? field("order", "Order of protection", count("order", 1), "probes at a time that tell nothing") : null,
    field("decides", "What decides", choose("decides", decides)),
    ...limits.map(limit),
    field("clock", "The clock it will have", write("clock", criterion("fmax").kind.example), "else each design's highest"),
    kind === "engine" ? null : field("streams", "Streams that take turns", count("streams", 1), "in a chained mode"),
    field("block_width", "Ports", choose("block_width", [["", "any width"], ...RULE.block_widths.map((bits) => [bits, `${bits} bits`])])),
    kind !== "device" && setsHere().length > 1 ? libraries : null,
  ];
  $("need-first").replaceChildren(...first.filter(Boolean));
  $("need-others").replaceChildren(...more.filter(Boolean));
  for (const control of needControls()) {
    if ($(`${control.id}-hint`)) control.setAttribute("aria-describedby", `${control.id}-hint`);
  }
  fillNeed();
}

const needControls = () => $("need-form").querySelectorAll("input, select");

function startNeed() {
  $("need-form").addEventListener("input", readNeed);
  $("need-form").addEventListener("submit", (event) => event.preventDefault());
  $("need").addEventListener("toggle", () => {
    if ($("need").open === Boolean(state.need)) return;
    change({ need: $("need").open ? { mode: needOf().mode } : null });
    if (state.need) fillNeed();
  });
  buildNeed();
}

// The form as the state has it.
function fillNeed() {
  const texts = asked();
  $("need").open = Boolean(state.need);
  $("need-more").open ||= [...$("need-others").querySelectorAll("input, select")].some(({ name }) => texts[name] !== needOf()[name]);
  for (const control of needControls()) {
    if (control.type === "checkbox") control.checked = texts.key.split(",").includes(control.value);
    else control.value = texts[control.name];
  }
}

function readNeed() {
  const found = { key: [] };
  for (const control of needControls()) {
    if (control.type !== "checkbox") found[control.name] = control.value.trim();
    else if (control.checked) found.key.push(control.value);
  }
  found.key = found.key.join(",");
  change({ need: Object.fromEntries(Object.entries(found).filter(([name, text]) => name === "mode" || text !== needOf()[name])) });
  say($("need-said") ? $("need-said").textContent : "");
}

function drawNeed() {
  const place = $("need-answer");
  for (const control of $("need-form").querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  plot.wanted = null;
  if (!state.need) return place.replaceChildren();
  try {
    const need = requirementOf(state.need);
    const found = recommendation(need);
    plot.wanted = found.chosen && found.chosen.point.id;
    place.replaceChildren(...(found.chosen ? answer(found) : noAnswer(found)), searchedSet(found));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const control = $(`need-${error.message.split(":")[0].replaceAll("-", "_").replace("protected", "order")}`);
    if (control) control.setAttribute("aria-invalid", "true");
    if (control && $("need-others").contains(control)) $("need-more").open = true;
    place.replaceChildren(h("p", { class: "warning", id: "need-said" }, error.message));
  }
}

const nameButton = (option) => h("button", { class: "name", type: "button", onclick: () => select(option.point.id, true) }, option.point.design);

function answer(found) {
  const options = [found.chosen, ...found.alternatives];
  const { device, order } = found.need;
  const shown = (device ? RULE.shown_on_device : RULE.shown).map(criterion).filter(({ name }) => options.some((option) => option.figures[name] !== null));
  const cell = (option, fig) => {
    if (option.figures[fig.name] === null) return "not measured";
    const relative = option === found.chosen ? null : changeOf(option, fig, found.chosen);
    return [valueOf(option, fig), relative === null ? null : h("span", { class: "relative" }, changeText(relative))];
  };
  const row = (label, cells, kind) => h("tr", {}, h("th", { scope: "row" }, label), cells.map((text) => h("td", { class: kind }, text)));
  return [
    h("p", { id: "need-said" }, h("strong", {}, `Recommended: ${found.chosen.point.design}`)),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "The choice and what is next best" }, h("table", {},
      h("thead", {}, h("tr", {}, h("td", {}), options.map((option) => h("th", { scope: "col" }, nameButton(option))))),
      h("tbody", {},
        shown.map((fig) => row(fig.name, options.map((option) => cell(option, fig)), "figure")),
        order ? row("order of protection", options.map(({ point }) => point.order), "figure") : null,
        device ? row("placements", options.map(({ point }) => point.seeds || "mapped, not placed"), "figure") : row("synthesis for", options.map(({ point }) => point.synthesis), "figure"),
        row("verified by", options.map(({ point }) => point.verified), "words")))),
    h("ul", { class: "reasons" }, reasonsOf(found).map((line) => h("li", {}, line))),
    h("p", { class: "actions no-print" },
      packButton(found.chosen.point),
      h("button", { type: "button", onclick: () => change({ pinned: [...new Set([...state.pinned, ...options.map(({ point }) => point.id)])] }) }, "Compare these")),
  ];
}

function noAnswer(found) {
  const named = [...new Set([...found.notReached.map(({ best }) => best), found.closest, found.nearest].filter(Boolean).map(({ point }) => point))];
  return [
    h("p", { id: "need-said" }, h("strong", {}, found.closest ? `No ${found.need.engine === null ? "core" : "engine"} that was measured meets the requirement` : "Not known: nothing that was measured fits the requirement")),
    h("ul", { class: "reasons" }, failuresOf(found).map((line) => h("li", {}, line))),
    named.length ? h("p", { class: "quiet" }, "Datasheets: ", named.map((point, index) => [index ? ", " : "", nameButton({ point })])) : null,
  ].filter(Boolean);
}

// Which points were searched, whatever is filtered in the scatter, and the command that searches the same.
function searchedSet(found) {
  const command = commandOf(state.need);
  return h("div", {},
    h("p", { class: "quiet" }, `${found.set.searched}. Filters of the scatter do not count here.`),
    h("pre", { tabindex: "0" }, h("code", {}, command)),
    h("button", { class: "plain no-print", type: "button", onclick: () => copyText(command) }, "Copy the command"),
    measureButton() || "");
}
