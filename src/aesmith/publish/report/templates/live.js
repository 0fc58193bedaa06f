// Work on this machine, where the page comes from `aesmith serve`: asked for here, told of while it is done.

const LIVE = DATA.live;
const work = { jobs: [], rows: new Map(), told: new Map(), timer: null };
const ENDED = ["done", "failed", "cancelled"];

async function ask(path, body) {
  const headers = { [LIVE.header]: LIVE.token };
  if (body) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("`aesmith serve` does not answer any more: it was ended");
  }
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer;
}

// Ask for something, and say in words what came of it.
async function attempt(path, body) {
  try {
    const answer = await ask(path, body);
    $("work-said").replaceChildren();
    return answer;
  } catch (error) {
    $("work-said").replaceChildren(h("p", { class: "warning" }, error.message));
    return null;
  }
}

async function begin(body) {
  const answer = await attempt("/api/work", body);
  if (!answer) return;
  const job = await answer.json();
  await refreshWork();
  const row = work.rows.get(job.id);
  if (row) row.node.scrollIntoView({ block: "nearest" });
}

const packCore = (id) => begin({ kind: "core", point: id, library: $("work-library").value, optimise: $("work-optimise").value, bus: $("work-bus").value });

// A requirement as `aesmith.explore.recommend.requirement.requirement` takes it.
function measureNeed(texts) {
  const given = { ...needOf(), ...texts };
  const [side, decides] = given.decides.split(" ");
  const wanted = { mode: given.mode, directions: given.directions, key: given.key.split(",").map(Number), streams: Number(given.streams), core: Boolean(given.core), [side === "least" ? "minimise" : "maximise"]: decides };
  for (const name of [...limitsHere().map((limit) => limit.name), "clock"]) if (given[name]) wanted[name] = given[name];
  if (given.order !== "0") wanted.protected = `order=${given.order}`;
  if (given.block_width) wanted.block_width = Number(given.block_width);
  return begin({ kind: "requirement", requirement: wanted, library: $("work-library").value, minutes: Number($("work-minutes").value) });
}

async function refreshWork() {
  clearTimeout(work.timer);
  const answer = await attempt("/api/work");
  if (!answer) return;
  work.jobs = await answer.json();
  drawWork();
  if (work.jobs.some(({ state: now }) => !ENDED.includes(now))) work.timer = setTimeout(refreshWork, 500);
}

function drawWork() {
  for (const job of work.jobs) {
    if (!work.rows.has(job.id)) {
      const row = newRow(job);
      work.rows.set(job.id, row);
      $("work-list").prepend(row.node);
    }
    updateRow(work.rows.get(job.id), job);
  }
  for (const [id, row] of work.rows) {
    if (!work.jobs.some((job) => job.id === id)) {
      row.node.remove();
      work.rows.delete(id);
    }
  }
}

// A row stays the same element while its job goes on, so that who has the focus on its button keeps it.
function newRow(job) {
  const row = {
    state: h("strong", {}),
    step: h("span", { class: "quiet" }),
    bar: h("progress", { "aria-label": `Progress of ${job.title}` }),
    result: h("div", {}),
    cancel: h("button", { type: "button", class: "no-print", "aria-label": `Cancel ${job.title}`, onclick: async () => (await attempt(`/api/work/${job.id}/cancel`, {})) && refreshWork() }, "Cancel"),
  };
  row.node = h("li", { "data-state": "" }, h("p", {}, row.state, ` ${job.title}`), h("p", { class: "step" }, row.bar, row.step, row.cancel), row.result);
  return row;
}

function updateRow(row, job) {
  const ended = ENDED.includes(job.state);
  row.node.dataset.state = job.state;
  row.state.textContent = `${job.state[0].toUpperCase()}${job.state.slice(1)}:`;
  row.step.textContent = ended ? "" : job.state === "waiting" ? `${job.before} before it` : job.step;
  row.bar.hidden = job.state !== "at work";
  if (job.of) [row.bar.max, row.bar.value] = [job.of, job.done];
  else row.bar.removeAttribute("value");
  row.cancel.hidden = ended;
  if (work.told.get(job.id) === job.state) return;
  work.told.set(job.id, job.state);
  say(`${job.title}: ${job.state}${job.error ? `: ${job.error}` : ""}`);
  if (ended) row.result.replaceChildren(...resultOf(job).filter(Boolean));
}

function resultOf(job) {
  if (job.state === "failed") return [h("p", { class: "warning" }, job.error)];
  if (job.state !== "done") return [];
  const { result } = job;
  const figures = h("dl", { class: "rows" }, result.figures.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
  if (result.kind === "core") {
    return [figures, h("p", { class: "quiet" }, result.conditions),
      h("button", { type: "button", class: "no-print", onclick: () => download(job) }, `Download ${job.file}`)];
  }
  const { chosen } = result;
  return [
    h("p", {}, h("strong", {}, chosen ? `Recommended: ${chosen.design}` : "No core that was searched meets the requirement")),
    chosen ? figures : null,
    h("ul", { class: "reasons" }, result.lines.map((line) => h("li", {}, line))),
    h("p", { class: "quiet" }, result.searched),
    chosen ? h("button", { type: "button", class: "no-print", onclick: () => packCore(chosen.point) }, `Build ${chosen.design}`) : null,
  ];
}

// The token stands in no address but the page's: the file comes by the same way as everything else.
async function download(job) {
  const answer = await attempt(`/api/work/${job.id}/package`);
  if (!answer) return;
  const address = URL.createObjectURL(await answer.blob());
  const link = h("a", { href: address, download: job.file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// The buttons of a page that has a server. It measures in libraries, not on devices.
const packButton = (point) => LIVE && point.kind !== "device" && h("button", { type: "button", onclick: () => packCore(point.id) }, "Build and measure");
const measureButton = () => LIVE && state.kind !== "device" && h("button", { type: "button", onclick: () => measureNeed(state.need) }, "Measure what is lacking");

function startLive() {
  if (!LIVE) return;
  $("work").hidden = false;
  const options = (names) => names.map((name) => h("option", { value: name }, name));
  $("work-library").replaceChildren(...options(LIVE.libraries));
  $("work-optimise").replaceChildren(...options(LIVE.optimise));
  $("work-bus").replaceChildren(...options(LIVE.buses));
  if (LIVE.libraries.includes(needOf().library)) $("work-library").value = needOf().library;
  refreshWork();
}
