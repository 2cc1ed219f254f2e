// What the views say in a sentence. Each function has its like in serbench/display, and a test holds the two together.

/** The smallest difference to trust, and the sentence; nothing before it if the runs are quiet. */
const noisy = (text, least) =>
  least ? `Differences below ${(100 * least).toFixed(1)}% are noise here: ${text}` : text;

/** What follows a name that ties with these: ", tied with a and b,"; nothing if there are none. */
function tiedWords(tied) {
  const names = tied.slice(0, NAMED).map((row) => row.name);
  if (tied.length > NAMED) names.push(plural(tied.length - NAMED, "other"));
  const last = names.pop();
  return tied.length ? `, tied with ${names.join(", ")}${names.length ? " and " : ""}${last},` : "";
}

/** The leader in a sentence: how many times faster it is than the runner-up and the common choice, if that is
 * proven. */
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

/** A factor in a sentence, with two digits or all before the point, near 1 with three: "3.4×", "240×", "1.04×". */
const factorText = (factor, width = Infinity) => {
  const exact = (factor >= 1 && factor < 1.1) || Math.abs(factor.toPrecision(2) - factor) > width / 4;
  return `${factor >= 10 ? count(Math.round(factor)) : Number(factor.toPrecision(exact ? 3 : 2))}×`;
};

function tradeoffFinding(able, front, least = 0) {
  if (!front.length) return "Nothing has been measured that could be weighed up";
  const beaten =
    `${front.length} of ${able.length} cases ${front.length === 1 ? "is" : "are"} not beaten ` +
    "in speed, size and strictness together";
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
    return noisy(
      `${low[0].name} spends ${(100 * modelShare(low[1])).toFixed(0)}% of its time between ` + "objects and builtins",
      least,
    );
  const odds = [high, low].map(oddsOf);
  const unproven =
    odds.every(Boolean) && !isProven(quotient(...odds), least) ? "; no proven difference between the two" : "";
  return noisy(`Between objects and builtins goes ${text(low)} to ${text(high)} of the time${unproven}`, least);
}

/** The time of several steps together, with the sums of the ends of their intervals: on the safe side. */
const sumOf = (ends, names) => [0, 1, 2].map((end) => names.reduce((total, name) => total + ends[name][end], 0));

/** The time between objects and builtins over the rest, with its interval; null if a case has only one of the two. */
function oddsOf([, times, ends]) {
  const [models, texts] = [true, false].map((is) =>
    Object.keys(times).filter((name) => ["dump", "load"].includes(name) === is),
  );
  if (!models.length || !texts.length) return null;
  const { ratio, low, high } = quotient(sumOf(ends, models), sumOf(ends, texts));
  return [ratio, low, high];
}

/** A sentence on the sum of the operations that most cases have. */
function wholeWay(found, least) {
  const names = found
    .map(([, times]) => Object.keys(times))
    .reduce((one, other) => (other.length > one.length ? other : one));
  const whole = found.filter(([, times]) => Object.keys(times).join() === names.join());
  if (names.length < 2 || whole.length < 2) return "No step of its own has been measured: dump, dumps, loads and load";
  const together = `${names.slice(0, -1).join(", ")} and ${names.at(-1)} together`;
  const [fast, slow] = [whole[0], whole.at(-1)];
  const ratio = quotient(sumOf(slow[2], names), sumOf(fast[2], names));
  if (!isProven(ratio, least))
    return `For ${together} there is no proven difference between ${fast[0].name} and ${slow[0].name}, the slowest`;
  return `For ${together} ${slow[0].name} needs ${factorText(ratio.ratio)} the time of ${fast[0].name}`;
}

/** What the budgets come to, but for those that stand apart; times that differ by less than `least` do not count. */
function budgetFinding(every, line, verbs, least = 0) {
  const found = every.filter((one) => one.row.why_incomparable === every[0].row.why_incomparable);
  if (!found.length) return "Nothing has been measured that has a time and a size";
  const [most, ...others] = found;
  const ties = tiedWords(others.filter((one) => !isFewer(one, most, least)).map(({ row }) => row));
  const packed = most.compression === "none" ? "" : ` with ${most.compression}`;
  const verb = verbs[most.row.operation] || most.row.operation;
  const messages = `${threeDigits(most.perS)} messages a second${packed}, limited by the ${most.bottleneck}`;
  const last = found.at(-1);
  const end = isFewer(last, most, least) ? `; ${last.row.name} ${threeDigits(last.perS)}` : "";
  return noisy(`With ${line}, ${most.row.name}${ties} ${verb} ${messages}${end}`, least);
}

const perRecordEnds = (row) =>
  [row.time_ns, row.time_ns_low ?? row.time_ns, row.time_ns_high ?? row.time_ns].map(
    (time) => time / (row.records || 1),
  );

const MORE_SIZES = "several, such as 1, 10, 100 and 1,000 records, show how time grows";

/** How the time per record changes with records, and then with depth: of the case `today`, or the leader of those known
 * at several sizes. */
function scalingFinding(shown, records, depth, least = 0, today = "") {
  const order = (one, other) => (other.case === today) - (one.case === today) || one.kind - other.kind;
  const leaders = [...shown].sort(([one], [other]) => order(one, other)); // which keeps the fastest first
  const grown = (along, fixed, other) =>
    leaders
      .map((members) => members.filter((row) => row[fixed] === other).sort((a, b) => a[along] - b[along]))
      .filter((members) => members.length > 1);
  if (!shown.length) return "Nothing has been measured";
  const [sized] = grown("records", "depth", depth);
  const deep = grown("depth", "records", records).find(([row]) => !sized || row.case === sized[0].case);
  const parts = [`Only one size is measured, ${plural(records, "record")} at depth ${count(depth)}; ${MORE_SIZES}`];
  if (sized) {
    const [first, last] = [sized[0], sized.at(-1)];
    const sizes = [`${count(last.records)} records`, count(first.records)];
    parts[0] = `${first.name} ${changeText(first, last, least, "with", ...sizes)}`;
  }
  if (deep) {
    const [first, last] = [deep[0], deep.at(-1)];
    const depths = [last, first].map((row) => `depth ${count(row.depth)}`);
    parts.push(`${sized ? "it" : first.name} ${changeText(first, last, least, "at", ...depths)}`);
  }
  return noisy(parts.join("; "), sized || deep ? least : 0);
}

/** What becomes of the time per record from one row of a case to another. */
function changeText(first, last, least, where, there, here) {
  const told = differenceText(quotient(...[last, first].map(perRecordEnds)), least);
  if (told === NO_DIFFERENCE) return `shows ${told} per record between ${here} and ${there}`;
  return `is ${told} per record ${where} ${there} than ${where} ${here}`;
}

const NO_DIFFERENCE = "no proven difference";

/** A time over another in words, with its interval: "2.7× faster (2.52 to 2.98)", "1.2× slower (1.11 to 1.28)". */
function differenceText(found, least) {
  if (!isProven(found, least)) return NO_DIFFERENCE;
  const { ratio, low, high } = found;
  const [word, ...ends] = ratio > 1 ? ["slower", low, high] : ["faster", 1 / high, 1 / low];
  return `${factorText(Math.max(ratio, 1 / ratio), ends[1] - ends[0])} ${word} (${ends.map(threeDigits).join(" to ")})`;
}
