// The parts around a view: controls, provenance and downloads.

const KEPT = new Map(); // controls by name: the same elements in all drawings
let isOpened = false;

/** A control of the selection that `make` makes, with its entries and what is chosen of them. */
function kept(make, name, label, entries, value, kind, choose = (chosen) => go({ [name]: chosen })) {
  if (!KEPT.has(name)) KEPT.set(name, make(label, choose, { id: name, kind }));
  return showing(KEPT.get(name), entries, value);
}

const oneOf = (...control) => kept(select, ...control);
const anyOf = (name, label, entries) => kept(several, name, label, entries, state[name], "further");

/** The formats of some cases, each with its codecs if there are several. */
function formatEntries(cases) {
  const formats = [...Map.groupBy(cases, ({ format }) => format)].sort(([a], [b]) => a.localeCompare(b));
  return formats.flatMap(([format, members]) => {
    const codecs = distinct(members.map(({ codec }) => codec)).sort();
    const below = codecs.map((codec) => ({ value: `${codec}/${format}`, text: codec, below: true }));
    return [{ value: format }, ...(codecs.length > 1 ? below : [])];
  });
}

/** The measured cases by their names, in groups of their libraries. */
function caseGroups(cases) {
  const libraries = [...Map.groupBy(cases, ({ library }) => library)].sort();
  return libraries.map(([label, members]) => ({ label, entries: members.map((row) => [row.case, row.name]) }));
}

const entries = (values, textOf) => distinct(values.sort()).map((value) => ({ value, text: textOf?.(value) }));

/** A list of the measured sizes; the run stays as long as it has the size that is chosen. */
function stopsControl({ stops, at }, name, label) {
  const choose = (value) => {
    const run = page.runs[current.run].id;
    go({ run, ...stopAt(current, name, Number(value)) });
  };
  const sizes = stops[name].map((size) => [String(size), count(size)]);
  return oneOf(name, label, sizes, String(at[name]), "", choose);
}

function controls(choice) {
  const { at, every, options, base } = choice;
  const classes = every.map((row) => row.checks).filter(Boolean);
  const filtered = LISTS.filter((name) => state[name].length).length;
  const ids = distinct(choice.runs.map((place) => page.runs[place].id));
  const open = () => {
    isOpened = !isOpened;
    show();
  };
  const reset = () => go({ library: [], format: [], checks: [] });
  const data = (value) => go({ workload: value, records: "", depth: "", run: "" });
  return [
    oneOf("workload", "Data", options.workload, at.workload, "", data),
    options.conditions.length > 1 && oneOf("conditions", "Conditions", options.conditions.map((one) => [one, conditionsText(one)]), at.conditions),
    oneOf("operation", "Operation", options.operation, at.operation),
    stopsControl(choice, "records", "Records"),
    stopsControl(choice, "depth", "Depth"),
    h(
      "button",
      { type: "button", id: "more", "aria-expanded": String(isOpened), click: open },
      `${isOpened ? "Fewer" : "More"} filters${filtered ? ` (${filtered} set)` : ""}`,
    ),
    anyOf("library", "Libraries", entries(every.map((row) => row.library))),
    anyOf("format", "Formats", formatEntries(every)),
    anyOf("checks", "Validation in decoding", entries(classes, classText)),
    oneOf("base", "I use today", [["", "nothing yet"], ...caseGroups(every)], base ? base.case : "", "further"),
    ids.length > 1 &&
      oneOf("run", "Run", [["", "most rows"], ...ids], ids.includes(state.run) ? state.run : "", "further"),
    filtered > 0 && h("button", { type: "button", id: "reset", class: "further", click: reset }, "Show all rows"),
    h("output", { id: "shown" }, shownWords(choice)),
    page.abouts[at.workload] && h("small", { class: "about further" }, `${at.workload}: ${page.abouts[at.workload]}`),
  ];
}

/** How many cases the filters leave: "12 of 58 shown"; nothing if they leave all. */
const shownWords = ({ shown, every }) =>
  shown.length < every.length ? `${count(shown.length)} of ${count(every.length)} shown` : "";

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
    ...run.warnings.map((text) => ["note", text]),
  ];
  const file = ([ending, href]) => h("a", { href, download: true }, ending.toUpperCase());
  const save = () => download(`${run.id}.csv`, csv(rows.filter((row) => page.runs[row.run] === run)), "text/csv");
  const data = run.files ? Object.entries(run.files).map(file) : h("button", { type: "button", click: save }, "CSV");
  return [h("h2", {}, "Source"), factList(facts), h("p", { class: "buttons" }, "Data of this run: ", data)];
}

/** The version that made the page, its contents, and omissions. */
function made() {
  const text = `Made by serbench ${page.serbench} from ${plural(page.runs.length, "run")} with ${plural(rows.length, "row")}.`;
  return h("p", {}, [text, ...page.left_out.map((one) => ` Omitted: ${one}.`)]);
}

function csv(list) {
  const cell = (value) => {
    const formula = typeof value === "string" && /^[=+\-@\t\r]/.test(value); // as csv_cell does in Python
    const text = value === null || value === undefined ? "" : `${formula ? "'" : ""}${value}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [page.fields, ...list.map((row) => page.fields.map((name) => row[name]))];
  return lines.map((line) => `${line.map(cell).join(",")}\n`).join("");
}

function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name.replace(/[^\w.-]+/g, "_") }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
