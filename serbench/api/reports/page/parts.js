// Shared parts of views: names, tables, the facts of a row, and what was not measured.

const VIEWS = {}; // by name, in the order of their tabs, each in a file of its own: {title, show}, with
// `isAlone` where it has nothing to do with the choice

const star = (row) => (row.clock === "wall" ? "*" : "");
const caseLabel = (row, label = row.label) =>
  h("span", { class: "case" }, chip(row.library, page.marks), h("b", {}, label), row.rest, star(row));
const classText = (name) => (name ? (page.classes[name] ?? name) : "");
const reasonOf = (row) => row.reason || "no reason was recorded";
const isOpen = (row) => row.status === "unresolved";
const CONDITIONS = { varied: "varied documents", hot: "one document repeated" }; // as in display/words.py
const conditionsText = (name) => CONDITIONS[name] ?? name;
const pointWords = ({ operation, workload, conditions, records, depth }) =>
  joined([joined([operation, workload], " "), plural(records, "record"), `depth ${count(depth)}`, conditionsText(conditions)]);

/** What may be wider than the page: it scrolls by itself, with keys as well. */
const scrolled = (label, ...content) =>
  h("div", { class: "wide", role: "region", tabindex: "0", "aria-label": label }, ...content);

/** A line of a table: cells, each a text or an element, with a class for each. */
function tableLine(tag, cells, kinds = []) {
  const made = (cell, place) => (cell?.tagName?.startsWith("T") ? cell : h(tag, { class: kinds[place] }, cell));
  return h("tr", {}, cells.map(made));
}

/** A table of lines below their headings. */
function table(headings, lines, kinds = [], looks = {}) {
  const body = lines.map((line) => (Array.isArray(line) ? tableLine("td", line, kinds) : line));
  return h("table", looks, h("thead", {}, tableLine("th", headings, kinds)), h("tbody", {}, body));
}

/** Names with what there is to tell of each. */
function factList(pairs) {
  const known = pairs.filter(([, text]) => text);
  const lines = known.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)));
  return h("dl", {}, lines);
}

const swatch = (colour) =>
  s("svg", { class: "chip", viewBox: "0 0 14 14" }, s("rect", { width: 14, height: 14, fill: colour }));

/** The time of a row with the ends of its interval. */
const timeWithEnds = (row) =>
  ownTime(row.time_ns) +
  (row.time_ns_low === null ? "" : ` (${ownTime(row.time_ns_low)} to ${ownTime(row.time_ns_high)})`);

/** What stands beside the mark of a row when it is pointed at. */
const tipOf = (row, ...more) =>
  joined([row.name, timeWithEnds(row), sizeText(row.size_bytes), classText(row.work_class), ...more], "\n");

/** All facts about a row, and buttons for it. */
function facts(choice, row) {
  const zipped = (bytes, how) => bytes && `${count(bytes)} with ${how}`;
  const sizes = [sizeText(row.size_bytes), zipped(row.size_gzip_bytes, "gzip"), zipped(row.size_zstd_bytes, "zstd")];
  const place = row.environment === "main" ? [row.python] : [row.environment, row.python];
  const isBase = row === choice.base;
  const compare = () => go({ base: isBase ? "" : baseOf(row) });
  const show = () => go({ view: "code", case: row.case });
  return h(
    "div",
    { class: "facts" },
    factList([
      ["library", joined([row.library, row.version], " ")],
      ["variant", row.variant],
      ["codec", row.codec_label],
      ["environment", joined(place, ", ")],
      ["validation", classText(row.work_class)],
      ["time", isMeasured(row) && timeWithEnds(row) + (star(row) && ", wall time")],
      ["per record", ownTime(row.time_per_record_ns)],
      ["ratio to the baseline", row.ratio_text],
      ["probability of being fastest", row.first_text],
      ["bytes", joined(sizes, ", ")],
      ["throughput", row.mb_per_s !== null && `${threeDigits(row.mb_per_s)} MB/s`],
      ["measured in", row.waves !== null && `${plural(row.waves, "repetition")}, ${plural(row.samples ?? 0, "sample")}`],
      ["precision", isOpen(row) && "interval wider than requested"],
      ["reason", row.reason],
      ["source", (row.source_sha256 || "").slice(0, 12)],
    ]),
    h(
      "p",
      { class: "buttons" },
      h(
        "button",
        { type: "button", click: compare },
        isBase ? "Compare with the leader again" : "Compare all with this",
      ),
      h("button", { type: "button", click: show }, "Show its code"),
    ),
  );
}

/** What of the selection has no place in the figure: cases of other sizes, and those that failed, with status and reason. */
function unmeasured(board) {
  const isSelected = (number) => [isOfLibrary, isOfFormat].every((is) => is(rowOf(board, number)));
  const absent = board.absent.filter(([number]) => isSelected(number)).map(([, name]) => name);
  const failures = board.failures.filter((failure) => failure.rows.some(isSelected));
  if (!absent.length && !failures.length) return null;
  const others = absent.length > 0 && h("p", {}, `Measured at other sizes only: ${absent.join(", ")}`);
  const told = failures.map(({ cases, status, reason }) =>
    h("li", {}, h("b", {}, cases), ": ", h("em", {}, status), reason && `: ${reason}`),
  );
  return h("section", { class: "unmeasured" }, h("h3", {}, "Not measured here"), others, h("ul", {}, told));
}
