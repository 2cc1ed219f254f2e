// Scaling: time per record against records and depth.

const DASHES = ["", "6 4", "2 3", "8 3 2 3", "12 5"];
const perRecord = (row) => row.time_per_record_ns;

function scalingView(choice) {
  const { records, depth } = choice.at;
  const { scaling } = choice.board;
  if (!scaling) return { finding: "Only one size was measured here", parts: [howToGrow(choice.board)] };
  const every = linesOf(choice);
  const shown = every.filter(([row]) => row.case === choice.base?.case || fits(row));
  const unit = unitOf(every.flat().map(perRecord));
  const look = lookOf(every, unit);
  const legend = shown.map((members) => legendEntry(members, look));
  return {
    finding: scaling.title,
    parts: [
      h(
        "div",
        { class: "pair" },
        drawn(growth(shown, look, "records", "depth", depth, `records, at depth ${count(depth)}`)),
        drawn(growth(shown, look, "depth", "records", records, `depth, with ${plural(records, "record")}`)),
      ),
      keyOf(
        [[sampleLine({ x1: 15, x2: 15, y1: 0, y2: 14 }), sampleMark()], "time per record, with its 95% interval"],
        openKey(shown.flat()),
        ...look.dashes.map(([dash, names]) => [sampleLine({ "stroke-dasharray": dash }), `codec ${names.join(", ")}`]),
      ),
      h("ul", { class: "legend" }, legend),
    ],
    reading: "A horizontal line means time in proportion to the data.",
  };
}

/** The rows of each listed case at all sizes of its run, and before them those of what the reader uses today. */
function linesOf({ board, base }) {
  const listed = board.scaling.lines.map((number) => rowOf(board, number));
  const cases = base ? [base, ...listed.filter((row) => row.case !== base.case)] : listed;
  return cases.map((row) => sizesOf(row).filter(isMeasured));
}

const sizesOf = (row) =>
  rows.filter((one) => ["run", "workload", "conditions", "operation", "case"].every((name) => one[name] === row[name]));

function howToGrow({ grow }) {
  if (!grow) return null;
  if (host) return h("p", { class: "note" }, "To measure several sizes, set “Run varies” to “records” and press Run.");
  return h("p", { class: "note" }, "To see how time grows, measure more sizes: ", h("code", {}, grow));
}

/** The lines' common unit and scale, and a dash pattern for each codec. */
function lookOf(shown, unit) {
  const codecs = distinct(shown.map(([row]) => row.codec_label));
  const dashOf = (name) => DASHES[codecs.indexOf(name) % DASHES.length];
  const dashes = codecs.length > 1 ? [...Map.groupBy(codecs, dashOf)] : [];
  const stroke = ([row]) => ({
    stroke: page.marks[row.library][0],
    "stroke-width": 1.6,
    "stroke-dasharray": dashOf(row.codec_label),
  });
  return { unit, stroke, dashes, ys: logScale(shown.flat().map((row) => perRecord(row) / unit[0])) };
}

/** Draw the lines along one parameter, at one value of the other. */
function growth(shown, look, along, fixed, other, title) {
  const here = shown.map((members) => members.filter((row) => row[fixed] === other));
  const lines = here.filter((members) => members.length).map((members) => members.sort((a, b) => a[along] - b[along]));
  const values = distinct(lines.flat().map((row) => row[along])).sort((a, b) => a - b);
  if (values.length < 2) return () => h("p", { class: "note" }, `One size of ${along} is measured here.`);
  const xs = values.length <= 10 ? { ...logScale(values), ticks: values } : logScale(values);
  const yTitle = `${look.unit[1]} per record`;
  const draw = (x, y) => lines.map((members) => growthLine(members, look, (row) => x(row[along]), y));
  const label = `${yTitle} against ${title}`;
  return (width) => chart({ width, height: 330, xs, ys: look.ys, xTitle: title, yTitle, label, draw });
}

function growthLine(members, look, x, y) {
  const at = (row, time_ns) => y(time_ns / row.records / look.unit[0]);
  const points = members.map((row) => `${x(row)},${at(row, row.time_ns)}`).join(" ");
  const dot = (row) => {
    const size = `${plural(row.records, "record")}, depth ${count(row.depth)}`;
    const tip = [row.name, size, `${timeText(perRecord(row), look.unit)} per record`].join("\n");
    const ends = {
      x1: x(row),
      x2: x(row),
      y1: at(row, row.time_ns_low ?? row.time_ns),
      y2: at(row, row.time_ns_high ?? row.time_ns),
    };
    return [
      s("line", { ...ends, stroke: page.marks[row.library][0] }),
      mark(page.marks[row.library], x(row), at(row, row.time_ns), { open: isOpen(row), tip }),
    ];
  };
  return s(
    "g",
    { class: "series" },
    s("polyline", { points, fill: "none", ...look.stroke(members) }),
    members.map(dot),
  );
}

function legendEntry(members, look) {
  const [row] = members;
  const line = sample(sampleLine(look.stroke(members)), mark(page.marks[row.library], 15, 7));
  return h("li", {}, line, row.label, row.rest);
}

VIEWS.scaling = { title: "Scaling", show: scalingView };
