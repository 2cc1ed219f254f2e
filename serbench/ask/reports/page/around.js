// The parts around a view: controls, cases not measured, provenance and downloads.

let panel = null;
let isOpened = false;

function select(name, label, options, value, { text = (one) => one, kind = null } = {}) {
  return h(
    "label",
    { class: kind },
    label,
    h(
      "select",
      { id: name, change: (event) => go({ [name]: event.target.value }) },
      options.map((one) => h("option", { value: one, selected: one === value }, text(one))),
    ),
  );
}

/** A list of check boxes in a collapsible panel; no box ticked means all. */
function several(name, label, options) {
  // always among the further ones
  const ticked = state[name];
  const boxes = options.map(([value, text, below]) =>
    h(
      "label",
      { class: below ? "check below" : "check" },
      h("input", {
        type: "checkbox",
        value,
        checked: ticked.includes(value),
        change: (event) => {
          panel = name;
          go({ [name]: event.target.checked ? [...ticked, value] : ticked.filter((one) => one !== value) });
        },
      }),
      text,
    ),
  );
  const shown =
    ticked.length === 0 ? "all" : ticked.length <= 2 ? ticked.join(", ") : `${ticked.length} of ${options.length}`;
  return h(
    "div",
    { class: "several further" },
    h("span", { class: "caption", id: `${name}-caption` }, label),
    h(
      "details",
      {
        name: "panel",
        id: name,
        open: panel === name,
        toggle: (event) => {
          if (event.target.open) panel = name;
          else if (panel === name) panel = null;
        },
      },
      h("summary", { "aria-describedby": `${name}-caption` }, shown),
      h(
        "div",
        { class: "panel" },
        ticked.length
          ? h(
              "button",
              {
                type: "button",
                click: () => {
                  panel = name;
                  go({ [name]: [] });
                },
              },
              "All",
            )
          : null,
        boxes,
      ),
    ),
  );
}

function controls(choice) {
  const { at, here, ofOperation } = choice;
  const numbers = (name) =>
    [...new Set([...ofOperation.filter(isMeasured).map((row) => row[name]), at[name]])]
      .sort((a, b) => a - b)
      .map(String);
  const formats = [...groupBy(here, (row) => row.format)]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([format, members]) => {
      const codecs = [...new Set(members.map((row) => row.codec))].sort();
      return [
        [format, format, false],
        ...(codecs.length > 1 ? codecs.map((codec) => [`${codec}/${format}`, codec, true]) : []),
      ];
    });
  const libraries = [...new Set(here.map((row) => row.library))].sort().map((name) => [name, name, false]);
  const classes = [...new Set(here.map((row) => row.checks).filter(Boolean))]
    .sort()
    .map((name) => [name, classText(name), false]);
  const cases = [...new Set(choice.board.filter(isMeasured).map((row) => row.case))].sort();
  const filtered = LISTS.filter((name) => state[name].length).length;
  const ids = choice.runs.map((place) => page.runs[place].id);
  return [
    select("workload", "Workload", [...new Set(rows.map((row) => row.workload))], at.workload),
    choice.allConditions.length > 1 && select("conditions", "Conditions", choice.allConditions, at.conditions),
    select("operation", "Operation", choice.operations, at.operation),
    select("records", "Records", numbers("records"), String(at.records), { text: (one) => count(Number(one)) }),
    select("depth", "Depth", numbers("depth"), String(at.depth)),
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
    several("library", "Libraries", libraries),
    several("format", "Formats", formats),
    several("checks", "Work class in decoding", classes),
    select("base", "I use today", ["", ...cases], choice.base ? choice.base.case : "", {
      text: (one) => one || "nothing yet",
    }),
    ids.length > 1 &&
      select("run", "Run", ["", ...ids], ids.includes(state.run) ? state.run : "", {
        text: (one) => one || "the most complete",
        kind: "further",
      }),
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
