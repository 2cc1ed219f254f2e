// The selection: the URL encodes it, and it determines the rows shown.

const LISTS = ["library", "format", "checks"];
const EMPTY = {
  ...{
    view: "ranking",
    workload: "",
    conditions: "",
    records: "",
    depth: "",
    operation: "",
    run: "",
    base: "",
    case: "",
    theme: "",
  },
  ...{ library: [], format: [], checks: [] },
  ...{ bandwidth: "", cores: "", compression: "", bars: "", find: "", sort: "", down: "", every: "", all: "" },
  ...{ validating: "", objects: "", published: "", beside: "" },
};

let page, rows, state;
let storedRows = [];

/** Read the selection from a URL: absent settings have their defaults, unknown ones are ignored. */
function read(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const value = (name, usual) => (LISTS.includes(name) ? given.getAll(name) : (given.get(name) ?? usual));
  const found = Object.fromEntries(Object.entries(EMPTY).map(([name, usual]) => [name, value(name, usual)]));
  return Object.hasOwn(VIEWS, found.view) ? found : { ...found, view: EMPTY.view };
}

function written(choice) {
  const given = new URLSearchParams();
  for (const [name, usual] of Object.entries(EMPTY))
    for (const value of [choice[name]].flat()) if (value !== "" && value !== usual) given.append(name, value);
  return `#${given}`;
}

/** The selection as far as it was measured: the nearest point, its rows in the best run, and notes. */
function chosen() {
  const notes = [];
  const start = rows[page.starts[state.view] ?? page.start]; // data that fits the view
  const workloads = groupBy(rows, (row) => row.workload);
  const usualData = preferred(workloads, (members) => members === workloads.get(start.workload));
  const workload = known("workload", [...workloads.keys()], usualData, notes);
  const ofWorkload = rows.filter((row) => row.workload === workload);
  const allConditions = [...new Set(ofWorkload.map((row) => row.conditions))].sort(byUsual);
  const usualConditions = preferred(
    groupBy(ofWorkload, (row) => row.conditions),
    ([row]) => row.conditions === allConditions[0],
  );
  const conditions = known("conditions", allConditions, usualConditions, notes);
  const here = ofWorkload.filter((row) => row.conditions === conditions);
  const operations = page.operations.filter((name) => here.some((row) => row.operation === name));
  const usual = operations.includes("decode") ? "decode" : operations[0];
  const operation = known("operation", operations, usual, notes);
  const ofOperation = here.filter((row) => row.operation === operation);
  const group = oneMachine(ofOperation);
  const isOfMachine = (row) => page.runs[row.run].group === group;
  const able = ofOperation.filter(isOfMachine);
  const stepped = state.view === "phases" ? withSteps(able, here) : [];
  const { point, wanted, isAway } = nearest(stepped.length ? stepped : able, start);
  const isHere = (row) => row.records === point.records && row.depth === point.depth;
  const runs = groupBy(ofOperation.filter(isHere), (row) => row.run);
  const places = [...runs.keys()].filter((place) => page.runs[place].group === group);
  const run = bestRun(places, state.view === "phases" ? here.filter(isHere) : ofOperation.filter(isHere), notes);
  const board = runs.get(run);
  const shown = merged(board.filter(fits));
  // older rows would hide how far a run in progress is
  const isOfRun = (row) => row.run === run || !page.runs[run].running;
  const machine = ofOperation.filter((row) => isOfMachine(row) && isOfRun(row) && fits(row));
  const gap = isAway && state.view === "ranking" ? field(machine, run, wanted.records, wanted.depth, []) : null;
  const held = gap?.bands.length ? gap : field(machine, run, point.records, point.depth, shown);
  const shows =
    held === gap ? "bands are interpolated between the nearest that are" : `showing the nearest, ${sizeWords(point)}`;
  const inSteps = able.some((row) => row.records === wanted.records && row.depth === wanted.depth) ? " in steps" : "";
  if (isAway) notes.push(`${sizeWords(wanted)} is not measured${inSteps}; ${shows}.`);
  if (isAway && host && !page.runs[run].published && ofOperation.some((row) => page.runs[row.run].published))
    notes.push("“published results only”, under More, shows what serbench has measured.");
  const base = board.find((row) => row.case === state.base && isMeasured(row)) ?? null;
  const hasReference = shown.some((row) => row.reference && isMeasured(row));
  const first = hasReference ? null : shown.filter(isMeasured).reduce(fasterOf, null);
  const twin = state.beside
    ? [...runs.keys()].find((place) => page.runs[place].published !== page.runs[run].published)
    : undefined;
  for (const place of [run, twin])
    if (page.runs[place]?.unfinished && !page.runs[place].running) notes.push(page.runs[place].unfinished);
  for (const name of state.library)
    if (!host && !rows.some((row) => row.library === name && isMeasured(row))) notes.push(unpublished(name));
  if (state.base && !base) notes.push(`${state.base} has no time here, so nothing is compared with it.`);
  return {
    ...{ state, notes, run, isAway, board, shown, base, first, here, ofOperation, operations, allConditions, held },
    at: { workload, conditions, operation, ...(held === gap ? wanted : point) },
    runs: [...runs.keys()],
    ranks: rankTexts(reranked(shown, board)),
    others: new Map((runs.get(twin) ?? []).filter(isMeasured).map((row) => [caseName(row), row])),
    hasTwin: new Set([...runs.keys()].map((place) => page.runs[place].published)).size > 1,
    point: here.filter((row) => isHere(row) && row.run === run && fits(row)),
    everywhere: newest(machine, run),
    baseAt: (row) =>
      ofOperation.find((one) => one.case === state.base && isMeasured(one) && isSameData(one, row)) ?? null,
  };
}

