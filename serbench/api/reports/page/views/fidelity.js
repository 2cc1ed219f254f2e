// The matrices: the outcomes of every case with awkward values and wrong input, a line each; an open line tells its problems.

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
  const able = cases.filter((one) => one[matrix] && isOfLibrary(one) && isOfFormat(one));
  const isFew = state.library.length || state.format.length || state.all || able.length <= most;
  return [able, isFew ? able : able.filter((one) => one.usual)];
}

function matrixView(matrix) {
  if (!page.matrices) return { finding: "Loading the outcomes of the probes…", parts: [] };
  const { outcomes, machines, cases, titles } = page.matrices;
  const [able, shown] = casesOf(matrix);
  const finding = titles[matrix];
  if (!able.length) {
    const how = h("p", {}, "serbench verify --all finds what each combination preserves and rejects.");
    return { finding, parts: [matrixControls(matrix), cases.length ? null : how] };
  }
  const met = new Set(shown.flatMap((one) => findingsOf(one, matrix).map(([, { outcome }]) => outcome)));
  const known = Object.entries(outcomes[matrix]).filter(([name]) => met.has(name));
  const legend = known.map(([name, colour]) => h("li", {}, swatch(colour), name));
  const rest = able.length - shown.length;
  const all = h("button", { type: "button", click: () => go({ all: "1" }) }, `Show all ${count(able.length)}`);
  const probed = cases.filter((one) => one[matrix]).length;
  return {
    finding,
    about: able.length < probed && `${count(able.length)} of ${count(probed)} shown`,
    parts: [
      matrixControls(matrix),
      h("ul", { class: "legend" }, legend),
      lanes(
        "unranked matrix",
        `${VIEWS[matrix].title} by library + format`,
        lineHead({ name: "library + format", value: Object.keys(outcomes[matrix])[0], extra: "validation" }, typeHeads(matrix)),
        shown.map((one) => matrixLine(one, matrix)),
      ),
      rest > 0 && h("p", {}, `One row per library; select a library or format to see ${count(rest)} others. `, all),
      h("p", { class: "where" }, `Probed on ${datesOf(able)}${machines.length ? `: ${machines.join("; ")}` : ""}`),
    ],
    reading:
      "A cell holds all probes of a type, each in the colour of its outcome: awkward values " +
      "that are encoded and decoded, or wrong inputs. Open a line, and in it a type, to read every problem.",
  };
}

function datesOf(cases) {
  const dates = cases.map(({ date }) => date.slice(0, 10)).filter(Boolean).sort();
  return distinct([dates[0], dates.at(-1)]).join(" to ") || "an unknown date";
}

function matrixControls(matrix) {
  if (host) return null; // the explorer has these controls above
  const cases = page.matrices.cases.filter((one) => one[matrix]);
  return h(
    "div",
    { class: "fields" },
    anyOf("library", "Libraries", entries(cases.map(({ library }) => library))),
    anyOf("format", "Formats", formatEntries(cases)),
  );
}

/** The types of probes in their order, each with the names of its probes. */
function typesOf(matrix) {
  const { values, at } = page.matrices.types[matrix];
  const typed = page.matrices.probes[matrix].map((probe, place) => [probe, values[at[place]]]);
  return [...Map.groupBy(typed, ([, type]) => type)].map(([type, members]) => [type, members.map(([probe]) => probe)]);
}

/** The names of the types above their cells. */
function typeHeads(matrix) {
  const types = typesOf(matrix);
  const at = (place) => percent((place + 0.2) / types.length);
  const head = ([name], place) =>
    s("svg", { x: at(place), y: 60, overflow: "visible" }, s("text", { transform: "rotate(-50)" }, name));
  return s("svg", { class: "types", height: 64, "aria-hidden": "true" }, types.map(head));
}

/** One case: a cell for each type, filled by the shares of its outcomes, and its problems as text. */
function matrixLine(one, matrix) {
  const colours = page.matrices.outcomes[matrix];
  const [good] = Object.keys(colours);
  const found = findingsOf(one, matrix);
  const known = new Map(found.map(([probe, finding]) => [probe, finding]));
  const types = typesOf(matrix).map(([type, probes]) => [type, probes.filter((probe) => known.has(probe))]);
  const paths = Object.entries(colours).map(([outcome, fill]) => s("path", { fill, d: sharesOf(outcome) }));
  function sharesOf(outcome) {
    const order = Object.keys(colours);
    return types
      .map(([, probes], place) => {
        const having = (names) => probes.filter((probe) => names.includes(known.get(probe).outcome)).length;
        const [before, here] = [having(order.slice(0, order.indexOf(outcome))), having([outcome])];
        if (!here) return "";
        const unit = 0.9 / probes.length;
        return `M${place + before * unit} 0h${here * unit}v1h-${here * unit}z`;
      })
      .join("");
  }
  const looks = { height: LINE_PX, viewBox: `0 0 ${types.length} 1`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const strip = s("svg", { class: "strip", ...looks }, paths);
  const fine = found.filter(([, { outcome }]) => outcome === good).length;
  return lane(null, {
    name: h("span", { class: "case" }, chip(one.library, page.marks), one.name),
    value: `${fine}/${found.length}`,
    extra: classText(one.work_class),
    draw: strip,
    more: () => matrixFacts(types, known, good),
  });
}

/** The problems of each type, folded below their number. */
function matrixFacts(types, known, good) {
  const line = (probe) => {
    const { outcome, detail, written } = known.get(probe);
    return tableLine("td", [h("th", {}, probe), outcome, joined([detail, written && `written: ${written}`], "; ")]);
  };
  const folded = types.flatMap(([type, probes]) => {
    const bad = probes.filter((probe) => known.get(probe).outcome !== good);
    const summary = h("summary", {}, `${type}: ${bad.length} of ${probes.length} not ${good}`);
    const problems = scrolled("Problems", h("table", {}, h("tbody", {}, bad.map(line))));
    return bad.length ? [h("details", { class: "type" }, summary, problems)] : [];
  });
  return h("div", { class: "facts" }, folded.length ? folded : `Every probe was ${good}.`);
}

VIEWS.fidelity = { title: "Fidelity", show: () => matrixView("fidelity"), isAlone: true };
VIEWS.strictness = { title: "Strictness", show: () => matrixView("strictness"), isAlone: true };
