// All cases that one machine measured, as they are known at one size and depth, and which of them leads. Each function
// has its like in serbench/judge/leading.py, interpolation.py or display/findings.py, and a test holds the two together.

const caseName = (row) => [row.library, row.variant, row.environment, row.codec, row.format].join("\n");
const distance = (point, records, depth) =>
  Math.abs(Math.log(point[0] / Math.max(records, 1))) + 3 * Math.abs(Math.log(point[1] / Math.max(depth, 1)));
const unrelated = (row, change = {}) => {
  const none = {
    ratio: null,
    ratio_low: null,
    ratio_high: null,
    rank: null,
    reference: false,
    ratio_text: "",
    first_text: "",
    ...change,
  };
  return Object.create(row, Object.fromEntries(Object.entries(none).map(([name, value]) => [name, { value }])));
};

/** The measured points around one that is not measured: the tightest pair along an axis, or four along both. */
function corners(points, records, depth) {
  const known = new Set(points.map(String));
  if (known.has(String([records, depth]))) return [];
  const sides = (axis, value) => {
    const values = [...new Set(points.map((point) => point[axis]))].sort((a, b) => a - b);
    const pairs = values
      .filter((low) => low < value)
      .flatMap((low) => values.filter((high) => high > value).map((high) => [low, high]));
    return values.includes(value) ? [[value], ...pairs] : pairs;
  };
  const [along, levels] = [sides(0, records), sides(1, depth)];
  const boxes = along.flatMap((sizes) =>
    levels.map((depths) => sizes.flatMap((size) => depths.map((level) => [size, level]))),
  );
  const able = boxes.filter((box) => box.every((point) => known.has(String(point))));
  const wide = (box) => [distance(box[0], ...box.at(-1)), box.length];
  able.sort((one, other) => wide(one)[0] - wide(other)[0] || wide(one)[1] - wide(other)[1]);
  return able[0] ?? [];
}

function bandAt(value, ends, curved) {
  const [[first, low], [last, high]] = [ends[0], ends.at(-1)];
  if (first === last) return low;
  const straight = (value - first) / (last - first);
  const bent = (curved(value) - curved(first)) / (curved(last) - curved(first));
  const lines = low.map((one, place) => one + (high[place] - one) * straight);
  const curves = low.map((one, place) => Math.exp(Math.log(one) + (Math.log(high[place]) - Math.log(one)) * bent));
  return [lines[0], Math.min(lines[1], curves[1]), Math.max(lines[2], curves[2])];
}

/** A row for each case that is measured around a point: its time there, with neither ratio nor rank. */
function between(rows, records, depth) {
  const found = [];
  for (const members of groupBy(rows, caseName).values()) {
    const at = new Map([...members].reverse().map((row) => [String([row.records, row.depth]), row]));
    const around = corners(
      [...at.values()].map((row) => [row.records, row.depth]),
      records,
      depth,
    );
    if (!around.length) continue;
    const [sizes, depths] = [0, 1].map((axis) =>
      [...new Set(around.map((point) => point[axis]))].sort((a, b) => a - b),
    );
    const band = (size, level) => {
      const row = at.get(String([size, level]));
      return [row.time_ns, row.time_ns_low, row.time_ns_high];
    };
    const along = depths.map((level) => [
      level,
      bandAt(
        records,
        sizes.map((size) => [size, band(size, level)]),
        Math.log,
      ),
    ]);
    const [time_ns, time_ns_low, time_ns_high] = bandAt(depth, along, (value) => value);
    const time = { time_ns, time_ns_low, time_ns_high, time_per_record_ns: time_ns / Math.max(records, 1) };
    found.push(
      unrelated(at.get(String(around[0])), {
        ...time,
        records,
        depth,
        status: "ok",
        size_bytes: null,
        interpolated: true,
      }),
    );
  }
  return found;
}

/** All cases of some rows of one machine, workload and operation at a size and depth; `shown` is ranked, of the
 * run `run`. */
function field(rows, run, records, depth, shown) {
  const order = [...new Set(rows.map((row) => row.run))].sort((a, b) => (b === run) - (a === run) || a - b);
  const versions = new Map();
  const boards = [];
  for (const number of order) {
    const able = rows.filter((row) => row.run === number && isMeasured(row));
    for (const row of able) if (!versions.has(caseName(row))) versions.set(caseName(row), row.version);
    const current = able.filter((row) => versions.get(caseName(row)) === row.version);
    for (const members of groupBy(current, (row) => String([row.records, row.depth])).values()) {
      const far = distance([members[0].records, members[0].depth], records, depth);
      boards.push({ far, run: number, cases: new Map(members.map((row) => [caseName(row), row])) });
    }
  }
  boards.sort((one, other) => one.far - other.far); // which keeps the order of the runs
  const known = new Set(shown.flatMap((row) => [row, ...(row.also ?? [])]).map(caseName));
  const firsts = (able) =>
    able.flatMap(({ cases }) => {
      const found = [...cases].filter(([name]) => !known.has(name)).map(([, row]) => row);
      for (const name of cases.keys()) known.add(name);
      return found;
    });
  const joined = firsts(boards.filter(({ far }) => far === 0));
  const bands = between(
    boards.flatMap(({ cases }) => [...cases].filter(([name]) => !known.has(name)).map(([, row]) => row)),
    records,
    depth,
  );
  for (const row of bands) known.add(caseName(row));
  const elsewhere = firsts(boards);
  const asOne = (members) => merged(members.map((row) => unrelated(row)));
  const used = new Set([...joined, ...bands, ...elsewhere].map(caseName));
  const isUsed = ({ cases }) => [...cases.keys()].some((name) => used.has(name));
  const runs = new Set([...(shown.length ? [run] : []), ...boards.filter(isUsed).map((board) => board.run)]);
  return contested({ runs, shown, joined: asOne(joined), bands: merged(bands), elsewhere: asOne(elsewhere), boards });
}

