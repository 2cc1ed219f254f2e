// Drawing: lines with a lane for dots or bars, and two charts.

const SHAPES = {
  circle: "M4.5 0A4.5 4.5 0 1 1 -4.5 0A4.5 4.5 0 1 1 4.5 0Z",
  square: "M-4-4H4V4H-4Z",
  diamond: "M0-5.5L5.5 0L0 5.5L-5.5 0Z",
  "triangle-up": "M0-5.2L5.2 4.2H-5.2Z",
  cross: "M-1.7-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
  x: "M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
  star: "M0-6L1.5-2L5.7-1.8L2.4 .8L3.5 4.9L0 2.5L-3.5 4.9L-2.4 .8L-5.7-1.8L-1.5-2Z",
  hexagon: "M-5 0L-2.5-4.4H2.5L5 0L2.5 4.4H-2.5Z",
};
const STRICT_SHAPES = ["x", "diamond", "circle"];

const percent = (share) => `${(100 * share).toFixed(3)}%`;

/** A mark at a position; open marks are not known to the requested precision. One that tells something can have the focus. */
function mark([colour, symbol], x, y, { open = false, size = 1, tip = null } = {}) {
  const told = tip && { "data-tip": tip, role: "img", "aria-label": tip.replaceAll("\n", ", ") };
  const path = s("path", {
    d: SHAPES[symbol] || SHAPES.circle,
    transform: size === 1 ? null : `scale(${size})`,
    stroke: colour,
    "stroke-width": 1.4,
    fill: open ? "var(--paper)" : colour,
    ...told,
  });
  return s("svg", { x, y, overflow: "visible", width: 1, height: 1 }, path);
}

const chip = (library, marks) => s("svg", { class: "chip", viewBox: "-7 -7 14 14" }, mark(marks[library], 0, 0));

const GREY = "var(--faint)";

/** What the marks and lines of a figure mean, in a line: [sample, text] of those that it has. */
const keyOf = (...entries) =>
  h(
    "ul",
    { class: "legend key" },
    entries.filter(Boolean).map(([drawing, text]) => h("li", {}, sample(drawing), text)),
  );

const sample = (...drawing) => s("svg", { class: "stroke", viewBox: "0 0 30 14", "aria-hidden": "true" }, drawing);
const sampleLine = (look = {}) => s("line", { x1: 0, x2: 30, y1: 7, y2: 7, stroke: GREY, "stroke-width": 2, ...look });
const sampleMark = (options = {}, symbol = "circle") => mark([GREY, symbol], 15, 7, options);
const openKey = (rows) => rows.some(isOpen) && [sampleMark({ open: true }), "hollow: interval wider than requested"];

/** A logarithmic scale: the position of a value between 0 and 1, and its ticks. */
function logScale(values) {
  const [low, high] = logRange(values);
  const at = (value) => (Math.log10(value) - low) / (high - low);
  const ticks = logTicks(values);
  const most = Math.max(...ticks);
  return { at, ticks, text: (tick) => tickText(tick, most) };
}

const LEAST_PAD = 0.03; // of the largest value: what differs by less looks alike, and ticks are round

/** A linear scale with margins at both ends. */
function linearScale(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const pad = Math.max((most - least) * 0.08, most * LEAST_PAD) || 1;
  const [low, high] = [least - pad, most + pad];
  return { at: (value) => (value - low) / (high - low), ticks: linearTicks(low, high), text: tickText };
}

/** The heading above lanes: the names of the columns, and the axis with its unit. */
function laneHead(scale, unit, columns) {
  const labels = scale.ticks.map((tick, place) => {
    const looks = { class: place % 2 ? "odd" : null, x: percent(scale.at(tick)), y: 14, "text-anchor": "middle" };
    return s("text", looks, scale.text(tick));
  });
  return lineHead(columns, h("small", {}, unit), s("svg", { height: 18, "aria-hidden": "true" }, labels));
}

const lineHead = (columns, ...axis) => h("div", { class: "line head" }, lineCells({ ...columns, lane: axis }));

/** The cells of a line, by the names of its columns. */
const lineCells = (cells, tip = null) =>
  ["rank", "name", "lane", "value", "extra"].map((name) =>
    h("span", { class: name, "data-tip": name === "lane" ? tip : null }, cells[name]),
  );

/** Lanes below their heading, as one figure with a name. */
const lanes = (kind, label, head, lines) =>
  h("div", { class: `lanes ${kind}`, role: "figure", "aria-label": label }, head, lines);

/** A line across a lane at a value. */
const rule = (scale, value, kind = "rule") =>
  s("line", { class: kind, x1: percent(scale.at(value)), x2: percent(scale.at(value)), y1: 0, y2: "100%" });

/** One line: a rank, a name, a lane with what is drawn, a value and something beside it; opened, it tells `more`. */
function lane(scale, { rank, name, value, extra, draw, more, tied, base, tip, height = 22 }) {
  const rules = scale?.ticks.map((tick) => rule(scale, tick));
  const picture = scale ? s("svg", { height, "aria-hidden": "true" }, rules, draw) : draw;
  const summary = h(
    "summary",
    { class: `line${base ? " base" : ""}` },
    lineCells({ rank, name, lane: picture, value, extra }, tip),
  );
  if (tied) summary.firstChild.classList.add("tied");
  const toggle = () => {
    if (details.open && details.childElementCount === 1) details.append(more());
  };
  const details = h("details", { class: "row", toggle }, summary);
  return details;
}

