// Elements in a line of code, and numbers for people.

const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);
const $ = (id) => document.getElementById(id);

// A figure with its own number of digits after the point, thousands set apart.
function number(value, digits) {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function withUnit(value, figure) {
  if (value === null || value === undefined) return "not measured";
  return number(value, figure.digits) + (figure.unit ? " " + figure.unit : "");
}

function percent(part) {
  const value = 100 * part;
  const text = Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0);
  return (value < 0 ? text.replace("-", "−") : "+" + text) + " %";
}

// The label of an axis: 1.5k rather than 1500 once numbers are long.
function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return trim(value / 1e6) + "M";
  if (size >= 1e4) return trim(value / 1e3) + "k";
  return trim(value);
}

const trim = (value) => String(parseFloat(value.toPrecision(4))).replace("-", "−");
