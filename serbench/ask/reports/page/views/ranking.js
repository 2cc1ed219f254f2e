// The ranking: a dot with its interval for each case, in sections of one work class.

const LAST = Number.MAX_SAFE_INTEGER; // the place of a row that is not ranked

/** Rows in sections of one work class each, in order of rank. */
function sections(rows, ranks) {
  return [...groupBy(rows, (row) => classText(row.work_class) || "work class not measured")].map(([name, members]) => [
    name,
    members.sort((a, b) => (ranks.get(a) ?? LAST) - (ranks.get(b) ?? LAST) || a.time_ns - b.time_ns),
  ]);
}

/** The sections of a field: what is not of the shown run stands where its time is, greyed if it is of elsewhere. */
function fieldSections({ held, ranks }) {
  const { elsewhere, timed, guess, isMixed } = held;
  const found = sections([...timed, ...elsewhere], ranks);
  if (isMixed) for (const [, members] of found) members.sort((a, b) => guess(a) - guess(b));
  return found;
}

function rankingView(choice) {
  const { held } = choice;
  const measured = held.timed;
  if (!measured.length) return { finding: nothing(choice), parts: [] };
  const scale0 = unitOf(measured.map((row) => row.time_ns));
  const scale = logScale(
    measured
      .flatMap((row) => [row.time_ns_low, row.time_ns, row.time_ns_high, twinOf(choice, row)?.time_ns])
      .filter((v) => v > 0)
      .map((v) => v / scale0[0]),
  );
  const columns = {
    rank: "#",
    name: "case",
    value: "time",
    extra: choice.base ? "against the chosen" : choice.first ? "against the fastest" : "against the reference",
  };
  const reference = choice.base || choice.first ? null : choice.board.find((row) => row.reference && isMeasured(row));
  const told = reference && `The reference is ${reference.name}, ${ownTime(reference.time_ns)}.`;
  const parts = fieldSections(choice).flatMap(([name, rows]) => [
    h("h3", {}, name),
    lanes(
      choice.others.size ? "twins" : "",
      `Times of ${name}`,
      laneHead(scale, scale0[1], columns),
      first(
        choice,
        rows.map((row) => {
          const values = [row.time_ns_low ?? row.time_ns, row.time_ns, row.time_ns_high ?? row.time_ns].map(
            (value) => value / scale0[0],
          );
          return lane(scale, {
            rank: held.isMixed ? "" : choice.ranks.text(row), // ranks are of one run
            tied: !held.isMixed && choice.ranks.tied(row),
            base: row.place === choice.base?.place,
            name: caseLabel(row),
            more: () => facts(choice, row),
            ...(held.elsewhere.includes(row)
              ? { away: true, value: "", extra: "", draw: s("text", { x: 4, y: 15 }, elsewhereText(row)) }
              : {
                  value: timeText(row.time_ns, scale0) + star(row),
                  extra: row.interpolated ? "between measured sizes" : twinText(choice, row) || against(choice, row),
                  draw: [
                    choice.base && held.shown.length > 0 && baseRule(scale, choice.base.time_ns / scale0[0]),
                    row.interpolated
                      ? band(scale, page.marks, row, values)
                      : dotWithInterval(scale, page.marks, row, values, isOpen(row)),
                    twinOf(choice, row) &&
                      twinMark(percent(scale.at(twinOf(choice, row).time_ns / scale0[0])), page.marks[row.library][0]),
                  ],
                }),
          });
        }),
      ),
    ),
  ]);
  const key = keyOf(
    [[sampleLine(), sampleMark()], "mean CPU time of one call, with its 95 % interval over fresh processes"],
    openKey(measured.filter((row) => !row.interpolated)),
    measured.some((row) => row.interpolated) && [
      sampleLine({ class: "band", "stroke-width": 9 }),
      "somewhere here: it lies between measured sizes",
    ],
    choice.others.size > 0 && [twinMark(15), page.runs[choice.run].published ? "this machine" : "the published run"],
    choice.base && held.shown.length > 0 && [s("line", { class: "chosen", x1: 15, x2: 15, y2: 14 }), "what you use today"],
  );
  const boards = sections(held.shown.filter(isMeasured), choice.ranks);
  const found = boards.length ? lead(boards, choice.ranks) : null;
  return {
    finding: fieldText(held, found, page.verbs, Math.max(...[...held.runs].map((number) => page.runs[number].least))),
    about: found?.section,
    parts: [todayPart(choice), shapesTable(choice), told && h("p", { id: "reference" }, told), key, ...parts],
    reading:
      "Further left is faster. Rows share a rank such as 2= if no difference between them is proven. Work classes are " +
      "ranked separately, because a library that checks every type does more work. A grey case was not measured at " +
      "this size, and stands where its time would be. Click a line for details.",
  };
}

const twinOf = (choice, row) => choice.others.get(caseName(row));
/** A time of the other machine: a stroke, as no library has. */
const twinMark = (x, stroke = GREY) => s("line", { class: "twin", x1: x, x2: x, y1: "10%", y2: "90%", stroke });

/** How the other machine compares: that of the published results, or one's own. */
function twinText(choice, row) {
  const twin = twinOf(choice, row);
  if (!twin) return "";
  const isPublished = page.runs[twin.run].published;
  const [here, there] = isPublished ? [row, twin] : [twin, row];
  return (
    `${isPublished ? "published" : "here"} ${ownTime(twin.time_ns)}: ` +
    `${factorText(here.time_ns / there.time_ns)} here`
  );
}

/** The published shapes side by side, with their mean: a line that opens the table. */
function shapesTable({ at }) {
  const lines = page.shapes[at.operation];
  if (!lines || host) return null; // the explorer has rows of one shape
  const names = Object.keys(lines[0].shapes);
  const first = lines.slice(0, 4).map(({ library, mean }) => `${library} ${mean}`);
  const head = ["#", "library", "work class", `mean of ${names.length}`, ...names];
  return h(
    "details",
    { id: "shapes" },
    h("summary", {}, `Over ${names.length} shapes of data, mean time to ${at.operation}: ${first.join(", ")}${lines.length > 4 ? " …" : ""}`),
    scrolled(
      "Libraries over shapes of data",
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            head.map((name, place) => h("th", { class: place < 3 ? "" : "number" }, name)),
          ),
        ),
        h("tbody", {}, lines.map(shapesLine)),
      ),
    ),
    h(
      "p",
      { class: "reading" },
      "Times divided by that of the fastest library, by shape, and their unweighted geometric " +
        "mean. Each library has its strictest work class and its fastest codec.",
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