/** The field with `guess`, the time here by which a case is ordered, its contest, and the leader of it. */
function contested(found) {
  const timed = [...found.shown, ...found.joined, ...found.bands].filter(isMeasured);
  const known = new Map(timed.flatMap((row) => [row, ...(row.also ?? [])].map((one) => [caseName(one), row.time_ns])));
  const middle = (values) => {
    const ranked = [...values].sort((a, b) => a - b);
    const half = ranked.length / 2;
    return ranked.length % 2 ? ranked[Math.floor(half)] : (ranked[half - 1] + ranked[half]) / 2;
  };
  const size = timed[0]?.records ?? 1;
  const grown = (row) => {
    const { cases } = found.boards.find(({ cases }) => cases.has(caseName(row)));
    const factors = [...cases]
      .filter(([name]) => known.has(name))
      .map(([name, other]) => known.get(name) / other.time_ns);
    return row.time_ns * (factors.length ? middle(factors) : size / Math.max(row.records, 1));
  };
  const guesses = new Map([...known, ...found.elsewhere.map((row) => [caseName(row), grown(row)])]);
  const guess = (row) => guesses.get(caseName(row));
  const ranked = new Set(
    found.boards.flatMap(({ cases }) => [...cases].filter(([, row]) => row.rank !== null).map(([name]) => name)),
  );
  const every = [...timed, ...found.elsewhere];
  const able = every.some((row) => ranked.has(caseName(row)))
    ? every.filter((row) => ranked.has(caseName(row)))
    : every;
  const best = Math.min(...able.map((row) => row.kind));
  const contest = able.filter((row) => row.kind === best).sort((one, other) => guess(one) - guess(other));
  const isMixed = found.joined.length + found.bands.length + found.elsewhere.length > 0;
  const held = { ...found, timed, guess, contest, isMixed };
  return { ...held, winner: contest.find((row) => !contest.some((other) => loses(held, row, other))) ?? null };
}

/** Two cases where one run measured both nearest, and the time of the first over that of the second. */
function nearestPair({ boards }, row, other) {
  const pair = [caseName(row), caseName(other)];
  const board = boards.find(({ cases }) => pair.every((name) => cases.has(name)));
  if (!board) return null;
  const [one, two] = pair.map((name) => board.cases.get(name));
  return { one, two, compared: relation(one, two) };
}

function loses(held, row, other) {
  if (row === other) return false;
  const found = nearestPair(held, row, other);
  if (found) return found.compared.low !== null && found.compared.low > 1;
  return (
    row.records === other.records &&
    row.depth === other.depth &&
    (row.time_ns_low ?? 0) > (other.time_ns_high ?? Infinity)
  );
}

const sizeWords = (row) => `${plural(row.records, "record")} at depth ${count(row.depth)}`;

/** The leader in a sentence that can be a title; it never names a case that loses where both were measured nearest. */
function fieldText(held, found, verbs, least = 0) {
  const every = [...held.timed, ...held.elsewhere];
  if (!every.length) return "Nothing could be measured";
  return noisy(leaderText(held, found, verbs, least), least);
}

function leaderText({ timed, elsewhere, winner, contest, ...rest }, found, verbs, least) {
  const held = { timed, elsewhere, winner, contest, ...rest };
  const every = [...timed, ...elsewhere];
  const [{ operation, workload }] = every;
  const verb = verbs[operation] || operation;
  const away = elsewhere.length;
  const end = away ? `; ${away} of ${plural(every.length, "case")} ${away === 1 ? "is" : "are"} not measured here` : "";
  if (!winner) return `No case is proven to ${verb.replace(/s$/, "")} ${workload} fastest${end}`;
  if (found && winner === found.first) return leadText(found, verbs, least) + end;
  if (!timed.includes(winner))
    return `${winner.name} probably ${verb} ${workload} fastest${evidence(held, least)}${end}`;
  const close = contest.filter(
    (row) =>
      row !== winner &&
      timed.includes(row) &&
      (row.time_ns_low ?? 0) <= (winner.time_ns_high ?? 0) &&
      !contest.some((other) => loses(held, row, other)),
  );
  const others = close.length > 1 ? ` or one of ${close.length} others` : close.length ? ` or ${close[0].name}` : "";
  const [unit, name] = unitOf([winner.time_ns]);
  const ends = [...new Set([winner.time_ns_low, winner.time_ns_high].map((value) => threeDigits(value / unit)))];
  return `${winner.name}${others} probably ${verb} ${workload} fastest, in ${ends.join(" to ")} ${name}${end}`;
}

/** How the leader, which was not measured here, compared with the fastest that was, where both were. */
function evidence(held, least) {
  const rival = held.contest.find((row) => held.timed.includes(row));
  const found = rival && nearestPair(held, rival, held.winner);
  if (!found) return "";
  const { ratio, low } = found.compared;
  if (ratio <= 1 + least || (low !== null && low <= 1))
    return `; with ${sizeWords(found.one)} no difference to ${rival.name} was proven`;
  return `: with ${sizeWords(found.one)} it was ${factorText(ratio)} faster than ${rival.name}`;
}

function elsewhereText(row) {
  const [unit, name] = unitOf([row.time_ns]);
  return `not measured here; ${threeDigits(row.time_ns / unit)} ${name} with ${sizeWords(row)}`;
}