/** That a selected library has no time anywhere on this page, and where its outcomes are. */
function unpublished(name) {
  const probed = page.matrices.cases.some((one) => one.library === name);
  const where = probed
    ? "The views Fidelity and Strictness show what it keeps and refuses"
    : `serbench verify --all --library ${name} shows what it keeps and refuses`;
  return `No published row has a time of ${name}. ${where}; serbench run --library ${name} measures it.`;
}

const fasterOf = (one, other) => (one && one.time_ns <= other.time_ns ? one : other);
/** The order of conditions: that of a service first. */
const byUsual = (one, other) => (other === "varied") - (one === "varied");
const isSameData = (one, other) => ["run", "records", "depth"].every((name) => one[name] === other[name]);
/** The name of the group with the highest score, among those in which a selected library has a time if any has. */
function preferred(groups, score) {
  const best = ([, one], [, other]) => hasSelected(other) - hasSelected(one) || score(other) - score(one);
  return [...groups].sort(best)[0][0];
}

const hasSelected = (members) => members.some((row) => isMeasured(row) && isOfLibrary(row));
const isOfLibrary = (row) => !state.library.length || state.library.some((name) => names(name, row));

/** True if a text names the library of a row: "name", "name@version", either with "[variant]"; "2.5" is any 2.5.x. */
function names(text, row) {
  const [named, variant] = text.split("[");
  const [library, version] = named.split("@");
  const isOfVersion =
    ["*", row.environment, row.version].includes(version) || `${row.version}.`.startsWith(`${version}.`);
  return (
    text === row.library ||
    (library === row.library &&
      (version === undefined || isOfVersion) &&
      ["*]", `${row.variant}]`, undefined].includes(variant))
  );
}

/** True if a row has a selected library, format and work class. */
function fits(row) {
  const formats = [row.format, row.codec, `${row.codec}/${row.format}`];
  const isOfFormat = !state.format.length || formats.some((name) => state.format.includes(name));
  const isOfClass = !state.checks.length || state.checks.includes(row.checks);
  const isRight =
    (!state.objects || !row.checks || row.checks.startsWith("objects")) &&
    (!state.validating || !row.checks?.includes("unchecked"));
  return isOfLibrary(row) && isOfFormat && isOfClass && isRight;
}

/** The selected name, or the default if none is selected or this page lacks it. */
function known(what, names, usual, notes) {
  const wanted = state[what];
  if (wanted === "" || names.includes(wanted)) return wanted || usual;
  notes.push(
    `${host ? "Nothing is stored of the" : "This page has no"} ${what} “${wanted}”; ` +
      `${host ? "this is" : "it shows"} ${usual}.`,
  );
  return usual;
}