function dotWithInterval(scale, row, times, unit) {
  const [x1, x, x2] = times.map((time) => percent(scale.at(time / unit)));
  const look = page.marks[row.library];
  return [
    s("line", { x1, x2, y1: 11, y2: 11, stroke: look[0], "stroke-width": 2 }),
    mark(look, x, 11, { open: isOpen(row) }),
  ];
}

/** A chart of lines or points in the width that there is; `xs` and `ys` are scales, `draw` gives what stands in it. */
function chart({ width, height, xs, ys, xTitle, yTitle, label, draw }) {
  const edge = { left: 58, right: 16, top: 10, bottom: 42 };
  const across = width - edge.left - edge.right,
    up = height - edge.top - edge.bottom;
  const x = (value) => edge.left + xs.at(value) * across,
    y = (value) => edge.top + (1 - ys.at(value)) * up;
  const room = Math.max(2, Math.floor(across / 62));
  const every = Math.ceil(xs.ticks.length / room);
  const picture = s(
    "svg",
    { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "figure", "aria-label": label },
    ys.ticks.map((tick) => [
      s("line", { class: "rule", x1: edge.left, x2: width - edge.right, y1: y(tick), y2: y(tick) }),
      s("text", { x: edge.left - 7, y: y(tick) + 4, "text-anchor": "end" }, ys.text(tick)),
    ]),
    xs.ticks.map((tick, place) => [
      s("line", { class: "rule", x1: x(tick), x2: x(tick), y1: edge.top, y2: height - edge.bottom }),
      place % every === 0 &&
        s("text", { x: x(tick), y: height - edge.bottom + 16, "text-anchor": "middle" }, xs.text(tick)),
    ]),
    s("text", { class: "axis", x: edge.left + across / 2, y: height - 6, "text-anchor": "middle" }, xTitle),
    s(
      "text",
      { class: "axis", transform: `translate(12 ${edge.top + up / 2}) rotate(-90)`, "text-anchor": "middle" },
      yTitle,
    ),
    draw(x, y),
  );
  roving(picture, [...picture.querySelectorAll("[data-tip]")]);
  return picture;
}

/** Let Tab reach the first of some elements, and arrow keys the others, of which `across` are in a line. */
function roving(box, all, across = 1) {
  all.filter(Boolean).forEach((one, place) => one.setAttribute("tabindex", place ? -1 : 0));
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[event.key];
    let place = all.indexOf(event.target);
    if (!step || place < 0) return;
    do place += step;
    while (place in all && !all[place]);
    event.preventDefault();
    if (!(place in all)) return;
    event.target.setAttribute("tabindex", -1);
    all[place].setAttribute("tabindex", 0);
    all[place].focus();
  });
}

/** Show lines of text next to a place on the screen, the first as their heading, or hide what is shown. */
function tell(lines, x, y) {
  if (!lines && !byId("tip")) return;
  const tip = byId("tip") ?? (root.body ?? root).appendChild(h("div", { id: "tip", role: "tooltip" }));
  tip.hidden = !lines;
  if (!lines) return;
  const [heading, ...others] = lines;
  tip.replaceChildren(h("b", {}, heading), ...others.map((text) => h("div", {}, text)));
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - tip.offsetWidth - 12))}px`;
  tip.style.top = `${y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 18}px`;
}

/** Tell what the mark under the pointer says, or that of what has the focus. */
function tellMark(event) {
  const isFocus = event.type === "focusin" && event.target.matches(":focus-visible");
  const told = event.target.closest?.("[data-tip]") ?? (isFocus ? event.target.querySelector("[data-tip]") : null);
  if (!told || (event.type === "focusin" && !isFocus)) return tell(null);
  const { left, width, bottom } = told.getBoundingClientRect();
  const [x, y] = isFocus ? [left + width / 2, bottom] : [event.clientX, event.clientY];
  tell(told.dataset.tip.split("\n"), x, y);
}

function listenForTips() {
  for (const name of ["pointerover", "focusin"]) root.addEventListener(name, tellMark);
  (root.host ?? root.documentElement).addEventListener("pointerleave", () => tell(null));
  root.addEventListener("focusout", () => tell(null));
  root.addEventListener("keydown", ({ key }) => key === "Escape" && tell(null));
}

const KEYWORDS =
  "and as assert async await break class continue def del elif else except False finally for from global if import " +
  "in is lambda None nonlocal not or pass raise return True try while with yield";
const PYTHON = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<string>(?<!\w)[rbufRBUF]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))/,
    new RegExp(`(?<keyword>\\b(?:${KEYWORDS.split(" ").join("|")})\\b)`),
    /(?<decorator>^[ \t]*@[\w.]+)/,
    /(?<number>\b\d[\w.]*)/,
  ]
    .map((one) => one.source)
    .join("|"),
  "gmu",
);

/** Python with its comments, strings, keywords, decorators and numbers told apart. */
function lit(source) {
  const code = h("code", {});
  let end = 0;
  for (const found of source.matchAll(PYTHON)) {
    const [kind] = Object.entries(found.groups).find(([, text]) => text !== undefined);
    code.append(source.slice(end, found.index), h("span", { class: kind }, found[0]));
    end = found.index + found[0].length;
  }
  code.append(source.slice(end));
  return code;
}
