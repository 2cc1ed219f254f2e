// Rows from their columns, and how numbers look: digits, units, ticks, and the ratio of two rows that stand there.

const UNITS = [
  [1, "ns"],
  [1e3, "µs"],
  [1e6, "ms"],
  [1e9, "s"],
];
const TICKS = [3, 6];

/** The rows of some content as objects that look their values up in its columns, each with its place among all rows. */
function unpack(content, from, run) {
  const prototype = {};
  for (const name of Object.keys(content.rows)) {
    let values; // put together when the first row is asked
    const get = function () {
      return (values ??= spread(content, name))[this.place - from];
    };
    Object.defineProperty(prototype, name, { get });
  }
  let place = from;
  const row = (number) => Object.assign(Object.create(prototype), { place: place++, run: run + number });
  return content.runs.flatMap((told, number) => Array.from({ length: told.rows }, () => row(number)));
}

/** The values of a column; one that all rows share stands once in it. */
function spread({ rows: columns, runs }, name) {
  const column = columns[name];
  if (Array.isArray(column)) return column;
  const length = runs.reduce((total, run) => total + run.rows, 0);
  return Array.from({ length }, (_, place) => column.values[column.at[place] ?? 0]);
}

const isMeasured = (row) => row.time_ns !== null;
const count = (number) => number.toLocaleString("en-US");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const distinct = (values) => [...new Set(values)];
const joined = (parts, between = " · ") => parts.filter(Boolean).join(between);

/** Three significant digits, never in exponents. */
function threeDigits(value) {
  if (!(value > 0) || !isFinite(value)) return String(value);
  const decimals = 2 - Math.floor(Math.log10(Number(value.toExponential(2))));
  const rounded = decimals < 0 ? Math.round(value * 10 ** decimals) / 10 ** decimals : value;
  const shown = Math.max(decimals, 0);
  return rounded.toLocaleString("en-US", { minimumFractionDigits: shown, maximumFractionDigits: shown });
}

/** The unit in which the middle value is at least 1 and the least at least 0.01. */
function unitOf(values) {
  const ranked = [...values].sort((a, b) => a - b);
  const most = ranked.length ? Math.min(ranked[Math.floor(ranked.length / 2)], 100 * ranked[0]) : 1;
  return [...UNITS].reverse().find(([size]) => most >= size) || UNITS[0];
}

const timeText = (value, [size, unit]) => `${threeDigits(value / size)} ${unit}`;
const ownTime = (value) => (value === null ? "" : timeText(value, unitOf([value])));
const sizeText = (value) => (value === null || value === undefined ? "" : `${count(value)} bytes`);

/** The time of a row over that of another, with an interval where both were held against the same reference. */
function relation(row, base) {
  const point = ["run", "workload", "conditions", "records", "depth", "operation"];
  const ratios = [row.ratio, row.ratio_low, row.ratio_high, base.ratio, base.ratio_low, base.ratio_high];
  if (point.some((name) => row[name] !== base[name]) || ratios.some((value) => !(value > 0)))
    return { ratio: row.time_ns / base.time_ns, low: null, high: null };
  if (row.place === base.place) return { ratio: 1, low: 1, high: 1 };
  const [one, oneLow, oneHigh, other, otherLow, otherHigh] = ratios.map(Math.log);
  const half = Math.hypot((oneHigh - oneLow) / 2, (otherHigh - otherLow) / 2);
  return { ratio: Math.exp(one - other), low: Math.exp(one - other - half), high: Math.exp(one - other + half) };
}

/** The time of a row over that of the reader's baseline: "1.44× (1.35 to 1.53)"; "about" if there is no interval. */
function relationText(row, base) {
  if (row.place === base.place) return "1×";
  const { ratio, low, high } = relation(row, base);
  return low === null
    ? `about ${threeDigits(ratio)}×`
    : `${threeDigits(ratio)}× (${threeDigits(low)} to ${threeDigits(high)})`;
}

function logTicks(values) {
  if (!values.length) return [];
  const [low, high] = logRange(values);
  for (const steps of [[1], [1, 2, 5], [1, 3]]) {
    const ticks = [];
    for (let decade = Math.floor(low); decade <= Math.ceil(high); decade++)
      for (const step of steps) ticks.push(Number(`${step}e${decade}`));
    const shown = ticks.filter((tick) => low <= Math.log10(tick) && Math.log10(tick) <= high);
    const every = Math.ceil(shown.length / TICKS[1]);
    if (shown.length >= TICKS[0] && (every === 1 || steps.length === 1))
      return shown.filter((_, place) => place % every === 0);
  }
  return linearTicks(10 ** low, 10 ** high);
}

function linearTicks(low, high) {
  const raw = (high - low) / 5;
  const step = 10 ** Math.floor(Math.log10(raw));
  let size = [1, 2, 5, 10].map((factor) => factor * step).find((one) => one >= raw);
  if (Math.floor(high / size) - Math.ceil(low / size) + 1 < TICKS[0]) size /= 2;
  const first = Math.ceil(low / size);
  const ticks = Array.from({ length: Math.floor(high / size) - first + 1 }, (_, place) => (first + place) * size);
  return ticks.map((tick) => Number(tick.toPrecision(12)));
}

function logRange(values) {
  if (!values.length) return [0, 1];
  const low = Math.log10(Math.min(...values)),
    high = Math.log10(Math.max(...values));
  const pad = Math.max(0.04 * (high - low), 0.05);
  return [low - pad, high + pad];
}

function tickText(value, most = 0) {
  const [number, mark] =
    value >= 1e6 ? [value / 1e6, "M"] : value >= 1e3 && most >= 1e6 ? [value / 1e3, "k"] : [value, ""];
  return number.toLocaleString("en-US", { maximumSignificantDigits: 9 }) + mark;
}
