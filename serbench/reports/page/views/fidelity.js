// The matrices: the outcome of every case with awkward values and wrong input, one cell each, with details on hover.

const LINE_PX = 18;
const NOTHING = " ";

/** The finding of each probe that a case has of a matrix, as [probe, finding, place of its column]. */
function findingsOf(one, matrix) {
  const { probes, findings, first_sign } = page.matrices;
  const found = [...one[matrix]].map((sign, place) => [
    probes[matrix][place],
    sign === NOTHING ? null : findings[sign.charCodeAt(0) - first_sign],
    place,
  ]);
  return found.filter(([, finding]) => finding !== null);
}

/** The selected cases; if none is selected and there are too many, one usual case per library. */
function casesOf(matrix) {
  const { cases, most } = page.matrices;
  const isOfFormat = ({ codec, format }) =>
    !state.format.length || [format, `${codec}/${format}`].some((name) => state.format.includes(name));
  const able = cases.filter((one) => one[matrix] && isOfLibrary(one) && isOfFormat(one));
  const isFew = state.library.length || state.format.length || state.all || able.length <= most;
  return [able, isFew ? able : able.filter((one) => one.usual)];
}

function matrixFinding(able, matrix) {
  if (!able.length) return "No case of this selection has been probed";
  if (matrix === "strictness") {
    const word = ({ work_class }) => (work_class ?? "").split(", ").slice(1).join(", ") || "unknown";
    const classes = [...groupBy(able, word)].sort(([, a], [, b]) => b.length - a.length);
    return `Of ${plural(able.length, "case")} ${classes.map(([name, { length }]) => `${count(length)} are ${name}`).join(", ")}`;
  }
  const having = (...outcomes) =>
    count(able.filter((one) => findingsOf(one, matrix).some(([, { outcome }]) => outcomes.includes(outcome))).length);
  return `${having("changed")} of ${plural(able.length, "case")} change a value without saying so; ${having("crashed", "timeout", "memory")} crash, hang or run out of memory`;
}

function matrixView(matrix) {
  const { outcomes, machines } = page.matrices;
  const [able, shown] = casesOf(matrix);
  const finding = page.matrices.cases.length ? matrixFinding(able, matrix) : "No case has been probed";
  if (!able.length) {
    const how = h("p", {}, "serbench verify --all determines what cases preserve and refuse.");
    return { finding, parts: [matrixControls(matrix), page.matrices.cases.length ? null : how] };
  }
  const met = new Set(shown.flatMap((one) => findingsOf(one, matrix).map(([, { outcome }]) => outcome)));
  const legend = Object.entries(outcomes[matrix])
    .filter(([name]) => met.has(name))
    .map(([name, colour]) => h("li", {}, swatch(colour), name));
  const rest = able.length - shown.length;
  return {
    finding,
    parts: [
      matrixControls(matrix),
      h("ul", { class: "legend" }, legend),
      h(
        "div",
        { class: "lanes unranked matrix" },
        h(
          "div",
          { class: "line head" },
          h("span", { class: "name" }, "case"),
          h("span", { class: "lane" }, h("small", {}, `${plural(page.matrices.probes[matrix].length, "probe")}, one after the other`)),
          h("span", { class: "value" }, matrix === "fidelity" ? "exact" : "rejected"),
          h("span", { class: "extra" }, "work class"),
        ),
        shown.map((one) => matrixLine(one, matrix)),
      ),
      rest > 0 &&
        h(
          "p",
          {},
          `One case per library; select a library or format to see ${count(rest)} others. `,
          h("button", { type: "button", click: () => go({ all: "1" }) }, `Show all ${count(able.length)}`),
        ),
      h("p", { class: "where" }, `Probed on ${datesOf(able)}${machines.length ? `: ${machines.join("; ")}` : ""}`),
    ],
    reading:
      "A cell is one probe: an awkward value that is encoded and decoded, or a wrong input. Hover over it to see the decoded value or the error; open a line to read all problems.",
  };
}

