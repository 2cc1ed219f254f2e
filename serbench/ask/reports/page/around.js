// The parts around a view: controls, cases not measured, provenance and downloads.

const KEPT = new Map(); // controls by name: the same elements in all drawings
let isOpened = false;

/** A control of the selection that `make` makes, with its entries and what is chosen of them. */
function kept(make, name, label, entries, value, kind) {
  if (!KEPT.has(name))
    KEPT.set(
      name,
      make(label, (chosen) => go({ [name]: chosen }), { id: name, kind }),
    );
  return showing(KEPT.get(name), entries, value);
}

const oneOf = (name, label, entries, value, kind) => kept(select, name, label, entries, value, kind);
const anyOf = (name, label, entries) => kept(several, name, label, entries, state[name], "further");

/** The formats of some cases, each with its codecs if there are several. */
function formatEntries(cases) {
  const formats = [...groupBy(cases, ({ format }) => format)].sort(([a], [b]) => a.localeCompare(b));
  return formats.flatMap(([format, members]) => {
    const codecs = [...new Set(members.map(({ codec }) => codec))].sort();
    const below = codecs.map((codec) => ({ value: `${codec}/${format}`, text: codec, below: true }));
    return [{ value: format }, ...(codecs.length > 1 ? below : [])];
  });
}

/** The measured cases by their names, in groups of their libraries. */
function caseGroups(cases) {
  const libraries = [...groupBy(cases.filter(isMeasured), ({ library }) => library)].sort();
  const entries = (members) => [...new Map(members.map((row) => [row.case, row.name]))];
  return libraries.map(([label, members]) => ({ label, entries: entries(members) }));
}

const entriesOf = (values) => [...new Set(values)].sort().map((value) => ({ value }));

function controls(choice) {
  const { at, here, ofOperation } = choice;
  const sizes = (name) =>
    [...new Set([...ofOperation.filter(isMeasured).map((row) => row[name]), at[name]])]
      .sort((a, b) => a - b)
      .map((size) => [String(size), count(size)]);
  const classes = entriesOf(here.map((row) => row.checks).filter(Boolean));
  const filtered = LISTS.filter((name) => state[name].length).length;
  const ids = choice.runs.map((place) => page.runs[place].id);
  return [
    oneOf("workload", "Data", [...new Set(rows.map((row) => row.workload))], at.workload),
    choice.allConditions.length > 1 && oneOf("conditions", "Conditions", choice.allConditions, at.conditions),
    oneOf("operation", "Operation", choice.operations, at.operation),
    oneOf("records", "Records", sizes("records"), at.records),
    oneOf("depth", "Depth", sizes("depth"), at.depth),
    h(
      "button",
      {
        type: "button",
        id: "more",
        "aria-expanded": String(isOpened),
        click: () => {
          isOpened = !isOpened;
          show();
        },
      },
      `${isOpened ? "Fewer" : "More"} filters: libraries, formats, …${filtered ? ` (${filtered} set)` : ""}`,
    ),
    anyOf("library", "Libraries", entriesOf(here.map((row) => row.library))),
    anyOf("format", "Formats", formatEntries(here)),
    anyOf(
      "checks",
      "Work class in decoding",
      classes.map(({ value }) => ({ value, text: classText(value) })),
    ),
    oneOf(
      "base",
      "I use today",
      [["", "nothing yet"], ...caseGroups(choice.board)],
      choice.base ? choice.base.case : "",
    ),
    ids.length > 1 &&
      oneOf("run", "Run", [["", "the most complete"], ...ids], ids.includes(state.run) ? state.run : "", "further"),
    filtered > 0 &&
      h(
        "button",
        { type: "button", id: "reset", class: "further", click: () => go({ library: [], format: [], checks: [] }) },
        "Show all cases",
      ),
    page.abouts[at.workload] && h("small", { class: "about" }, `${at.workload}: ${page.abouts[at.workload]}`),
  ];
}

const EXPECTED = ["unsupported", "unavailable"];

function missing(choice) {
  const failed = choice.shown.filter((row) => !isMeasured(row));
  if (!failed.length) return [];
  const groups = groupBy(failed, (row) => [row.status, row.reason].join("\n"));
  return [
    h("h3", {}, "Not measured"),
    h(
      "ul",
      { class: "missing" },
      [...groups.values()].map((members) =>
        h(
          "li",
          { class: EXPECTED.includes(members[0].status) ? "" : "grave" },
          h("b", {}, together(members)),
          ": ",
          h("em", {}, members[0].status),
          `: ${reasonOf(members[0])}`,
        ),
      ),
    ),
  ];
}

/** The cases of some rows: “a, b + x, y” if they are all pairs, otherwise one by one. */
function together(members) {
  const labels = [...new Set(members.map((row) => row.label))],
    codecs = [...new Set(members.map((row) => row.codec_label))];
  const pairs = [...new Set(members.map((row) => `${row.label} via ${row.codec_label}`))];
  return pairs.length === labels.length * codecs.length
    ? `${labels.join(", ")} via ${codecs.join(", ")}`
    : pairs.join(", ");
}

/** The run, its machine, versions, accuracy, warnings and data. */
function origin(choice) {
  const run = page.runs[choice.run];
  const facts = [
    ["run", run.id],
    ["measured", run.date],
    ["command", h("code", {}, run.command)],
    ["machine", run.machine],
    ["versions", run.versions],
    ["accuracy", run.accuracy],
    ...run.warnings.map((text) => ["warning", text]),
  ];
  const known = facts
    .filter(([, text]) => text)
    .map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)));
  const data = [save(run, "csv", "text/csv", csv), save(run, "json", "application/json", (all) => json(run, all))];
  return [h("h2", {}, "Source"), h("dl", {}, known), h("p", { class: "buttons" }, "Data of this run: ", data)];
}

/** A link to the run's file if there is one, otherwise a button that generates it. */
function save(run, ending, type, write) {
  const name = ending.toUpperCase();
  if (run.files) return h("a", { href: run.files[ending], download: true }, name);
  const all = () => rows.filter((row) => page.runs[row.run] === run);
  return h("button", { type: "button", click: () => download(`${run.id}.${ending}`, write(all()), type) }, name);
}

/** The version that made the page, its contents, and omissions. */
function made() {
  const text =
    `Made by serbench ${page.serbench} from ${plural(page.runs.length, "run")} with ` +
    `${plural(rows.length, "row")}.`;
  return h("p", {}, [text, ...page.left_out.map((one) => ` Omitted: ${one}.`)]);
}

function json(run, all) {
  const { rows: _, group, files, ...told } = run;
  const fields = (row) => Object.fromEntries(page.fields.map((name) => [name, row[name]]));
  return JSON.stringify({ ...told, rows: all.map(fields) }, null, 1) + "\n";
}

function csv(list) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return (
    [page.fields, ...list.map((row) => page.fields.map((name) => row[name]))]
      .map((line) => line.map(cell).join(","))
      .join("\n") + "\n"
  );
}

function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name.replace(/[^\w.-]+/g, "_") }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