/** The machine to show, as the group of its runs, for all sizes: with another machine's cases at some, the leader
 * would change with the size. It is that of the selected run or of the one in progress, else in the app the person's
 * own that measured last, and of others that which measured most of the selection. */
function oneMachine(among) {
  const groups = [...groupBy(among, (row) => page.runs[row.run].group)];
  const timed = groups.filter(([, members]) => members.some((row) => isMeasured(row) && fits(row)));
  const able = timed.length ? timed : groups;
  const runOf = ([, [row]]) => page.runs[row.run];
  const first =
    groups.find(([, members]) => members.some((row) => page.runs[row.run].id === state.run)) ??
    (state.published ? undefined : timed.find(([, members]) => members.some((row) => page.runs[row.run].running)));
  if (first) return first[0];
  const wished = able.filter((one) => runOf(one).published === Boolean(state.published));
  const machines = wished.length ? wished : able;
  if (host && !runOf(machines[0]).published) return machines[0][0];
  const cases = ([, members]) => new Set(members.filter((row) => isMeasured(row) && fits(row)).map(caseName)).size;
  return machines.reduce((one, other) => (cases(other) > cases(one) ? other : one))[0];
}

/** The selected run, the one in progress, or else that which measured most of the selection; if tied, the first. */
function bestRun(places, counted, notes) {
  const wanted = places.find((place) => page.runs[place].id === state.run);
  if (wanted !== undefined) return wanted;
  if (state.run) notes.push(`Run “${state.run}” has not measured this; another one is shown.`);
  const most = (place) => counted.filter((row) => row.run === place && isMeasured(row) && fits(row)).length;
  const now = places.find((place) => page.runs[place].running && most(place));
  return now ?? places.reduce((one, other) => (most(other) > most(one) ? other : one));
}

/** Ranks as shown: “2=” if rows of a ranking share it. */
function rankTexts(ranks) {
  const sharing = groupBy(ranks.keys(), (row) => `${ranking(row)}\n${ranks.get(row)}`);
  const text = (row) => `${ranks.get(row)}${sharing.get(`${ranking(row)}\n${ranks.get(row)}`).length > 1 ? "=" : ""}`;
  return {
    get: (row) => ranks.get(row),
    text: (row) => (ranks.has(row) ? text(row) : ""),
    tied: (row) => ranks.has(row) && text(row).endsWith("="),
  };
}

/** Those of the rows at whose point a step between builtins and bytes was measured too. */
function withSteps(among, everything) {
  const point = (row) => `${row.records}/${row.depth}`;
  const steps = everything.filter((row) => ["dumps", "loads"].includes(row.operation) && isMeasured(row));
  const points = new Set(steps.map(point));
  return among.filter((row) => points.has(point(row)));
}

/** The measured point nearest to the selected size and depth; without a selection that of the view, or the largest. */
function nearest(among, fitting) {
  const measured = among.filter(isMeasured);
  const points = groupBy(measured.length ? measured : among, (row) => `${row.records}/${row.depth}`);
  const isFitting = ([row]) => ["workload", "records", "depth"].every((name) => row[name] === fitting[name]);
  const [start] = points.get(preferred(points, (members) => (isFitting(members) ? Infinity : members.length)));
  const records = Number(state.records) >= 1 ? Number(state.records) : start.records;
  const depth = Number(state.depth) >= 1 ? Number(state.depth) : start.depth;
  const far = ([row]) => distance([row.records, row.depth], records, depth);
  const [found] = [...points.values()].reduce((one, other) => (far(other) < far(one) ? other : one));
  const isAway = found.records !== records || found.depth !== depth;
  return { point: { records: found.records, depth: found.depth }, wanted: { records, depth }, isAway };
}

/** One row per case and point, from the shown run or else from the newest run that has it. */
function newest(among, run) {
  const found = groupBy(among, (row) => [row.case, row.version, row.records, row.depth].join("\n"));
  return [...found.values()].map((members) => members.find((row) => row.run === run) || members[0]);
}
