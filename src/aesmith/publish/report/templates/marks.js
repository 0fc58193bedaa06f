// What a mark looks like: a colour and a shape for each value of the parameter that colours, told apart by either.

const SHAPES = ["circle", "square", "triangle", "diamond", "inverted", "plus", "pentagon", "bar"];
const KINDS = SHAPES.length;

function shapePath(shape, x, y, r) {
  const polygon = (corners) => "M" + corners.map(([dx, dy]) => `${x + dx * r} ${y + dy * r}`).join("L") + "Z";
  switch (shape) {
    case "square": return polygon([[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]]);
    case "triangle": return polygon([[0, -1.15], [1.08, 0.8], [-1.08, 0.8]]);
    case "inverted": return polygon([[0, 1.15], [1.08, -0.8], [-1.08, -0.8]]);
    case "diamond": return polygon([[0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]]);
    case "pentagon": return polygon([0, 1, 2, 3, 4].map((k) => [1.1 * Math.sin(1.2566 * k), -1.1 * Math.cos(1.2566 * k)]));
    case "bar": return polygon([[-0.55, -1.2], [0.55, -1.2], [0.55, 1.2], [-0.55, 1.2]]);
    case "plus": {
      const a = 0.42, b = 1.15;
      return polygon([[-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]]);
    }
    default: return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}

// A parameter's values in its own order; as colours, those beyond the last share it.
const VALUES = new Map();
function valuesOf(parameterName) {
  const key = `${state.kind} ${parameterName}`;
  if (!VALUES.has(key)) {
    const { order } = parameter(parameterName);
    const rank = (text) => (text === "none" ? Infinity : order.includes(text) ? order.indexOf(text) : order.length);
    const texts = [...new Set(POINTS.map((point) => valueText(point[parameterName])))];
    VALUES.set(key, texts.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, "en", { numeric: true })));
  }
  return VALUES.get(key);
}

function kindOf(point) {
  return Math.min(valuesOf(state.colour).indexOf(valueText(point[state.colour])), KINDS - 1);
}

const chip = (kind) =>
  s("svg", { class: `swatch kind${kind}`, viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    s("path", { d: shapePath(SHAPES[kind], 0, 0, 5.4) }));

const diamond = () =>
  s("svg", { class: "swatch publication", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    s("path", { d: shapePath("diamond", 0, 0, 5.4) }));
