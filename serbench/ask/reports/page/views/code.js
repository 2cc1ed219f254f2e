// The measured code of a case.

function codeView(choice) {
  const cases = [...groupBy(choice.shown, (row) => row.case).values()].map(([row]) => row);
  const row =
    cases.find((one) => one.case === choice.state.case) ||
    choice.board.find((one) => one.case === choice.state.case) ||
    cases[0];
  if (!row) return { finding: nothing(choice), parts: [] };
  const listed = cases.includes(row) ? cases : [row, ...cases];
  const places = row.source_sha256 === null ? undefined : page.sources[row.source_sha256];
  const picker = h(
    "div",
    { class: "fields" },
    h(
      "label",
      {},
      "Case",
      h(
        "select",
        { id: "case", change: (event) => go({ case: event.target.value }) },
        listed.map((one) => h("option", { value: one.case, selected: one === row }, one.case)),
      ),
    ),
  );
  if (!places) {
    const why =
      row.source_sha256 === null
        ? `It was not rendered: ${row.status}: ${reasonOf(row)}`
        : `The module with the sha256 ${row.source_sha256.slice(0, 12)}… is not included in this page${page.left_out.length ? "" : ", and serbench renders a different one today"}. For today's: serbench show "${row.library}[${row.variant}]" ${row.codec}/${row.format} --workload ${row.workload}`;
    return { finding: `No code of ${row.name}`, parts: [picker, h("p", { class: "note" }, why)] };
  }
  const source = places.map((place) => page.lines[place]).join("\n");
  const code = lit(source);
  const copy = h("button", { type: "button", id: "copy", click: () => copied(copy, source, code) }, "Copy");
  return {
    finding: `The code of ${row.name} that was measured`,
    parts: [
      picker,
      h(
        "p",
        { class: "buttons" },
        copy,
        h(
          "button",
          { type: "button", click: () => download(`${row.library}_${row.codec}.py`, source, "text/x-python") },
          "Save as a file",
        ),
        h(
          "small",
          {},
          `sha256 ${row.source_sha256.slice(0, 12)} · ${row.workload} · ${plural(row.records, "record")} · depth ${row.depth} · ${row.conditions}`,
        ),
      ),
      h("pre", { tabindex: 0 }, code),
    ],
  };
}

VIEWS.code = { title: "Code", show: codeView };
