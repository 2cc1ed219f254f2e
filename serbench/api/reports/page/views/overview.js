// The overview: every workload and library at once by validation, a cell for the ratio to the fastest of its class.

function overviewView() {
  const operations = Object.keys(page.overview);
  const operation = operations.includes(state.operation) ? state.operation : operations[0];
  const { workloads, groups } = page.overview[operation];
  const link = (number, text, ...told) => {
    const { at, run } = page.boards[number];
    const point = Object.fromEntries(POINT.map((name) => [name, String(at[name])]));
    const chosen = { ...EMPTY, theme: state.theme, view: "ranking", ...point, run: page.runs[run].id };
    const act = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens the link elsewhere
      event.preventDefault();
      go(chosen);
    };
    return h("a", { href: addressOf(chosen), click: act, "data-tip": told.join("\n") }, text);
  };
  const heads = workloads.map(([name, number]) => {
    const { at, cases } = page.boards[number];
    return link(number, name, name, pointWords({ ...at, workload: "" }), `${plural(cases, "combination")} measured`);
  });
  const line = ([library, cells], work) => {
    const cell = (told, place) => {
      if (!told) return h("td", { class: "none" });
      const [text, share] = told;
      const [name, number] = workloads[place];
      const found = h("td", {}, link(number, text, `${library}, ${name}`, `${text} the time of the fastest: ${work}`));
      found.style.setProperty("--shade", `${Math.round(62 * share)}%`);
      return found;
    };
    return tableLine("td", [h("th", { scope: "row" }, chip(library, page.marks), library), ...cells.map(cell)]);
  };
  const names = new Set(groups.flatMap(([, libraries]) => libraries.map(([name]) => name)));
  const lines = groups.flatMap(([work, libraries]) => [
    h("tr", {}, h("th", { scope: "rowgroup", colspan: workloads.length + 1 }, work)),
    ...libraries.map((one) => line(one, work)),
  ]);
  const matrix = table(["library", ...heads], lines, [], { class: "map overview" });
  const links = (line) => [...line.children].slice(1).map((one) => one.querySelector("a"));
  roving(matrix, [...matrix.rows].flatMap(links), workloads.length);
  const by = oneOf("overviewed", "Operation", operations, operation, "", (chosen) => go({ operation: chosen }));
  return {
    finding: `Time to ${operation}, as a multiple of the fastest with the same validation`,
    about: `${names.size} libraries · ${workloads.length} workloads · varied documents · each at the size with most rows`,
    parts: [h("div", { class: "fields" }, by), scrolled("Libraries and workloads", matrix)],
    reading:
      "1× is the fastest of its group; a stronger colour is slower, within its column. A cell is the library's " +
      "fastest codec and opens the ranking of all groups. A blank cell was not measured with this validation.",
  };
}

VIEWS.overview = { title: "Overview", show: overviewView, isAlone: true };
