// What is worked out anew when a choice changes. Each function has its like in serbench/judge, under the same
// name, and a test holds the two together; everything else is decided there, before the page is written.

const UNITS = [
  [1, "ns"],
  [1e3, "µs"],
  [1e6, "ms"],
  [1e9, "s"],
];
const NAMED = 2; // cases that a sentence names of those that tie
const COMPRESSIONS = ["none", "gzip", "zstd"];
const READING = ["decode", "load", "loads", "read", "frame"];

/** The rows as objects that look their values up in the columns of some contents, each with its place and that of
 * its run, counted from some. */
function unpack(contents, from = 0, runsFrom = 0) {
  const prototype = {};
  for (const name of Object.keys(contents[0]?.rows ?? {})) {
    let values; // put together when the first row is asked
    const get = function () {
      return (values ??= contents.flatMap((one) => spread(one, name)))[this.place - from];
    };
    Object.defineProperty(prototype, name, { get });
  }
  let place = from;
  const row = (run) => Object.assign(Object.create(prototype), { place: place++, run });
  const runs = contents.flatMap((one) => one.runs);
  return runs.flatMap((run, number) => Array.from({ length: run.rows }, () => row(runsFrom + number)));
}

/** The values of a column; one that all rows share stands once in it. */
function spread({ rows: columns, runs }, name) {
  const column = columns[name];
  if (Array.isArray(column)) return column;
  const length = runs.reduce((total, run) => total + run.rows, 0);
  return Array.from({ length }, (_, place) => column.values[column.at[place] ?? 0]);
}

const isMeasured = (row) => row.time_ns !== null;

function groupBy(items, keyOf) {
  const found = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (found.has(key)) found.get(key).push(item);
    else found.set(key, [item]);
  }
  return found;
}

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

const count = (number) => number.toLocaleString("en-US");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

const TICKS = [3, 6];

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

const ranking = (row) =>
  [row.run, row.workload, row.conditions, row.records, row.depth, row.operation, row.work_class].join("\n");

const sharing = (row, name) =>
  [row.run, row.workload, row.records, row.depth, row.operation, row.environment, row.codec, row.format, name].join(
    "\n",
  );
const ownName = (row) => (row.variant === "default" ? row.library : `${row.library}[${row.variant}]`);

/** Some of the rows that were ranked together, as [row, rank]: a rank counts the chosen rows of the groups of
 * ties before. */
function reranked(chosen, among) {
  const before = new Map();
  const kept = new Set(chosen.map((row) => sharing(row, row.same_as || ownName(row))));
  for (const [key, members] of groupBy(
    among.filter((row) => row.rank !== null && !row.same_as),
    ranking,
  )) {
    members.sort((a, b) => a.rank - b.rank || a.time_ns - b.time_ns);
    const counts = [0];
    for (const row of members) counts.push(counts.at(-1) + kept.has(sharing(row, ownName(row))));
    before.set(key, counts);
  }
  const ranked = chosen.filter((row) => row.rank !== null);
  return new Map(ranked.map((row) => [row, 1 + before.get(ranking(row))[row.rank - 1]]));
}

/** The rows, in which one row stands for all cases whose very same code was measured once. */
function merged(rows) {
  const own = new Set(rows.filter((row) => !row.same_as).map((row) => sharing(row, ownName(row))));
  const isCopy = (row) => row.same_as && own.has(sharing(row, row.same_as));
  const copies = groupBy(rows.filter(isCopy), (row) => sharing(row, row.same_as));
  return rows
    .filter((row) => !isCopy(row))
    .map((row) => {
      const also = (!row.same_as && copies.get(sharing(row, ownName(row)))) || [];
      const label = [row, ...also].map((one) => one.label).join(", ");
      return also.length ? Object.create(row, { label: { value: label }, also: { value: also } }) : row;
    });
}

