// The ranking: a dot with its interval for each case, in sections of one work class.

const LAST = Number.MAX_SAFE_INTEGER; // the place of a row that is not ranked

/** The rows in sections of one work class each, in order of rank. */
function sections(choice) {
  const measured = choice.shown.filter(isMeasured);
  return [...groupBy(measured, (row) => row.work_class || "work class not measured")].map(([name, rows]) => [
    name,
    rows.sort((a, b) => (choice.ranks.get(a) ?? LAST) - (choice.ranks.get(b) ?? LAST) || a.time_ns - b.time_ns),
  ]);
}

function rankingView(choice) {
  const boards = sections(choice);
  const measured = boards.flatMap(([, rows]) => rows);
  if (!measured.length) return { finding: nothing(choice), parts: [] };
  const scale0 = unitOf(measured.map((row) => row.time_ns));
  const scale = logScale(
    measured
      .flatMap((row) => [row.time_ns_low, row.time_ns, row.time_ns_high])
      .filter((v) => v > 0)
      .map((v) => v / scale0[0]),
  );
  const columns = {
    rank: "#",
    name: "case",
    value: "time",
    extra: choice.base ? "against the chosen" : "against the reference",
  };
  const reference = choice.base ? null : choice.board.find((row) => row.reference && isMeasured(row));
  const told = reference && `The reference is ${reference.name}, ${ownTime(reference.time_ns)}.`;
  const parts = boards.flatMap(([name, rows]) => [
    h("h3", {}, name),
    h(
      "div",
      { class: "lanes" },
      laneHead(scale, scale0[1], columns),
      first(
        choice,
        rows.map((row) => {
          const values = [row.time_ns_low ?? row.time_ns, row.time_ns, row.time_ns_high ?? row.time_ns].map(
            (value) => value / scale0[0],
          );
          return lane(scale, {
            rank: choice.ranks.text(row),
            tied: choice.ranks.tied(row),
            base: row.place === choice.base?.place,
            name: caseLabel(row),
            value: timeText(row.time_ns, scale0) + star(row),
            extra: against(choice, row),
            more: () => facts(choice, row),
            draw: [
              choice.base && baseRule(scale, choice.base.time_ns / scale0[0]),
              dotWithInterval(scale, page.marks, row, values, isOpen(row)),
            ],
          });
        }),
      ),
    ),
  ]);
  const found = lead(boards, choice.ranks);
  return {
    finding: leadText(found, page.verbs),
    about: found.section,
    parts: [shapesTable(choice), told && h("p", { id: "reference" }, told), ...parts],
    reading:
      "Dots are mean CPU times of one call for the whole document, lines their 95 % intervals over fresh processes; further left is faster. Rows share a rank such as 2= if no difference between them is proven. Work classes are ranked separately, because a library that checks every type does more work. Click a line for details.",
  };
}

/** The published shapes side by side, with their mean; it opens the page, and closes when data is chosen. */
function shapesTable({ state, at }) {
  const lines = page.shapes[at.operation];
  if (!lines) return null;
  const names = Object.keys(lines[0].shapes);
  const head = ["#", "library", "work class", `mean of ${names.length}`, ...names];
  return h(
    "details",
    { id: "shapes", open: !state.workload },
    h("summary", {}, `${at.operation}: ${lines.length} libraries over ${names.length} shapes of data`),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, head.map((name, place) => h("th", { class: place < 3 ? "" : "number" }, name)))),
        h("tbody", {}, lines.map(shapesLine)),
      ),
    ),
    h(
      "p",
      { class: "reading" },
      "Times divided by that of the fastest library, by shape, and their unweighted geometric mean. Each library has its strictest work class and its fastest codec.",
    ),
  );
}

function shapesLine({ library, checks, rank, mean, shapes }) {
  const number = (text) => h("td", { class: "number" }, text);
  const isChosen = state.library.includes(library);
  return h(
    "tr",
    { class: isChosen ? "base" : "" },
    h("td", {}, rank),
    h("th", { scope: "row" }, chip(library, page.marks), library),
    h("td", {}, checks),
    [mean, ...Object.values(shapes)].map(number),
  );
}

const baseRule = (scale, value) =>
  s("line", { class: "chosen", x1: percent(scale.at(value)), x2: percent(scale.at(value)), y1: 0, y2: "100%" });

VIEWS.ranking = { title: "Ranking", show: rankingView };
