// The trade-off: time against size, with the cases numbered that none beats in speed, size and strictness.

const CHECKS = ["checks nothing, or it is not known", "converts", "checks types"];
const MOST_LINEAR = 4; // times the smallest size, up to which an axis in proportion shows all

function tradeoffView(choice) {
  const able = choice.shown.filter((row) => isMeasured(row) && row.size_bytes);
  const front = paretoFront(able);
  const finding = able.length ? tradeoffFinding(weighed(able), front, leastOf(able)) : nothing(choice);
  if (!able.length) return { finding, parts: [] };
  const scale0 = unitOf(able.map((row) => row.time_ns));
  const xs = logScale(able.map((row) => row.time_ns / scale0[0]));
  const sizes = able.map((row) => row.size_bytes);
  const ys = Math.max(...sizes) < MOST_LINEAR * Math.min(...sizes) ? linearScale(sizes) : logScale(sizes);
  const shape = (row) => [page.marks[row.library][0], STRICT_SHAPES[row.strictness]];
  const picture = drawn((width) =>
    chart({
      width,
      height: 430,
      xs,
      ys,
      xTitle: `${scale0[1]} per operation`,
      yTitle: "bytes",
      label: `${finding}. Size against time`,
      draw: (x, y) => [
        able
          .filter((row) => !front.includes(row))
          .map((row) =>
            s(
              "g",
              { class: "beaten" },
              mark(shape(row), x(row.time_ns / scale0[0]), y(row.size_bytes), {
                title: `${row.name}: ${timeText(row.time_ns, scale0)}, ${sizeText(row.size_bytes)}`,
              }),
            ),
          ),
        front.map((row, place) => {
          const [left, top] = [x(row.time_ns / scale0[0]), y(row.size_bytes)];
          return [
            mark(shape(row), left, top, { size: 1.35, title: row.name }),
            s("text", { class: "number", x: left, y: top - 10, "text-anchor": "middle" }, place + 1),
          ];
        }),
      ],
    }),
  );
  const list = h(
    "ol",
    { class: "front" },
    front.map((row) =>
      h(
        "li",
        {},
        s("svg", { class: "chip", viewBox: "-7 -7 14 14" }, mark(shape(row), 0, 0)),
        h("b", {}, row.label),
        row.rest,
        h(
          "small",
          {},
          ` ${timeText(row.time_ns, scale0)} · ` +
            `${sizeText(row.size_bytes)}${row.work_class ? ` · ${classText(row.work_class)}` : ""}`,
        ),
      ),
    ),
  );
  const key = keyOf(
    ...[2, 1, 0]
      .filter((strictness) => able.some((row) => row.strictness === strictness))
      .map((strictness) => [sampleMark({}, STRICT_SHAPES[strictness]), CHECKS[strictness]]),
    [[s("text", { x: -1, y: 12, fill: GREY, "font-size": 12 }, "1"), sampleMark({ size: 1.35 })], "numbered: not beaten"],
    front.length < able.length && [s("g", { class: "beaten" }, sampleMark()), "pale: beaten"],
  );
  return {
    finding,
    parts: [h("div", { class: "beside" }, h("div", { class: "drawn" }, picture, key), h("div", {}, h("h3", {}, "Not beaten"), list))],
    reading:
      "Further left is faster, further down smaller. No other case is as fast, as small " +
      "and as strict as one that is numbered; lossy cases, and objects of a format's own, are " +
      "shown but not compared with the others.",
  };
}

VIEWS.tradeoff = { title: "Trade-off", show: tradeoffView };
