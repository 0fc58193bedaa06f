// The rule of `aesmith recommend` over the points of this page. Modes, figures, limits and margins come with the data;
// what is computed here is computed in the same order as there, so that not even a last digit differs.
// A requirement: { mode, engine, directions, keys, limits, objective, blockWidth, clock, streams, order, device, set, bounds };
// `engine` is the mode's name among engines, null where a core is asked for; `set` are the points that answer, of a library or of a `device`; `bounds` are its limits and the one that the clock is. A limit is { figure, bound }. An option is a point with the `figures` it would have in that service, and the `columns` that these are of.

const RULE = DATA.rule;
const criterion = (name) => RULE.figures.find((candidate) => candidate.name === name);
const absent = (value) => value === null || value === undefined;
const proved = (option) => (option.point.verified || "").startsWith(RULE.proof);

const coreDirections = (need) => [...new Set(need.directions.flatMap((way) => need.mode.uses[way]))];
const chained = (need) => need.engine === null && need.directions.some((way) => need.mode.chained.includes(way));

function margin(option, limit) {
  const value = option.figures[limit.figure.name];
  if (value === null) return null;
  return (limit.figure.least_is_best ? limit.bound - value : value - limit.bound) / (limit.bound || 1);
}

function meets(option, limit) {
  const value = option.figures[limit.figure.name];
  return value !== null && (limit.figure.least_is_best ? value <= limit.bound : value >= limit.bound);
}

// A figure relative to that of another option: 0.1 is a tenth more.
function changeOf(option, figure, base) {
  const value = option.figures[figure.name];
  const reference = base.figures[figure.name];
  return value === null || !reference ? null : value / reference - 1;
}

// The points that fit mode, keys, ports and clock, verified; of the others, how many were left out for which reason. `unlike` are those of
// the mode that lack something that another design of the kind may have, with what each lacks first, and of how many things.
function serve(points, need, failed) {
  const wanted = coreDirections(need);
  const lacksWays = (ways) => (point) => !ways.every((way) => point.directions.split("+").includes(way));
  const never = [["failed", (point) => absent(point.fmax_mhz) && point.seeds !== 0], ["of somebody else", (point) => point.family === RULE.foreign], [RULE.not_verified, (point) => !point.verified]];
  const unlike = [];
  if (need.engine === null) {
    never.push(["of engines", (point) => !absent(point.core)]);
    unlike.push([`without ${wanted.slice().sort().reverse().join(" and ")}`, lacksWays(wanted)]);
  } else {
    never.push(["of cores alone", (point) => absent(point.core)], ["of other modes", (point) => point.family !== need.engine], ["measured with registers", (point) => !absent(point.bus)]);
    unlike.push([`without ${need.directions.map((way) => `${way}ion`).join(" and ")}`, lacksWays(need.directions)]);
  }
  unlike.push([`without keys of ${need.keys.join(" and ")} bits`, (point) => !need.keys.every((bits) => point.aes_keys.split("+").includes(String(bits)))]);
  if (need.order) {
    unlike.push([`not protected at order ${need.order}`, (point) => point.order < need.order]);
    unlike.push(["synthesised across the borders of S-boxes", (point) => !(point.recipe || "").includes("-modules")]);
  }
  if (need.blockWidth !== null) unlike.push([`without ports of ${need.blockWidth} bits`, (point) => point.block_width !== need.blockWidth]);
  const leftOut = failed ? { failed } : {};
  const options = [];
  const others = [];
  for (const each of points) {
    const point = inMode(each, need.engine);
    const out = never.find(([, holds]) => holds(point));
    const lacking = out ? [] : unlike.filter(([, holds]) => holds(point));
    const reason = out || lacking[0];
    if (reason) leftOut[reason[0]] = (leftOut[reason[0]] || 0) + 1;
    if (!reason) options.push(served(point, need));
    else if (!out) others.push({ ...served(point, need), lacks: reason[0], lacking: lacking.length });
  }
  const reasons = [...never, ...unlike];
  return { options, unlike: others, leftOut: Object.fromEntries(reasons.map(([name]) => [name, leftOut[name]]).filter(([, count]) => count)) };
}

// An engine that has a mode beside others as one of it: its clocks and directions are those of the mode, and its power, which was measured in another, is missing.
function inMode(point, mode) {
  const columns = mode === null || point.family === mode || absent(point.by_mode) ? null : JSON.parse(point.by_mode)[mode];
  if (!columns) return point;
  const power = Object.keys(point).filter((name) => RULE.power.some((figure) => name.startsWith(figure)));
  return { ...point, ...Object.fromEntries(power.map((name) => [name, null])), ...columns };
}

function served(point, need) {
  const calls = need.engine === null ? need.mode.calls : 1;
  const busy = calls * point.cycles_per_block;
  const clocks = chained(need) ? Math.max(busy, (need.mode.in_turn * point.latency_cycles) / need.streams) : busy;
  const clock = absent(point.fmax_mhz) || need.clock === null ? point.fmax_mhz : need.clock;
  const gbps = absent(clock) ? null : (clock * RULE.block_bits) / 1e3 / clocks;
  // Power is simulated with blocks back to back: a pipeline that a chained stream leaves half empty is another thing.
  const idle = chained(need) && point.blocks_in_flight > need.streams;
  const worst = (figure) => {
    const values = (need.engine === null ? coreDirections(need) : need.directions).map((way) => point[`${figure}_${way}`]);
    return idle || values.some(absent) ? null : Math.max(...values);
  };
  const energy = worst("energy_pj_per_block");
  const columns = {
    ...point,
    area_ge: need.device ? point.luts : point.area_ge,
    served_gbps: gbps,
    served_latency_ns: absent(clock) ? null : (point.latency_cycles * 1e3) / clock,
    served_kbps_per_ge: need.device || absent(point.area_ge) ? null : (gbps * 1e6) / point.area_ge,
    served_power_uw: worst("power_uw_at_100mhz"),
    served_energy_pj: energy === null ? null : calls * energy,
  };
  const value = ({ only, column }) => (absent(columns[column]) || (need.device && only === "library") ? null : columns[column]);
  const known = RULE.figures.filter(({ only }) => only !== "device" || need.device);
  return { point, columns, figures: Object.fromEntries(known.map((each) => [each.name, value(each)])) };
}

