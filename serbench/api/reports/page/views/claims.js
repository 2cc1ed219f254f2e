// Published claims and their measurements, each with its verdict and reason.

const VERDICTS = {
  holds: "#009E73",
  larger: "#0072B2",
  smaller: "#E69F00",
  reversed: "#CC79A7",
  mixed: "#56B4E9",
  "not measurable": "#7F7F7F",
};

function claimsView() {
  const { claims } = page;
  if (!claims.length)
    return {
      finding: "No claims were measured",
      parts: [h("p", {}, "This page has no published claims. To measure them, run: serbench claims")],
    };
  const ends = claims.flatMap((claim) => leading(claim).flatMap(reach)).filter((value) => value > 0);
  const scale = logScale(ends.length ? ends : [1]);
  const figures = claims.flatMap((claim) => claim.figures);
  const byVerdict = Map.groupBy(figures, (figure) => figure.verdict);
  const counts = Object.keys(VERDICTS).filter((name) => byVerdict.has(name));
  const legend = counts.map((name) =>
    h("li", {}, swatch(VERDICTS[name]), h("b", {}, name), ` ${byVerdict.get(name).length}`),
  );
  const columns = { rank: "", name: "claim", value: "published", extra: "verdict" };
  return {
    finding: page.claims_title,
    parts: [
      h("ul", { class: "legend" }, legend),
      keyOf(
        [sampleLine({ class: "published", x1: 5, x2: 25, stroke: null, "stroke-width": null }), "published"],
        [[sampleLine(), sampleMark()], "measured, with its 95% interval"],
      ),
      lanes(
        "unranked claims",
        "Published and measured ratios",
        laneHead(scale, "ratio", columns),
        claims.map((claim) => claimLine(scale, claim)),
      ),
    ],
    reading:
      "One line per set of versions: those from the claim's date, and today's. Figures that are not ratios " +
      "have no bar.",
  };
}

const reach = (figure) =>
  [figure.published_low, figure.published_high, figure.low, figure.high].filter((value) => value !== null);

/** The first ratio of each set of versions, which is drawn. */
const leading = (claim) =>
  [...Map.groupBy(claim.figures, (figure) => figure.versions).values()]
    .map(([figure]) => figure)
    .filter(({ ratio }) => ratio);

function claimLine(scale, claim) {
  const figures = leading(claim);
  const height = Math.max(22, 8 + 12 * figures.length);
  return lane(scale, {
    name: [h("b", {}, claim.id), " ", claim.statement],
    value: claim.published,
    extra: [swatch(VERDICTS[claim.verdict]), claim.verdict === "mixed" ? claim.counts.join("; ") : claim.verdict],
    draw: figures.map((figure, place) => claimFigure(scale, figure, 10 + 12 * place)),
    height,
    more: () => claimFacts(claim),
  });
}

function claimFigure(scale, figure, y) {
  const at = (value) => percent(Math.min(Math.max(scale.at(value), 0), 1));
  const line = (low, high, look) => s("line", { x1: at(low), x2: at(high), y1: y, y2: y, ...look });
  const colour = VERDICTS[figure.verdict];
  const said = figure.published_low > 0 && line(figure.published_low, figure.published_high, { class: "published" });
  if (!(figure.low > 0)) return said;
  return [
    said,
    line(figure.low, figure.high, { stroke: colour, "stroke-width": 2 }),
    mark([colour, "circle"], at(figure.measured), y),
  ];
}

function claimFacts(claim) {
  const pairs = [
    ["source", claim.source],
    ["compared then", claim.compared],
    ["a fair comparison", claim.fair],
    ...Object.entries(claim.measured).map(([name, words]) => [`measured, ${name}`, words]),
    ["explanation", claim.explanation],
    ...claim.notes.map((text) => ["note", text]),
    ["measured", joined([claim.date, claim.effort, claim.machine])],
  ];
  return h("div", { class: "facts" }, factList(pairs));
}

VIEWS.claims = { title: "Claims", show: claimsView, isAlone: true };
