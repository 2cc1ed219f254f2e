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
  column("ratio", "ratio", (row, choice) => ratioTo(choice, row)),
  column("bytes", "bytes", (row) => row.size_bytes, { text: count }),
  column("rank", "# in class", (row, choice) => choice.ranks.get(row), { kind: "here" }),
  column("gzip", "gzip", (row) => row.size_gzip_bytes, { text: count, kind: "spare" }),
  column("zstd", "zstd", (row) => row.size_zstd_bytes, { text: count, kind: "spare" }),
  column("class", "work class", (row) => classText(row.work_class), { kind: "spare" }),
  column("version", "version", (row) => row.version, { kind: "spare" }),
];
const WORDS = ["library", "codec", "class", "version"];

const isKnown = (value) => value !== null && value !== undefined;

function ratioTo(choice, row) {
  if (!isMeasured(row)) return null;
  if (!choice.base) return row.ratio;
  const base = choice.baseAt(row);
  return base ? relation(row, base).ratio : null;
}

function tableView(choice) {
  const { state } = choice;
  const among = state.every ? choice.everywhere : choice.shown;
  const found = among.filter(contains(state.find));
  const columns = COLUMNS.filter(({ kind }) => kind !== (state.every ? "here" : "every"));
  const ordered = sorted(
    found,
    columns.find(({ key }) => key === state.sort) || columns.find(({ key }) => key === "time"),
    choice,
  );
  const cut = state.all ? ordered : ordered.slice(0, 4 * FEW);
  const rest = h("button", { type: "button", click: () => go({ all: "1" }) }, `Show all ${count(ordered.length)}`);
  const { workload, conditions, operation } = choice.at;
  return {
    finding:
      `${plural(found.length, "row")} of ${count(among.length)}, ` +
      `${count(found.filter((row) => !isMeasured(row)).length)} without a time`,
    where: state.every ? `${operation} · ${workload} · ${conditions} · all sizes and depths` : undefined,
    parts: [
      tableControls(state, ordered),
      scrolled(
        "Rows",
        h(
          "table",
          { class: "rows" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              columns.map((one) => heading(choice, one)),
            ),
          ),
          h(
            "tbody",
            {},
            cut.map((row) => tableLine(choice, columns, row)),
          ),
        ),
      ),
      cut.length < ordered.length && h("p", {}, rest),
      state.every && overallTables(choice.at, page.runs[choice.run].overall),
    ],
    reading:
      "A ratio is the time divided by that of the reference or the selected case, with a 95 % " +
      "interval; “about” has no interval, because the two were not compared with the same " +
      "reference.",
  };
}

/** The geometric means of a whole run, independent of the selection. */
function overallTables({ operation, conditions }, boards) {
  const line = (name, cells) =>
    h(
      "tr",
      {},
      cells.map((cell) => h(name, {}, cell)),
    );
  return boards
    .filter((board) => board.operation === operation && board.conditions === conditions)
    .map(({ title, sections }) =>
      scrolled(
        title,
        h("h3", {}, title),
        h(
          "table",
          {},
          h("thead", {}, line("th", ["library", "codec", "mean ratio"])),
          sections.map(([name, lines]) =>
            h(
              "tbody",
              {},
              h("tr", {}, h("th", { colspan: 3 }, name)),
              lines.map((cells) => line("td", cells)),
            ),
          ),
        ),
      ),
    );
}

/** True if a row contains all words of a text. */
function contains(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => {
    const line = [row.label, row.codec_label, row.version, classText(row.work_class), row.status, row.reason]
      .join(" ")
      .toLowerCase();
    return words.every((word) => line.includes(word));
  };
}

/** Sort by a column; rows that have no value there come last. */
function sorted(rows, { value }, choice) {
  const known = rows.filter((row) => isKnown(value(row, choice)));
  const compared = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
  known.sort((a, b) => compared(value(a, choice), value(b, choice)) * (choice.state.down ? -1 : 1));
  const kept = new Set(known);
  return [...known, ...rows.filter((row) => !kept.has(row))];
}

function tableControls(state, ordered) {
  const type = ({ target }) => go({ find: target.value }, { quiet: true });
  const find = { type: "search", id: "find", value: state.find, placeholder: "filter by words", input: type };
  const every = check("all sizes and depths", (on) => go({ every: on ? "1" : "" }), { id: "every" });
  return h(
    "div",
    { class: "fields" },
    labelled("Filter", h("input", find)),
    showing(every, Boolean(state.every)),
    h(
      "button",
      { type: "button", click: () => download("serbench.csv", csv(ordered), "text/csv") },
      "These lines as CSV",
    ),
  );
}

function heading(choice, { key, heading, kind }) {
  const { sort, down } = choice.state;
  const isBy = key === (sort || "time");
  const text = key === "ratio" && choice.base ? "against the chosen" : key === "ratio" && choice.first && !choice.state.every ? "against the fastest" : heading;
  const order = isBy ? (down ? "descending" : "ascending") : null;
  return h(
    "th",
    { class: WORDS.includes(key) ? kind : `number ${kind}`, "aria-sort": order },
    h(
      "button",
      { type: "button", id: `by-${key}`, click: () => go({ sort: key, down: isBy && !down ? "1" : "" }) },
      text,
    ),
  );
}

function tableLine(choice, columns, row) {
  const time = columns.findIndex(({ key }) => key === "time");
  const cells = columns.map((one, place) => {
    if (isMeasured(row) || place < time) return tableCell(choice, one, row);
    if (place > time) return null;
    return h("td", { class: "reason", colspan: columns.length - time }, h("b", {}, row.status), `: ${reasonOf(row)}`);
  });
  const kinds = [isMeasured(row) ? "" : "failed", choice.base && row.case === choice.base.case ? "base" : ""];
  return h("tr", { class: kinds.join(" ") }, cells);
}

function tableCell(choice, { key, value, text, kind }, row) {
  if (key === "library")
    return h("th", { scope: "row" }, chip(row.library, page.marks), row.label, h("small", {}, row.codec_label));
  if (key === "rank") return h("td", { class: "number" }, choice.ranks.text(row));
  if (key === "ratio") return h("td", { class: "number" }, ratioText(choice, row));
  const found = value(row, choice);
  return h("td", { class: WORDS.includes(key) ? kind : `number ${kind}` }, isKnown(found) ? text(found) : "");
}

function ratioText(choice, row) {
  if (!choice.base) return choice.state.every ? row.ratio_text : against(choice, row);
  const base = choice.baseAt(row);
  return base ? against({ base }, row) : "not measured there";
}

VIEWS.table = { title: "Table", show: tableView, isWhole: true };