// Options that meet these limits and have the figure that decides, best first; what is alike goes by names.
function ranked(options, need, limits) {
  const { figure, least } = need.objective;
  const numbers = [[figure.column, least], ...RULE.ties.filter(([column]) => column !== figure.column)];
  const words = RULE.names.map((name) => (name === "key" ? "id" : name));
  const kept = options.filter((option) => option.figures[figure.name] !== null && limits.every((limit) => meets(option, limit)));
  return kept.sort((a, b) => {
    for (const [column, up] of numbers) {
      const difference = a.columns[column] - b.columns[column];
      if (difference) return up ? difference : -difference;
    }
    for (const name of words) {
      if (a.point[name] !== b.point[name]) return a.point[name] < b.point[name] ? -1 : 1;
    }
    return 0;
  });
}

// The answer: what was chosen, the next best other designs, limits that bind, what is near, or what stands in the way.
function recommendation(need) {
  const { set } = need;
  const points = EVERY.filter((point) => DATA.sets[point.set] === set);
  const { options, unlike, leftOut } = serve(points, need, set.failed);
  const best = ranked(options, need, need.bounds);
  const found = { need, set, leftOut, chosen: null, alternatives: [], binding: [], near: null, unproved: null, closest: null, misses: [], notReached: [], nearest: null, lacks: "" };
  if (!best.length) return { ...found, ...closestOf(options, need), notReached: notReached(options, need), ...(options.length ? {} : nearestOf(unlike, need)) };
  const first = best[0];
  const value = (option) => option.figures[need.objective.figure.name];
  const chosen = best.filter((option) => Math.abs(value(option) / value(first) - 1) <= RULE.tie).find(proved) || first;
  const others = best.filter((option) => option.point.design !== chosen.point.design);
  const better = (option) => (need.objective.least ? value(option) < value(first) : value(option) > value(first));
  const without = need.bounds.map((limit) => ({ limit, rows: ranked(options, need, need.bounds.filter((other) => other !== limit)) }));
  const near = without
    .map(({ limit, rows }) => ({ limit, option: rows.find((row) => better(row) && margin(row, limit) !== null && margin(row, limit) >= -RULE.near) }))
    .filter(({ option }) => option);
  return {
    ...found,
    chosen,
    alternatives: others.filter((option, index) => others.findIndex((other) => other.point.design === option.point.design) === index).slice(0, RULE.alternatives),
    binding: without.filter(({ rows }) => better(rows[0])).map(({ limit, rows }) => ({ limit, better: rows[0] })),
    near: near.length ? near.reduce((least, one) => ((need.objective.least ? value(one.option) < value(least.option) : value(one.option) > value(least.option)) ? one : least)) : null,
    unproved: proved(chosen) === proved(first) ? null : first,
  };
}

// The option whose worst miss is the least; one where a figure of a limit was not measured is behind all others.
function closestOf(options, need) {
  if (!options.length) return { closest: null, misses: [] };
  const option = byMisses(options, need);
  const every = need.bounds.map((limit) => ({ limit, margin: margin(option, limit) }));
  return { closest: option, misses: every.filter((miss) => miss.margin === null || miss.margin < 0) };
}

// Of the options that do not fit the one that lacks least, and of these the best, or the one whose worst miss is the least.
function nearestOf(unlike, need) {
  if (!unlike.length) return { nearest: null, lacks: "" };
  const least = Math.min(...unlike.map(({ lacking }) => lacking));
  const rows = unlike.filter(({ lacking }) => lacking === least);
  const nearest = ranked(rows, need, need.bounds)[0] || byMisses(rows, need);
  return { nearest, lacks: nearest.lacks };
}

function byMisses(options, need) {
  const rows = options.map((option) => {
    const margins = need.bounds.map((limit) => margin(option, limit));
    const unknown = margins.filter((one) => one === null).length + absent(option.columns.area_ge);
    return { option, unknown, worst: Math.min(0, ...margins.map((one) => one ?? 0)) };
  });
  rows.sort((a, b) => a.unknown - b.unknown || b.worst - a.worst || (a.option.point.design < b.option.point.design ? -1 : a.option.point.design > b.option.point.design ? 1 : 0));
  return rows[0].option;
}

// Limits that no option reaches by itself, each with the option that comes closest to it.
function notReached(options, need) {
  return need.bounds.flatMap((limit) => {
    const known = options.filter((option) => option.figures[limit.figure.name] !== null);
    if (!known.length || known.some((option) => meets(option, limit))) return [];
    const cost = (option) => (limit.figure.least_is_best ? 1 : -1) * option.figures[limit.figure.name];
    const best = known.reduce((least, option) => (cost(option) < cost(least) ? option : least));
    return [{ limit, margin: margin(best, limit), best }];
  });
}
