// The selection: the URL encodes it, and it finds a board among those that were measured.

const LISTS = ["library", "format", "checks"];
const SINGLE = ["view", "workload", "conditions", "operation", "records", "depth", "run", "base", "case", "theme"];
const LOOKS = ["bandwidth", "cores", "find", "sort", "down", "every", "all"];
const FLAGS = ["validating", "objects", "published", "beside"];
const EMPTY = {
  ...Object.fromEntries([...SINGLE, ...LOOKS, ...FLAGS].map((name) => [name, ""])),
  ...Object.fromEntries(LISTS.map((name) => [name, []])),
};
const POINT = ["workload", "conditions", "operation", "records", "depth"];

let page, rows, state;

/** Read the selection from a URL: absent settings have their defaults, unknown ones are ignored. */
function read(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const value = (name) => (LISTS.includes(name) ? given.getAll(name) : (given.get(name) ?? ""));
  const found = Object.fromEntries(Object.keys(EMPTY).map((name) => [name, value(name)]));
  if (!Object.hasOwn(titles, found.view)) found.view = given.size || !titles.overview ? "ranking" : "overview";
  return found;
}

function written(choice) {
  const given = new URLSearchParams();
  for (const name of Object.keys(EMPTY))
    for (const value of [choice[name]].flat()) if (value !== "") given.append(name, value);
  return `#${given}`;
}

/** Where a link to a selection leads; one that begins with # would be taken for a way past the controls. */
const addressOf = (choice) => location.pathname + written(choice);

/** The rows that a board has in its sections, in their order. */
const entriesOf = (board) => board.sections.flatMap(([, entries]) => entries);
const rowOf = (board, number) => rows[board.first + number];
const measuredOf = (board) => (board.measured ??= entriesOf(board).map(([number]) => rowOf(board, number)));
const stepsOf = (board) =>
  page.steps.find(
    (one) =>
      one.run === board.run &&
      ["workload", "conditions", "records", "depth"].every((name) => one.at[name] === board.at[name]),
  );

/** What a view shows best, where there is such a board: several sizes, or steps. */
const SUITS = {
  scaling: (board) => board.scaling,
  phases: (board) => stepsOf(board)?.lines.some(([, times]) => times.some(([name]) => ["dump", "load"].includes(name))),
};

/** The board of the selection, its rows that the filters leave, and notes on what is not as it was selected. */
function chosen() {
  const notes = [];
  const start = page.boards[page.starts[state.view === "scaling" ? "scaling" : "ranking"]] ?? page.boards[0];
  let found = page.boards;
  const options = {};
  for (const name of POINT.slice(0, 3)) {
    options[name] = distinct(found.map((board) => board.at[name]));
    if (name === "operation") options[name].sort((a, b) => page.operations.indexOf(a) - page.operations.indexOf(b));
    const usual = usualOf(name, found, options[name].includes(start.at[name]) ? start.at[name] : options[name][0]);
    const value = known(name, options[name], usual, notes);
    found = found.filter((board) => board.at[name] === value);
  }
  const everywhere = found;
  const group = oneMachine(found);
  found = found.filter((board) => page.runs[board.run].group === group);
  const suited = found.filter(SUITS[state.view] ?? (() => true));
  if (suited.length) found = suited;
  const stops = { records: stopsOf(found, "records"), depth: stopsOf(found, "depth") };
  const [wanted, nearest] = nearestBoard(found, start);
  const isAway = POINT.slice(3).some((name) => wanted[name] !== nearest.at[name]);
  if (isAway) notes.push(`Not measured: ${sizeWords(wanted)}. Shown: ${sizeWords(nearest.at)}.`);
  const isHere = (board) => POINT.slice(3).every((name) => board.at[name] === nearest.at[name]);
  const here = everywhere.filter(isHere);
  const board = bestBoard(found.filter(isHere), here);
  const isOther = (other) => page.runs[other.run].published !== page.runs[board.run].published;
  const twin = here.find(isOther);
  const used = [board, state.beside && twin].filter(Boolean).map(({ run }) => page.runs[run]);
  notes.push(...used.filter((run) => run.unfinished && !run.running).map((run) => run.unfinished));
  const every = measuredOf(board);
  const told = new Map(entriesOf(board).map((entry) => [rowOf(board, entry[0]), entry]));
  const shown = every.filter((row) =>
    [row, ...(told.get(row)[4] ?? []).map((number) => rowOf(board, number))].some(fits),
  );
  const leader = board.leader === null ? null : rowOf(board, board.leader);
  const base = every.find((row) => baseOf(row) === state.base) ?? null;
  if (state.base && !base) notes.push(`Without a time here: ${state.base}.`);
  const isTimed = (name) => rows.some((row) => isMeasured(row) && names(name, row));
  if (!host)
    notes.push(
      ...state.library.filter((name) => !isTimed(name)).map((name) => `Without a time on this page: ${name}.`),
    );
  return {
    ...{ state, notes, board, every, shown, base, isAway, options, stops, found },
    ...{ at: board.at, run: board.run, runs: here.map(({ run }) => run), steps: stepsOf(board) },
    /** Rank, words against the leader and label of a measured row. */
    told: (row) => {
      const [, rank = "", against = "", label = row.label] = told.get(row) ?? [];
      return { rank, against: row === leader ? "leads" : against, label, name: `${label}${row.rest}` };
    },
    leader,
    others: new Map(twin && state.beside ? measuredOf(twin).map((row) => [row.name, row]) : []),
    hasTwin: Boolean(twin),
  };
}

