// Shared parts of views: names, units, and messages for empty views.

const VIEWS = {}; // by name, in the order of their tabs, each in a file of its own: {title, show}, with
// `isAlone` where it has nothing to do with the choice, `isWhole` where it shows itself what is not measured
const FEW = 40;

const star = (row) => (row.clock === "wall" ? "*" : "");
const caseLabel = (row) =>
  h("span", { class: "case" }, chip(row.library, page.marks), h("b", {}, row.label), row.rest, star(row));
const timeText = (value, [size, unit]) => `${threeDigits(value / size)} ${unit}`;
const ownTime = (value) => (value === null ? "" : timeText(value, unitOf([value])));
const sizeText = (value) => (value === null || value === undefined ? "" : `${count(value)} bytes`);
const classText = (name) => (name ? (page.classes[name] ?? name) : "");
const reasonOf = (row) => row.reason || "no reason was recorded";
const isOpen = (row) => row.status === "unresolved";

/** What may be wider than the page: it scrolls by itself, with keys as well. */
const scrolled = (label, ...content) =>
  h("div", { class: "wide", role: "region", tabindex: "0", "aria-label": label }, ...content);

const swatch = (colour) =>
  s("svg", { class: "chip", viewBox: "0 0 14 14" }, s("rect", { width: 14, height: 14, fill: colour }));

const nothing = (choice) => {
  if (!choice.board.length) return "Nothing has been measured here";
  if (!choice.shown.length) return "No case has the selected libraries, formats and work classes";
  return "None of the selected cases could be measured";
};

function against(choice, row) {
  const other = choice.base ?? choice.first;
  if (!other) return row.ratio_text;
  if (row === other) return choice.base ? "1× (chosen)" : "1× (fastest)";
  // A break, if one is needed, stands before the interval.
  return relationText(relation(row, other)).replace(/(?<=\(.*) /g, "\u00a0");
}

/** The first lines, and a button that shows the rest. */
function first(choice, lines) {
  if (choice.state.all || lines.length <= FEW) return lines;
  return [
    ...lines.slice(0, FEW),
    h("p", {}, h("button", { type: "button", click: () => go({ all: "1" }) }, `Show all ${count(lines.length)}`)),
  ];
}

/** The rank of a row, and what it rests on. */
function rankText(choice, row) {
  const rank = choice.ranks.get(row);
  if (rank === undefined) return "";
  const before = rank > 1 ? `${plural(rank - 1, "case")} of its class before it` : "no case of its class before it";
  const tied = choice.ranks.tied(row) ? "; no difference to the others of this rank is proven" : "";
  return `${choice.ranks.text(row)}: ${before}${tied}`;
}

/** All facts about a row, and buttons for it. */
function facts(choice, row) {
  const interval = row.time_ns_low === null ? "" : ` (${ownTime(row.time_ns_low)} to ${ownTime(row.time_ns_high)})`;
  const pairs = [
    ["library", [row.library, row.version].filter(Boolean).join(" ")],
    ["variant", row.variant],
    ["codec", row.codec_label],
    ["environment", row.environment === "main" ? row.python : [row.environment, row.python].filter(Boolean).join(", ")],
    ["work class", classText(row.work_class)],
    ["time", row.time_ns === null ? "" : ownTime(row.time_ns) + interval + (star(row) && ", wall time")],
    ["per record", ownTime(row.time_per_record_ns)],
    ["ratio", row.ratio_text],
    ["rank", rankText(choice, row)],
    ["probably the first of its class", row.first_text && `${row.first_text}, of all that were measured`],
    ["against the chosen", choice.base ? relationText(relation(row, choice.base)) : ""],
    [
      "bytes",
      [
        sizeText(row.size_bytes),
        row.size_gzip_bytes && `${count(row.size_gzip_bytes)} with gzip`,
        row.size_zstd_bytes && `${count(row.size_zstd_bytes)} with zstd`,
      ]
        .filter(Boolean)
        .join(", "),
    ],
    ["throughput", row.mb_per_s === null ? "" : `${threeDigits(row.mb_per_s)} MB/s`],
    ["measured in", row.waves === null ? "" : `${plural(row.waves, "wave")}, ${plural(row.samples ?? 0, "sample")}`],
    ["precision", isOpen(row) ? "not known to the precision that was asked for" : ""],
    ["reason", row.reason],
    ["source", (row.source_sha256 || "").slice(0, 12)],
  ];
  return h(
    "div",
    { class: "facts" },
    h(
      "dl",
      {},
      pairs.filter(([, text]) => text).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text))),
    ),
    h(
      "p",
      { class: "buttons" },
      isMeasured(row) &&
        h(
          "button",
          { type: "button", click: () => go({ base: row === choice.base ? "" : row.case }) },
          row === choice.base ? "Compare with the reference again" : "Compare all with this",
        ),
      h("button", { type: "button", click: () => go({ view: "code", case: row.case }) }, "Show its code"),
    ),
  );
}
