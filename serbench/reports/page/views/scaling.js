// Scaling: time per record against records and depth, a map of both, and how deep each library has gone.

function scalingView(choice) {
  const { records, depth, workload, operation } = choice.at;
  const shown = series(choice.everywhere, records, depth);
  const finding = scalingFinding(shown, records, depth);
  if (!shown.length) return { finding: nothing(choice), parts: [] };
  const scale0 = unitOf(shown.flat().map((row) => row.time_per_record_ns));
  const ys = logScale(shown.flat().map((row) => row.time_per_record_ns / scale0[0]));
  const formats = [...new Set(shown.map(([row]) => `${row.codec}/${row.format}`))];
  const dash = ([row]) => ["", "6 4", "2 3", "8 3 2 3", "12 5"][formats.indexOf(`${row.codec}/${row.format}`) % 5];
  const panel = (along, fixed, other, title) => (width) => {
    const here = shown.map((members) =>
      members.filter((row) => row[fixed] === other).sort((a, b) => a[along] - b[along]),
    );
    const values = [...new Set(here.flat().map((row) => row[along]))].sort((a, b) => a - b);
    const xs = values.length <= 10 ? { ...logScale(values), ticks: values } : logScale(values);
    return chart({
      width,
      height: 330,
      xs,
      ys,
      xTitle: title,
      yTitle: `${scale0[1]} per record`,
      label: `${scale0[1]} per record against ${title}`,
      draw: (x, y) =>
        here
          .filter((members) => members.length)
          .map((members) =>
            s(
              "g",
              { class: "series", "data-case": members[0].case },
              s("polyline", {
                points: members.map((row) => `${x(row[along])},${y(row.time_per_record_ns / scale0[0])}`).join(" "),
                fill: "none",
                stroke: page.marks[members[0].library][0],
                "stroke-width": 1.6,
                "stroke-dasharray": dash(members),
              }),
              members.map((row) =>
                mark(page.marks[row.library], x(row[along]), y(row.time_per_record_ns / scale0[0]), {
                  open: isOpen(row),
                  title: `${row.name}, ${plural(row.records, "record")}, depth ${row.depth}: ${timeText(row.time_per_record_ns, scale0)} per record`,
                }),
              ),
            ),
          ),
    });
  };
  const legend = h(
    "ul",
    { class: "legend" },
    shown.map((members) =>
      h(
        "li",
        {
          mouseenter: () => emphasise(members[0].case),
          mouseleave: () => emphasise(null),
        },
        s(
          "svg",
          { class: "stroke", viewBox: "0 0 30 14" },
          s("line", {
            x1: 0,
            x2: 30,
            y1: 7,
            y2: 7,
            stroke: page.marks[members[0].library][0],
            "stroke-width": 1.6,
            "stroke-dasharray": dash(members),
          }),
          mark(page.marks[members[0].library], 15, 7),
        ),
        members[0].label,
        " + ",
        members[0].codec_label,
      ),
    ),
  );
  const several = (name) => new Set(choice.everywhere.filter(isMeasured).map((row) => row[name])).size > 1;
  const limits = page.limits.filter(
    (one) =>
      one.group === page.runs[choice.run].group &&
      one.workload === workload &&
      one.operation === operation &&
      isOfLibrary(one),
  );
  const alone = !several("records") && !several("depth");
  const command = `serbench run --workload ${workload} --records 1,100,10000 --depth ${[...new Set([1, 2, 8, depth])].sort((a, b) => a - b)}`;
  return {
    finding,
    parts: [
      alone &&
        h("p", { class: "note" }, "To see how time grows, measure more sizes and depths: ", h("code", {}, command)),
      h(
        "div",
        { class: "pair" },
        drawn(panel("records", "depth", depth, `records, at depth ${depth}`)),
        drawn(panel("depth", "records", records, `depth, with ${plural(records, "record")}`)),
      ),
      legend,
      ...(several("records") && several("depth")
        ? [
            h("h3", {}, `${scale0[1]} per record at each size and depth`),
            h(
              "div",
              { class: "maps" },
              shown.map((members) => map(members, scale0)),
            ),
          ]
        : []),
      ...(limits.length ? [h("h3", {}, "How deep each library has gone"), limitTable(limits)] : []),
    ],
    reading: `CPU time per record; a level line is time in proportion to the data. Runs on the same machine with the same settings stand together. Of more than ${MOST_LINES} cases each library's fastest is shown.`,
  };
}

function emphasise(name) {
  for (const group of document.querySelectorAll(".series"))
    group.classList.toggle("pale", name !== null && group.dataset.case !== name);
}

/** A case's times as a table of records and depth, darker where slower; what is missing says so. */
function map(members, [size, unit]) {
  const sizes = [...new Set(members.map((row) => row.records))].sort((a, b) => a - b);
  const depths = [...new Set(members.map((row) => row.depth))].sort((a, b) => a - b);
  const logs = members.map((row) => Math.log(row.time_per_record_ns)),
    low = Math.min(...logs),
    wide = Math.max(...logs) - low;
  const cell = (records, depth) => {
    const row = members.find((one) => one.records === records && one.depth === depth);
    if (!row) return h("td", { class: "none", title: "not measured" }, "–");
    const shade = wide ? (Math.log(row.time_per_record_ns) - low) / wide : 0;
    const found = h(
      "td",
      { title: `${timeText(row.time_per_record_ns, [size, unit])} per record` },
      threeDigits(row.time_per_record_ns / size),
    );
    found.style.setProperty("--shade", `${Math.round(8 + 62 * shade)}%`);
    return found;
  };
  return h(
    "figure",
    { class: "map" },
    h("figcaption", {}, caseLabel(members[0])),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, "depth ╲ records"),
          sizes.map((records) => h("th", {}, count(records))),
        ),
      ),
      h(
        "tbody",
        {},
        depths.map((depth) =>
          h(
            "tr",
            {},
            h("th", {}, depth),
            sizes.map((records) => cell(records, depth)),
          ),
        ),
      ),
    ),
  );
}

function limitTable(limits) {
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, "library"),
          h("th", { class: "number" }, "deepest that worked"),
          h("th", {}, "failed at"),
        ),
      ),
      h(
        "tbody",
        {},
        limits.map((one) =>
          h(
            "tr",
            {},
            h("td", {}, chip(one.library, page.marks), one.library),
            h("td", { class: "number" }, one.deepest === null ? "none" : count(one.deepest)),
            h(
              "td",
              { class: "reason" },
              one.failed_at === null ? "not seen to fail" : `${count(one.failed_at)}: ${one.reason}`,
            ),
          ),
        ),
      ),
    ),
  );
}

VIEWS.scaling = { title: "Scaling", show: scalingView };