/** What the selection calls the case that others are compared with. */
const baseOf = (row) => row.present ?? row.case;

const sizeWords = ({ records, depth }) => `${plural(records, "record")} at depth ${count(depth)}`;

/** The selected name, or the usual one if none is selected or nothing has it. */
function known(what, names, usual, notes) {
  const wanted = state[what];
  if (!wanted || names.includes(wanted)) return wanted || usual;
  notes.push(`Not measured: ${what} ${wanted}. Shown: ${usual}.`);
  return usual;
}

/** What is shown of workloads, conditions or operations if nothing is selected: what has a time of a selected library. */
function usualOf(name, found, usual) {
  if (!state.library.length) return usual;
  const able = found.filter((board) => measuredOf(board).some(isOfLibrary)).map((board) => board.at[name]);
  return !able.length || able.includes(usual) ? usual : able[0];
}

/** The machine to show, as the group of its runs, for all sizes: that of the selected run or of the one in progress, in
 * the app the person's own that measured last, and else that of the board with most cases. */
function oneMachine(among) {
  const runOf = (board) => page.runs[board.run];
  const selected = among.find((board) => runOf(board).id === state.run);
  const running = state.published ? null : among.find((board) => runOf(board).running && board.cases);
  const wished = among.filter((board) => runOf(board).published === Boolean(state.published));
  const able = wished.length ? wished : among;
  const own = host && !runOf(able[0]).published ? able[0] : null;
  return runOf(selected ?? running ?? own ?? mostCases(able)).group;
}

const mostCases = (among) => among.reduce((one, other) => (other.cases > one.cases ? other : one));

/** Of several runs at a point the selected one, the one in progress, in the app one's own newest, else that with most cases. */
function bestBoard(among, everywhere) {
  const runOf = (board) => page.runs[board.run];
  const selected = everywhere.find((board) => runOf(board).id === state.run);
  const running = state.published ? null : among.find((board) => runOf(board).running && board.cases);
  const own = host && !state.published ? among.find((board) => !runOf(board).published && board.cases) : null;
  return selected ?? running ?? own ?? mostCases(among);
}

const stopsOf = (found, name) => distinct(found.map((board) => board.at[name])).sort((a, b) => a - b);

/** The records and depth that are wanted, and the board that is nearest to them. */
function nearestBoard(found, start) {
  const selected = found.filter((board) => page.runs[board.run].id === state.run);
  const able = selected.length ? selected : found;
  const usual = able.includes(start) ? start : mostCases(able);
  const wanted = Object.fromEntries(
    POINT.slice(3).map((name) => [name, Number(state[name]) >= 1 ? Number(state[name]) : usual.at[name]]),
  );
  return [wanted, nearestTo(found, wanted)];
}

function nearestTo(found, wanted) {
  const far = ({ at }) => Math.hypot(...POINT.slice(3).map((name) => Math.log(at[name] / wanted[name])));
  return found.reduce((one, other) => (far(other) < far(one) ? other : one));
}

/** The selection with another stop of records or depth, and of the other the nearest that was measured with it. */
function stopAt({ found, at }, name, value) {
  const there = found.filter((board) => board.at[name] === value);
  const { records, depth } = nearestTo(there.length ? there : found, { ...at, [name]: value }).at;
  return { records: String(records), depth: String(depth) };
}

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

/** True if a row is of a selected format or codec. */
const isOfFormat = ({ codec, format }) =>
  !state.format.length || [format, codec, `${codec}/${format}`].some((name) => state.format.includes(name));

/** True if a row has a selected library, format and work class; others are hidden. */
function fits(row) {
  const isOfClass = !state.checks.length || state.checks.includes(row.checks);
  const isRight =
    (!state.objects || !row.checks || row.checks.startsWith("objects")) &&
    (!state.validating || !row.checks?.includes("unchecked"));
  return isOfLibrary(row) && isOfFormat(row) && isOfClass && isRight;
}