/** The time of a row over that of another: with an interval where both were held against the same reference. */
function relation(row, base) {
  if (!isMeasured(row) || !isMeasured(base)) return null;
  const same =
    row.run === base.run &&
    ["workload", "conditions", "records", "depth", "operation"].every((n) => row[n] === base[n]);
  const ratios = [row.ratio, row.ratio_low, row.ratio_high, base.ratio, base.ratio_low, base.ratio_high];
  if (!same || ratios.some((value) => !(value > 0)))
    return { ratio: row.time_ns / base.time_ns, low: null, high: null };
  if (row.place === base.place) return { ratio: 1, low: 1, high: 1 };
  return quotient(ratios.slice(0, 3), ratios.slice(3));
}

/** The quotient of two independent figures, each a value with the ends of its interval. */
function quotient(figure, base) {
  const [one, oneLow, oneHigh, other, otherLow, otherHigh] = [...figure, ...base].map(Math.log);
  const half = Math.hypot((oneHigh - oneLow) / 2, (otherHigh - otherLow) / 2);
  return { ratio: Math.exp(one - other), low: Math.exp(one - other - half), high: Math.exp(one - other + half) };
}

/** True if a ratio of two times is proven to differ by more than `least`. */
const isProven = ({ ratio, low, high }, least) =>
  (low > 1 && ratio > 1 + least) || (high < 1 && ratio < 1 / (1 + least));

/** The smallest difference to trust in the runs of these rows. */
const leastOf = (rows) => Math.max(0, ...new Set(rows.map((row) => page.runs[row.run].least ?? 0)));

/** A time over another in a column: "5.4× faster (5.2 to 5.6)", or about so much if there is no interval. */
function relationText(found) {
  if (found === null) return "";
  if (found.low !== null) return differenceText(found, 0);
  return `about ${factorText(Math.max(found.ratio, 1 / found.ratio))} ${found.ratio > 1 ? "slower" : "faster"}`;
}

/** The rows that no other beats: as fast, as small and as strict, and better in one; by time. */
function paretoFront(rows) {
  const able = weighed(rows);
  able.sort((a, b) => a.time_ns - b.time_ns || a.size_bytes - b.size_bytes || b.strictness - a.strictness);
  const front = [];
  for (const row of able)
    if (!front.some((better) => better.size_bytes <= row.size_bytes && better.strictness >= row.strictness))
      front.push(row);
  return front;
}

/** The measured rows but those that stand apart, unless all do. */
function weighed(rows) {
  const able = rows.filter((row) => isMeasured(row) && row.size_bytes !== null);
  const plain = able.filter((row) => !row.why_incomparable);
  return plain.length ? plain : able;
}

/** For each case its pieces as [row, {operation: ns}], the fastest first. */
function phaseTimes(rows, phases) {
  const found = [
    ...groupBy(
      rows.filter((row) => row.stacked),
      (row) => row.case,
    ).values(),
  ].map((members) => {
    const [times, ends] = [{}, {}];
    for (const name of Object.keys(phases)) {
      const row = members.find((one) => one.operation === name);
      if (!row) continue;
      times[name] = row.time_ns;
      ends[name] = [row.time_ns, row.time_ns_low ?? row.time_ns, row.time_ns_high ?? row.time_ns];
    }
    return [members[0], times, ends];
  });
  return found.sort((a, b) => sum(a[1]) - sum(b[1]));
}

/** What share of the time goes between objects and builtins. */
const modelShare = (times) => ((times.dump || 0) + (times.load || 0)) / sum(times);
const hasSteps = (times) => "dump" in times || "load" in times;
const sum = (times) => Object.values(times).reduce((total, value) => total + value, 0);

/** Messages a second on a line of so many bits with so many cores, or null where time or size are not known. */
function budget(row, bitsPerS, cores, compression) {
  const packing = { none: 0, gzip: row.gzip_ns, zstd: row.zstd_ns }[compression];
  const unpacking = { none: 0, gzip: row.gunzip_ns, zstd: row.unzstd_ns }[compression];
  const size = { none: row.size_bytes, gzip: row.size_gzip_bytes, zstd: row.size_zstd_bytes }[compression];
  const extra = READING.includes(row.operation) ? unpacking : packing;
  if (!isMeasured(row) || extra === null || !size) return null;
  const linePerS = bitsPerS / 8 / size;
  const cpuOf = (time) => (cores * 1e9) / (time + extra);
  const cpuPerS = cpuOf(row.time_ns);
  const ends = [row.time_ns_high ?? row.time_ns, row.time_ns_low ?? row.time_ns].map((time) =>
    Math.min(linePerS, cpuOf(time)),
  );
  const bottleneck = cpuPerS <= linePerS ? "cores" : "line";
  return { row, compression, size, cpuPerS, linePerS, perS: Math.min(cpuPerS, linePerS), ends, bottleneck };
}

