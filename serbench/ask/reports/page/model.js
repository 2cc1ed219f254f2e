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

/** The rows as objects that look their values up in the columns, each with its place and that of its run, counted from some. */
function unpack(content, from = 0, runsFrom = 0) {
  const prototype = {};
  for (const [name, column] of Object.entries(content.rows)) {
    const plain = function () {
      return column[this.place - from];
    };
    const coded = function () {
      return column.values[column.at[this.place - from]];
    };
    Object.defineProperty(prototype, name, { get: Array.isArray(column) ? plain : coded });
  }
  let place = from;
  const row = (run) => Object.assign(Object.create(prototype), { place: place++, run });
  return content.runs.flatMap((run, number) => Array.from({ length: run.rows }, () => row(runsFrom + number)));
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

function logTicks(values) {
  const low = Math.log10(Math.min(...values)),
    high = Math.log10(Math.max(...values));
  const steps = high - low < 3 ? [1, 2, 5] : [1];
  const found = [];
  for (let decade = Math.floor(low) - 1; decade <= Math.ceil(high); decade++)
    for (const step of steps) found.push(step * 10 ** decade);
  return found;
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

const ranking = (row) => [row.run, row.workload, row.conditions, row.records, row.depth, row.operation, row.work_class].join("\n");

const sharing = (row, name) =>
  [row.run, row.workload, row.records, row.depth, row.operation, row.environment, row.codec, row.format, name].join("\n");
const ownName = (row) => (row.variant === "default" ? row.library : `${row.library}[${row.variant}]`);

/** Some of the rows that were ranked together, as [row, rank]: a rank counts the chosen rows of the groups of ties before. */
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
  const same = row.run === base.run && ["workload", "conditions", "records", "depth", "operation"].every((n) => row[n] === base[n]);
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

function relationText(found) {
  if (found === null) return "";
  const ratio = `${threeDigits(found.ratio)}×`;
  if (found.low === null) return `about ${ratio}`;
  if (found.low <= 1 && found.high >= 1 && found.low < found.high) return "no proven difference";
  return `${ratio} (${threeDigits(found.low)} to ${threeDigits(found.high)})`;
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
  const cpuPerS = (cores * 1e9) / (row.time_ns + extra),
    linePerS = bitsPerS / 8 / size;
  const perS = Math.min(cpuPerS, linePerS);
  return { row, compression, size, cpuPerS, linePerS, perS, bottleneck: cpuPerS <= linePerS ? "cores" : "line" };
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
    .sort((a, b) => (a.row.why_incomparable === b.row.why_incomparable ? b.perS - a.perS : a.row.why_incomparable < b.row.why_incomparable ? -1 : 1));
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

/** The smallest difference to trust, and the sentence; nothing before it if the runs are quiet. */
const noisy = (text, least) => (least ? `differences below ${(100 * least).toFixed(1)}% are noise here: ${text}` : text);

/** What follows a name that ties with these: ", tied with a and b,"; nothing if there are none. */
function tiedWords(tied) {
  const names = tied.slice(0, NAMED).map((row) => row.name);
  if (tied.length > NAMED) names.push(plural(tied.length - NAMED, "other"));
  const last = names.pop();
  return tied.length ? `, tied with ${names.join(", ")}${names.length ? " and " : ""}${last},` : "";
}

/** The leader in a sentence: how many times faster it is than the runner-up and the common choice, if that is proven. */
function leadText({ ranking, first, tied, runnerUp, common }, verbs, least = 0) {
  const verb = verbs[first.operation] || first.operation;
  const name = (row) => row.name + (row.reference ? " (the reference)" : "");
  const others = [runnerUp, common].filter(Boolean);
  const slower = others.filter((row) => isSlower(row, first, least));
  const alike = others.filter((row) => !slower.includes(row)).map((row) => row.name);
  const parts = slower.map((row) => `${factorText(relation(row, first).ratio)} faster than ${name(row)}`);
  if (!parts.length && ranking.length > 1) return `No case ${verb} ${first.workload} provably faster than another`;
  const ties = tiedWords(tied);
  if (!parts.length) {
    const [size, unit] = unitOf([first.time_ns]);
    parts.push(`in ${threeDigits(first.time_ns / size)} ${unit} (the only case of its class)`);
  }
  const unproven = alike.length ? `; not proven faster than ${alike.join(" and ")}` : "";
  return `${first.name}${ties} ${verb} ${first.workload} ${parts.join(", ")}${unproven}`;
}

/** A factor in a sentence, with two digits or all before the point, and near 1 with three: "3.4×", "240×", "1.04×". */
const factorText = (factor) =>
  `${factor >= 10 ? count(Math.round(factor)) : Number(factor.toPrecision(factor >= 1 && factor < 1.1 ? 3 : 2))}×`;

function tradeoffFinding(able, front, least = 0) {
  if (!front.length) return "Nothing has been measured that could be weighed up";
  const beaten = `${front.length} of ${able.length} cases ${front.length === 1 ? "is" : "are"} not beaten in speed, size and strictness together`;
  const smallest = front.reduce((one, other) => (other.size_bytes < one.size_bytes ? other : one));
  const [first] = front;
  const alike = able.filter((row) => row !== first && row !== smallest && !isSlower(row, first, least));
  const fastest = `${first.name}${tiedWords(alike)} is`;
  if (smallest === first) return noisy(`${fastest} both fastest and smallest; ${beaten}`, least);
  const slower = isSlower(smallest, first, least)
    ? `at ${factorText(relation(smallest, first).ratio)} its time`
    : "with no proven difference in time";
  return noisy(`${fastest} fastest, ${smallest.name} smallest ${slower}; ${beaten}`, least);
}

function phasesFinding(found, least = 0) {
  const stepped = found.filter(([, times]) => hasSteps(times));
  if (!found.length) return "Nothing has been measured that has phases";
  if (!stepped.length) return noisy(wholeWay(found, least), least);
  const parts = [...stepped].sort((a, b) => modelShare(a[1]) - modelShare(b[1]));
  const text = ([row, times]) => `${(100 * modelShare(times)).toFixed(0)}% (${row.name})`;
  const [low, high] = [parts[0], parts.at(-1)];
  if (parts.length === 1)
    return noisy(`${low[0].name} spends ${(100 * modelShare(low[1])).toFixed(0)}% of its time between objects and builtins`, least);
  const odds = [high, low].map(oddsOf);
  const unproven = odds.every(Boolean) && !isProven(quotient(...odds), least) ? "; no proven difference between the two" : "";
  return noisy(`Between objects and builtins goes ${text(low)} to ${text(high)} of the time${unproven}`, least);
}

/** The time of several steps together, with the sums of the ends of their intervals: on the safe side. */
const sumOf = (ends, names) => [0, 1, 2].map((end) => names.reduce((total, name) => total + ends[name][end], 0));

/** The time between objects and builtins over the rest, with its interval; null if a case has only one of the two. */
function oddsOf([, times, ends]) {
  const [models, texts] = [true, false].map((is) => Object.keys(times).filter((name) => ["dump", "load"].includes(name) === is));
  if (!models.length || !texts.length) return null;
  const { ratio, low, high } = quotient(sumOf(ends, models), sumOf(ends, texts));
  return [ratio, low, high];
}

/** A sentence on the sum of the operations that most cases have. */
function wholeWay(found, least) {
  const names = found.map(([, times]) => Object.keys(times)).reduce((one, other) => (other.length > one.length ? other : one));
  const whole = found.filter(([, times]) => Object.keys(times).join() === names.join());
  if (names.length < 2 || whole.length < 2) return "No step of its own has been measured: dump, dumps, loads and load";
  const together = `${names.slice(0, -1).join(", ")} and ${names.at(-1)} together`;
  const [fast, slow] = [whole[0], whole.at(-1)];
  const ratio = quotient(sumOf(slow[2], names), sumOf(fast[2], names));
  if (!isProven(ratio, least))
    return `For ${together} there is no proven difference between ${fast[0].name} and ${slow[0].name}, the slowest`;
  return `For ${together} ${slow[0].name} needs ${factorText(ratio.ratio)} the time of ${fast[0].name}`;
}

/** What the budgets come to, but for those that stand apart. */
function budgetFinding(every, line, verbs) {
  const found = every.filter((one) => one.row.why_incomparable === every[0].row.why_incomparable);
  if (!found.length) return "Nothing has been measured that has a time and a size";
  const most = found[0],
    least = found.at(-1);
  const packed = most.compression === "none" ? "" : ` with ${most.compression}`;
  const verb = verbs[most.row.operation] || most.row.operation;
  const others = found.filter((one) => threeDigits(one.perS) === threeDigits(most.perS)).length - 1;
  const tied = others ? `, as ${plural(others, "other")} ${others === 1 ? "does" : "do"}` : "";
  const text = `With ${line}, ${most.row.name} ${verb} ${threeDigits(most.perS)} messages a second${packed}${tied}, limited by the ${most.bottleneck}`;
  return others + 1 === found.length ? text : `${text}; ${least.row.name} ${threeDigits(least.perS)}`;
}

const perRecordEnds = (row) => [row.time_ns, row.time_ns_low ?? row.time_ns, row.time_ns_high ?? row.time_ns].map((time) => time / (row.records || 1));

function scalingFinding(shown, records, depth, least = 0) {
  if (!shown.length) return "Nothing has been measured";
  const changes = [];
  for (const members of shown)
    for (const [along, fixed, other] of [
      ["records", "depth", depth],
      ["depth", "records", records],
    ]) {
      const here = members.filter((row) => row[fixed] === other).sort((a, b) => a[along] - b[along]);
      if (here.length < 2) continue;
      const [first, last] = [here[0], here.at(-1)];
      changes.push({ found: quotient(...[last, first].map(perRecordEnds)), along, first, last });
    }
  if (!changes.length) return "One size and one depth are measured; a second of either shows how time grows";
  const proven = changes.filter((change) => isProven(change.found, least));
  if (!proven.length)
    return noisy("No case's time per record is proven to change with the size or depth of the data", least);
  const size = ({ found }) => Math.abs(found.ratio - 1);
  const { found, first, last, along } = proven.reduce((one, other) => (size(other) > size(one) ? other : one));
  const times = `${factorText(found.ratio)} (${threeDigits(found.low)} to ${threeDigits(found.high)})`;
  const word = along === "records" ? "record" : "level";
  return noisy(`${first.name} needs ${times} the time per record at ${plural(last[along], word)} compared with ${count(first[along])}`, least);
}
