// Quantities of a requirement, such as 10Gbps, 12kGE or 2.5 ns: read as the command line reads them, and written so.
// Units come with the data; a kind is { unit, units, example, bare, shown }.

const WRITTEN = /^\s*([0-9]+(?:[.,_][0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?\s*(\S*(?:\s+\S+)*)\s*$/;

class Refused extends Error {}

// The quantity in the kind's own unit. Throws Refused, naming the field, for what is not one, or not above zero.
function parseQuantity(kind, text, field) {
  const units = Object.keys(kind.units).join(", ");
  const rule = kind.bare === null ? `a number with a unit (${units})` : `a number, with a unit or without (${units})`;
  const wrong = new Refused(`${field}: must be ${rule}, such as ${kind.example}, not '${text}'`);
  const found = WRITTEN.exec(text);
  if (!found) throw wrong;
  const digits = found[1].replaceAll("_", "");
  if (digits.includes(",")) throw new Refused(`${field}: write decimals with a point and thousands with _ or nothing, not '${text}'`);
  const unit = found[3] || kind.bare;
  if (unit === null || digits.split(".").length > 2) throw wrong;
  const power = 10 ** Number(found[2] || 0);
  if (power === Infinity) throw wrong;
  const value = Number(digits) * power * factorOf(kind, unit, text, field, wrong);
  if (!(value > 0 && value < Infinity) && !(kind.zero && value === 0)) throw new Refused(`${field}: must be ${kind.zero ? "zero or " : ""}above zero, not '${text}'`);
  return value;
}

// As written, or else in any case, if that leaves no doubt: gbps is clear, gb/s and MW are not.
function factorOf(kind, unit, text, field, wrong) {
  if (Object.hasOwn(kind.units, unit)) return kind.units[unit];
  const alike = Object.entries(kind.units).filter(([name]) => name.toLowerCase() === unit.toLowerCase());
  if (new Set(alike.map(([, factor]) => factor)).size > 1 || alike.some(([name]) => unit[0] === "M" && name[0] === "m")) {
    const clear = alike.map(([name]) => name).join(" or ");
    throw new Refused(`${field}: '${text}' is unclear: b is a bit and B a byte, m is milli and M is mega; write ${clear}`);
  }
  if (!alike.length) throw wrong;
  return alike[0][1];
}

// As Python's format: what lies in the middle goes to the even digit, with toFixed away from zero.
function rounded(value, digits) {
  const exact = value.toFixed(digits + 30), cut = exact.slice(0, -30);
  const middle = exact.slice(-30) === `5${"0".repeat(29)}`;
  return middle && /[02468]\.?$/.test(cut) ? cut.replace(/\.$/, "") : value.toFixed(digits);
}

// With the digits of Python's format: `rounded` takes the number that is there, toLocaleString its shortest decimal.
function fixed(value, digits) {
  const [whole, part] = rounded(value, digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

// Four digits that mean something: 8,412 GE, 0.6021 Gbit/s, 12.5 ns.
function quantity(value, unit) {
  const size = Math.abs(value);
  const digits = size > 0 && size < 1e3 ? Math.max(0, 3 - Math.floor(Math.log10(size))) : 0;
  const text = fixed(value, digits);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${unit}`;
}

// A value in the kind's unit, in the largest of the units shown of which there is one.
function kindText(kind, value) {
  const unit = kind.shown.find((one) => Math.abs(value) >= kind.units[one]) || (kind.shown.length ? kind.shown[kind.shown.length - 1] : kind.unit);
  return quantity(value / (kind.units[unit] ?? 1), unit);
}