/** True if a budget is proven to have fewer messages a second than another; times that differ by less than
 * `least` do not count. */
function isFewer(one, other, least) {
  const limits = [one.bottleneck, other.bottleneck];
  const isPlain = [one, other].every(({ compression }) => compression === "none");
  if (isPlain && !limits.includes("line")) return isSlower(one.row, other.row, least);
  if (limits.includes("cores") && one.perS * (1 + least) >= other.perS) return false;
  return one.ends[1] < other.ends[0];
}

/** The best of the compressions for each row, the most messages a second first; those that stand apart at the end. */
function budgets(rows, bitsPerS, cores, compressions) {
  return rows
    .map(
      (row) =>
        compressions
          .map((one) => budget(row, bitsPerS, cores, one))
          .filter(Boolean)
          .sort((a, b) => b.perS - a.perS)[0],
    )
    .filter(Boolean)
    .sort((a, b) =>
      a.row.why_incomparable === b.row.why_incomparable
        ? b.perS - a.perS
        : a.row.why_incomparable < b.row.why_incomparable
          ? -1
          : 1,
    );
}

/** The measured rows of each case, the fastest at the point first; of many cases only each library's fastest. */
function series(rows, records, depth) {
  const cases = [
    ...groupBy(
      rows.filter((row) => row.time_per_record_ns !== null),
      (row) => row.case,
    ).values(),
  ];
  const speed = (members) => {
    const here = members.filter((row) => row.records === records && row.depth === depth);
    return Math.min(...(here.length ? here : members).map((row) => row.time_per_record_ns));
  };
  const order = cases
    .map((members) => [speed(members), members])
    .sort((a, b) => a[0] - b[0])
    .map(([, m]) => m);
  if (order.length <= page.most_lines) return order;
  const known = [...order].sort((a, b) => b.length - a.length); // one that is known at more points tells more
  const ofLibrary = groupBy(known, ([row]) => [row.library, row.environment, row.version].join("\n"));
  const fastest = new Set([...ofLibrary.values()].map(([first]) => first));
  return order.filter((members) => fastest.has(members)).slice(0, page.most_lines);
}

/** The leader of sections of one work class each, its ranking, and the common choice that it is held against. */
function lead(sections, ranks) {
  const able = sections.map(([name, all]) => {
    const ranked = all.filter((row) => ranks.get(row) !== undefined);
    return [name, ranked.length ? ranked : all];
  });
  const time = (one, other) => (other.time_ns < one.time_ns ? other : one);
  const [section, ranking] = able.reduce((one, other) => {
    const order = other[1][0].kind - one[1][0].kind || other[1][0].time_ns - one[1][0].time_ns;
    return order < 0 ? other : one;
  });
  const [first] = ranking;
  const tied = ranking.slice(1).filter((row) => ranks.get(row) === ranks.get(first));
  const runnerUp = ranking.find((row) => ranks.get(row) !== ranks.get(first)) ?? null;
  const every = able.flatMap(([, rows]) => rows);
  const ofCommon = every.filter((row) => row.library === page.common && first.library !== page.common);
  const known = ofCommon.length ? ofCommon : every.filter((row) => row.reference);
  const found = known.length ? known.reduce(time) : null;
  const common = [first, ...tied, runnerUp].includes(found) ? null : found;
  return { section, ranking, first, tied, runnerUp, common };
}

/** True if a row is proven slower than another of its board by more than `least`; without ratios by their times. */
function isSlower(row, base, least) {
  const { ratio, low } = relation(row, base);
  if (ratio <= 1 + least) return false;
  return low === null ? (row.time_ns_low ?? 0) > (base.time_ns_high ?? Infinity) : low > 1;
}
