// The table: every row with its figures or reason, with filter, sorting and download.

const column = (key, heading, value, { text = (one) => one, kind = "" } = {}) => ({ key, heading, value, text, kind });
const COLUMNS = [
  // "spare" ones are not shown on a phone, "every" ones with all sizes and depths only, "here" ones without
  column("library", "library", (row) => row.label),
  column("codec", "codec", (row) => row.codec_label, { kind: "spare" }),
  column("records", "records", (row) => row.records, { text: count, kind: "every" }),
  column("depth", "depth", (row) => row.depth, { text: count, kind: "every" }),
  column("time", "time", (row) => row.time_ns, { text: ownTime }),
  column("per", "per record", (row) => row.time_per_record_ns, { text: ownTime, kind: "spare" }),
  column("against", "", (row, choice) => overBase(choice, row), { kind: "here" }),
  column("ratio", "ratio", (row) => row.ratio, { kind: "every" }),
  column("bytes", "bytes", (row) => row.size_bytes, { text: count }),
  column("rank", "#, same validation", (row) => row.rank, { kind: "here" }),
  column("gzip", "gzip", (row) => row.size_gzip_bytes, { text: count, kind: "spare" }),
  column("zstd", "zstd", (row) => row.size_zstd_bytes, { text: count, kind: "spare" }),
  column("class", "validation", (row) => classText(row.work_class), { kind: "spare" }),
  column("version", "version", (row) => row.version, { kind: "spare" }),
];
const WORDS = ["library", "codec", "class", "version"];

const isKnown = (value) => value !== null && value !== undefined;

/** The time of a row over that of the chosen one, or of the leader. */
function overBase({ base, leader }, row) {
  const other = base ?? leader;
  return other && isMeasured(row) ? relation(row, other).ratio : null;
}

function tableView(choice) {
  const { board, at } = choice;
  const { every } = state;
  const isOfSizes = (row) =>
    row.run === choice.run && ["workload", "conditions", "operation"].every((name) => row[name] === at[name]);
  const isOfPoint = (row) => isOfSizes(row) && row.records === at.records && row.depth === at.depth;
  const failed = rows.filter((row) => isOfPoint(row) && !isMeasured(row));
  const among = every ? rows.filter(isOfSizes) : [...choice.every, ...failed];
  const found = among.filter((row) => (choice.shown.includes(row) || fits(row)) && contains(state.find)(row));
  const columns = COLUMNS.filter(({ kind }) => kind !== (every ? "here" : "every"));
  const by = columns.find(({ key }) => key === state.sort);
  const ordered = by || every ? sorted(found, by ?? columns.find(({ key }) => key === "time"), choice) : found;
  const headings = columns.map((one) => heading(choice, one));
  const lines = ordered.map((row) => rowLine(choice, columns, row));
  const parts = [tableControls(ordered, among), scrolled("Rows", table(headings, lines, [], { class: "rows" }))];
  if (every)
    return {
      finding: `All sizes and depths: ${plural(found.length, "row")}`,
      where: `${at.operation} ${at.workload} · ${conditionsText(at.conditions)}`,
      parts: [parts, overallTables(at, page.runs[choice.run].overall)],
      reading: "A ratio is the time divided by that of the baseline, with a 95% interval.",
    };
  return { finding: board.headline, where: board.where, cost: board.cost, next: board.next, parts };
}

/** The geometric means of a whole run, independent of the selection. */
function overallTables({ operation, conditions }, overall) {
  const head = (name) => h("tr", {}, h("th", { colspan: 3 }, name));
  return overall
    .filter((one) => one.operation === operation && one.conditions === conditions)
    .map(({ title, sections }) => {
      const lines = sections.flatMap(([name, members]) => [head(name), ...members]);
      return scrolled(title, h("h3", {}, title), table(["library", "codec", "mean ratio"], lines));
    });
}

/** True if a row contains all words of a text. */
function contains(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => {
    const line = [row.label, row.codec_label, row.version, classText(row.work_class), row.status, row.reason].join(" ");
    return words.every((word) => line.toLowerCase().includes(word));
  };
}

/** Sort by a column that the reader chose; rows that have no value there come last. */
function sorted(found, { value }, choice) {
  const [known, others] = [true, false].map((is) => found.filter((row) => isKnown(value(row, choice)) === is));
  const compared = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
  known.sort((a, b) => compared(value(a, choice), value(b, choice)) * (state.down ? -1 : 1));
  return [...known, ...others];
}

function tableControls(ordered, among) {
  const type = ({ target }) => go({ find: target.value }, { quiet: true });
  const find = { type: "search", id: "find", value: state.find, placeholder: "filter by words", input: type };
  const every = check("all sizes and depths", (on) => go({ every: on ? "1" : "" }), { id: "every" });
  const save = () => download("serbench.csv", csv(ordered), "text/csv");
  return h(
    "div",
    { class: "fields" },
    labelled("Filter", h("input", find)),
    showing(every, Boolean(state.every)),
    h("button", { type: "button", click: save }, "These lines as CSV"),
    h("small", {}, `${count(ordered.length)} of ${plural(among.length, "row")}`),
  );
}

function heading(choice, { key, heading, kind }) {
  const isBy = key === (state.sort || (state.every ? "time" : ""));
  const order = isBy ? (state.down ? "descending" : "ascending") : null;
  const sort = () => go({ sort: key, down: isBy && !state.down ? "1" : "" });
  const text = key === "against" ? againstHead(choice) : heading;
  const looks = { class: WORDS.includes(key) ? kind : `number ${kind}`, "aria-sort": order };
  return h("th", looks, h("button", { type: "button", id: `by-${key}`, click: sort }, text));
}

function rowLine(choice, columns, row) {
  const time = columns.findIndex(({ key }) => key === "time");
  const cells = columns.map((one, place) => {
    if (isMeasured(row) || place < time) return rowCell(choice, one, row);
    if (place > time) return null;
    return h("td", { class: "reason", colspan: columns.length - time }, h("b", {}, row.status), `: ${reasonOf(row)}`);
  });
  const kinds = [isMeasured(row) ? "" : "failed", choice.base && row.case === choice.base.case ? "base" : ""];
  return h("tr", { class: kinds.join(" ") }, cells);
}

function rowCell(choice, { key, value, text, kind }, row) {
  const { label, rank } = choice.told(row);
  if (key === "library")
    return h("th", { scope: "row" }, chip(row.library, page.marks), label, h("small", {}, row.codec_label));
  const known = value(row, choice);
  const usual = () => (isKnown(known) ? text(known) : "");
  const words = { against: () => againstText(choice, row), rank: () => rank, ratio: () => row.ratio_text };
  return h("td", { class: WORDS.includes(key) ? kind : `number ${kind}` }, (words[key] ?? usual)());
}

VIEWS.table = { title: "Table", show: tableView };
