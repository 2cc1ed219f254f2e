// Costs besides time: memory, start, size and threads, as the tables of their files.

function costsView() {
  const { costs } = page;
  if (!costs.length)
    return {
      finding: "No costs besides time were measured",
      parts: [h("p", {}, "serbench weigh determines them.")],
    };
  return {
    finding: `Costs besides time: ${costs.map(({ name }) => name).join(", ")}`,
    parts: costs.map(costPart),
    reading:
      "Each figure is a median over fresh processes; the brackets contain a 95% confidence interval of the median over all " +
      "processes.",
  };
}

function costPart({ name, command, about, tables }) {
  const lines = tables.reduce((sum, one) => sum + one.lines.length, 0);
  return h(
    "details",
    { class: "costs", open: true },
    h("summary", {}, h("b", {}, name), ` ${plural(lines, "line")}`),
    tables.map(costTable),
    h("p", { class: "where" }, h("code", {}, command), h("br"), about.join(" · ")),
  );
}

function costTable({ title, headings, numbers, lines, notes }) {
  const kinds = numbers.map((isNumber) => (isNumber ? "number" : ""));
  return [
    title && h("h3", {}, title),
    lines.length > 0 && scrolled(title || "Costs", table(headings, lines, kinds)),
    notes.length > 0 &&
      h(
        "ul",
        {},
        notes.map((note) => h("li", {}, note)),
      ),
  ];
}

VIEWS.costs = { title: "Costs", show: costsView, isAlone: true };