function datesOf(cases) {
  const dates = [...new Set(cases.map(({ date }) => date.slice(0, 10)).filter(Boolean))].sort();
  return [...new Set([dates[0], dates.at(-1)])].join(" to ") || "an unknown date";
}

function matrixControls(matrix) {
  const cases = page.matrices.cases.filter((one) => one[matrix]);
  const names = (name) => [...new Set(cases.map((one) => one[name]))].sort();
  const formats = names("format").flatMap((format) => {
    const codecs = [...new Set(cases.filter((one) => one.format === format).map(({ codec }) => codec))].sort();
    const below = codecs.length > 1 ? codecs.map((codec) => [`${codec}/${format}`, codec, true]) : [];
    return [[format, format, false], ...below];
  });
  return h(
    "div",
    { class: "fields" },
    several("library", "Libraries", names("library").map((name) => [name, name, false])),
    several("format", "Formats", formats),
  );
}

/** One case: a strip of cells, drawn as one path per outcome, and its problems as text. */
function matrixLine(one, matrix) {
  const colours = page.matrices.outcomes[matrix];
  const wide = page.matrices.probes[matrix].length;
  const found = findingsOf(one, matrix);
  const [good] = Object.keys(colours);
  const paths = [...groupBy(found, ([, { outcome }]) => outcome)].map(([outcome, members]) =>
    s("path", { fill: colours[outcome], d: members.map(([, , place]) => `M${place} 0h.86v1h-.86z`).join("") }),
  );
  const strip = s(
    "svg",
    { class: "strip", height: LINE_PX, viewBox: `0 0 ${wide} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
    paths,
  );
  const at = new Map(found.map(([probe, finding, place]) => [place, [probe, finding]]));
  strip.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse") return; // touch opens the line
    const box = strip.getBoundingClientRect();
    tell(event, at.get(Math.floor(((event.clientX - box.left) / box.width) * wide)));
  });
  strip.addEventListener("pointerleave", () => tell(null));
  const fine = found.filter(([, { outcome }]) => outcome === good).length;
  const line = lane(
    { ticks: [] },
    {
      name: h("span", { class: "case" }, chip(one.library, page.marks), one.name),
      value: `${fine}/${found.length}`,
      extra: one.work_class ?? "",
      draw: null,
      more: () => matrixFacts(found, good),
    },
  );
  line.querySelector(".lane").replaceChildren(strip);
  return line;
}

/** A probe's finding as lines of text. */
const findingLines = ({ outcome, names, detail, written }) =>
  [
    outcome + (names === undefined ? "" : `, ${names ? "and the error names the field" : "without naming the field"}`),
    detail,
    written && `written: ${written}`,
  ].filter(Boolean);

function matrixFacts(found, good) {
  const bad = found.filter(([, { outcome }]) => outcome !== good);
  const line = ([probe, finding]) =>
    h("tr", {}, h("th", {}, probe), h("td", {}, finding.outcome), h("td", {}, findingLines(finding).slice(1).join("; ")));
  const table = h("div", { class: "wide" }, h("table", {}, h("tbody", {}, bad.map(line))));
  return h("div", { class: "facts" }, bad.length ? table : `Every probe was ${good}.`);
}

/** Show a cell's finding next to the pointer, or hide it. */
function tell(event, cell) {
  const tip = document.getElementById("tip") ?? document.body.appendChild(h("div", { id: "tip", role: "tooltip" }));
  tip.hidden = !cell;
  if (!cell) return;
  const [probe, finding] = cell;
  tip.replaceChildren(h("b", {}, probe), ...findingLines(finding).map((text) => h("div", {}, text)));
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 12))}px`;
  tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18}px`;
}

VIEWS.fidelity = { title: "Fidelity", show: () => matrixView("fidelity"), isAlone: true };
VIEWS.strictness = { title: "Strictness", show: () => matrixView("strictness"), isAlone: true };
