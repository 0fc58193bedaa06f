// A recommendation in the words of the command line, a sentence a line.

const limitText = ({ figure, bound }) => `${figure.name} ${figure.least_is_best ? "≤" : "≥"} ${kindText(figure.kind, bound)}`;
const objectiveText = ({ figure, least }) => `${least ? "least" : "most"} ${figure.name}`;
const timesText = (part) => (part < 9 ? quantity(1 + part, "times") : `${fixed(1 + part, 0)} times`);
const tenths = (part) => rounded(100 * part, 1);
const signed = (part) => (part < 0 ? tenths(part) : `+${tenths(part)}`);
const changeText = (part) => (part >= RULE.many ? timesText(part) : `${signed(part)} %`);
const valueOf = (option, figure) => kindText(figure.kind, option.figures[figure.name]);

function differs(option, figure, base) {
  const change = changeOf(option, figure, base);
  return change === null ? `${figure.name} not comparable` : `${changeText(change)} ${figure.name}`;
}

function requirementText(need) {
  const parts = [`${need.mode.title} ${need.directions.map((way) => `${way}ion`).join(" and ")}, key ${need.keys.join(" and ")}`];
  parts.push(...need.limits.map(limitText));
  if (need.clock !== null) parts.push(`at ${quantity(need.clock, "MHz")}`);
  if (need.blockWidth !== null) parts.push(`ports of ${need.blockWidth} bits`);
  if (need.streams > 1) parts.push(`${need.streams} streams`);
  if (need.order) parts.push(`protected at order ${need.order}`);
  if (need.engine === null && need.mode.engine) parts.push("the AES core alone");
  if (need.device) parts.push(`on ${need.device}`);
  return `${parts.join("; ")}; ${objectiveText(need.objective)}`;
}

function reasonsOf(found) {
  const { need, chosen, near, set } = found;
  const decides = need.objective.figure;
  const fitting = set.points - Object.values(found.leftOut).reduce((sum, count) => sum + count, 0);
  const those = fitting === 1 ? "only point that fits" : `${fitting} points that fit`;
  const lines = [`${objectiveText(need.objective)} of the ${those} mode, keys and ports (${set.points} measured)`];
  for (const limit of need.bounds) {
    const spare = margin(chosen, limit);
    const bound = found.binding.find((one) => one.limit === limit);
    lines.push(
      `${limitText(limit)}: holds ${spare >= RULE.many ? `${timesText(spare)} over` : `with ${tenths(spare)} % to spare`}` +
        (bound ? `; it binds: without it ${bound.better.point.design}, ${differs(bound.better, decides, chosen)}` : ""),
    );
  }
  lines.push(restsOn(found));
  if (chained(need)) lines.push(chainedText(found));
  lines.push(outputText(chosen.point));
  if (need.device) lines.push(`measure it again: \`${chosen.point.make}\``);
  if (chosen.point.key_comes === "with-block") lines.push("its key comes with each block, and none is kept");
  if (need.order) lines.push(...chosen.point.protection.split("\n"));
  if (near) lines.push(`near: ${near.option.point.design}, ${differs(near.option, decides, chosen)}, but ${missed({ limit: near.limit, margin: margin(near.option, near.limit) }, near.option)}`);
  if (need.mode.note && (need.engine === null || need.mode.served)) lines.push(`${need.mode.title}: ${need.mode.note}`);
  return lines;
}

function failuresOf(found) {
  const { need, closest, misses, leftOut } = found;
  if (!closest) {
    const counted = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`);
    const lines = [`none of the ${found.set.points} points fits: ${counted.join(", ") || "there are none"}`];
    if (found.nearest) lines.push(`nearest: ${nearestText(found.nearest)}, but ${found.lacks}: what has that was not measured`);
    return need.order ? [...lines, RULE.what_is_masked] : lines;
  }
  const lines = found.notReached.map((miss) => `${limitText(miss.limit)}: no measured point reaches it: the best is ${valueOf(miss.best, miss.limit.figure)} (${miss.best.point.design}), ${missText(miss)}`);
  if (!misses.length) lines.push(`${need.objective.figure.name}: was not measured of any point that fits; it cannot decide`);
  else if (lines.length < misses.length || need.bounds.length > 1) {
    lines.push(`closest to all limits together: ${closest.point.design}: ${misses.map((miss) => missed(miss, closest)).join("; ")}`);
  }
  return lines;
}

function nearestText(option) {
  const figures = ["area", "luts", "throughput", "fmax"].filter((name) => !absent(option.figures[name])).map((name) => valueOf(option, criterion(name)));
  return `${option.point.design}, ${figures.join(", ")}`;
}

function missText(miss) {
  if (miss.margin === null) return "not measured";
  return `${rounded(-100 * miss.margin, 1)} % ${miss.limit.figure.least_is_best ? "above" : "below"} the limit`;
}

function missed(miss, option) {
  const { figure } = miss.limit;
  if (miss.margin === null) return `its ${figure.name} was not measured (limit ${limitText(miss.limit)})`;
  return `its ${figure.name} is ${valueOf(option, figure)}, ${missText(miss)} (${limitText(miss.limit)})`;
}

function outputText(point) {
  if (!absent(point.core)) return `figures: of the whole engine, with all that its mode needs${RULE.released[point.released] || ""}`;
  const bits = `each of ${point.block_width} bits`;
  if (point.output === "bare") return `figures: with a bare output; a build adds a quiet one, an AND gate for ${bits}`;
  if (point.output === "registered") return `figures: with a registered output; a quiet one would save a flip-flop for ${bits}, and a clock`;
  return `figures: with a quiet output; a bare one would save an AND gate for ${bits}`;
}

function restsOn({ need, chosen, unproved }) {
  const known = chosen.point.verified;
  let line = proved(chosen) || !absent(chosen.point.core) ? `rests on ${known}` : `rests on ${known}, and on no proof`;
  if (unproved) line += `; ${unproved.point.design}, ${differs(unproved, need.objective.figure, chosen)}, is not proved`;
  if (absent(chosen.point.core) && chosen.point.output === "bare") line += "; this is of the core with a bare output: `aesmith verify --prove` proves the build";
  return line;
}

function chainedText({ need, chosen }) {
  const ways = need.directions.filter((way) => need.mode.chained.includes(way)).map((way) => `${way}ion`).join(" and ");
  const streams = need.streams === 1 ? "one stream" : `${need.streams} streams`;
  const line = `${need.mode.title} ${ways} is chained: ${streams}, a block every ${chosen.point.latency_cycles} clocks each`;
  const throughput = chosen.figures.throughput;
  if (!throughput || chosen.point.throughput_gbps <= 1.2 * throughput || need.clock !== null) return line;
  return `${line}; independent blocks would get ${kindText(criterion("throughput").kind, chosen.point.throughput_gbps)}`;
}
