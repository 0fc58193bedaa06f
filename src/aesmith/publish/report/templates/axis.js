// A scale from figures to pixels, linear or logarithmic, and where its ticks stand.

function makeAxis(low, high, log, from, to) {
  const f = log ? Math.log10 : (value) => value;
  const inverse = log ? (value) => 10 ** value : (value) => value;
  const a = f(low);
  const b = f(high);
  return {
    low,
    high,
    log,
    at: (value) => from + ((f(value) - a) / (b - a)) * (to - from),
    value: (pixel) => inverse(a + ((pixel - from) / (to - from)) * (b - a)),
    ticks: (count) => (log ? logTicks(low, high, count) : linearTicks(low, high, count)),
  };
}

// The range of values with a little air around it, in the scale's own measure.
function rangeOf(values, log) {
  if (!values.length) return [1, 10];
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (log) {
    const air = Math.max(Math.log10(high / low) * 0.06, 0.02);
    return [low / 10 ** air, high * 10 ** air];
  }
  const air = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 ? Math.max(0, low - air) : low - air, high + air];
}

function linearTicks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((candidate) => candidate >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); k++) {
    ticks.push({ value: parseFloat((k * step).toPrecision(12)), major: true });
  }
  return ticks;
}

// Labels at 1, 2 and 5 while there is room, then at powers of ten; lines at every digit.
function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  if (decades < 0.7) return linearTicks(low, high, count);
  const labelled = decades * 3 <= count + 2 ? [1, 2, 5] : decades <= count ? [1] : null;
  const every = labelled ? 1 : Math.ceil(decades / count);
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (let digit = 1; digit <= 9; digit++) {
      const value = parseFloat((digit * 10 ** e).toPrecision(12));
      if (value < low || value > high) continue;
      ticks.push({ value, major: labelled ? labelled.includes(digit) : digit === 1 && e % every === 0 });
    }
  }
  return ticks;
}
