// The trade-off: time against size, with the cases numbered that none beats in speed, size and strictness.

const CHECKS = ["no validation, or not known", "coerces", "validates"];
const MOST_LINEAR = 4; // times the smallest size, up to which an axis in proportion shows all

function tradeoffView(choice) {
  const { board, shown } = choice;
  const { title: finding, lines } = board.tradeoff;
  const able = choice.every.filter((row) => row.size_bytes);
  if (!able.length) return { finding, parts: [] };
  const unit = unitOf(able.map((row) => row.time_ns));
  const xs = logScale(able.map((row) => row.time_ns / unit[0]));
  const sizes = able.map((row) => row.size_bytes);
  const ys = Math.max(...sizes) < MOST_LINEAR * Math.min(...sizes) ? linearScale(sizes) : logScale(sizes);
  const front = lines.map((number, place) => [rowOf(board, number), place + 1]).filter(([row]) => shown.includes(row));
  const places = new Map(front);
  const beaten = able.filter((row) => !places.has(row) && shown.includes(row));
  const shape = (row) => [page.marks[row.library][0], STRICT_SHAPES[row.strictness]];
  const draw = (toX, toY) => {
    const at = (row) => [toX(row.time_ns / unit[0]), toY(row.size_bytes)];
    const dot = (row, size) => mark(shape(row), ...at(row), { size, tip: tipOf(row) });
    const numbered = ([row, place]) => {
      const [x, y] = at(row);
      return [dot(row, 1.35), s("text", { class: "number", x, y: y - 10, "text-anchor": "middle" }, place)];
    };
    const pale = beaten.map((row) => dot(row));
    return [front.map(numbered), s("g", { class: "beaten" }, pale)];
  };
  const looks = {
    height: 430,
    xs,
    ys,
    xTitle: `${unit[1]} per operation`,
    yTitle: "bytes",
    label: "Size against time",
  };
  const picture = drawn((width) => chart({ width, ...looks, draw }));
  const entry = ([row, place]) => {
    const told = joined([timeText(row.time_ns, unit), sizeText(row.size_bytes), classText(row.work_class)]);
    const chip = s("svg", { class: "chip", viewBox: "-7 -7 14 14" }, mark(shape(row), 0, 0));
    return h("li", { value: place }, chip, h("b", {}, row.label), row.rest, h("small", {}, told));
  };
  const list = h("div", {}, h("h3", {}, "Not beaten"), h("ol", { class: "front" }, front.map(entry)));
  const key = keyOf(
    ...[2, 1, 0]
      .filter((strictness) => able.some((row) => row.strictness === strictness))
      .map((strictness) => [sampleMark({}, STRICT_SHAPES[strictness]), CHECKS[strictness]]),
    [
      [s("text", { x: -1, y: 12, fill: GREY, "font-size": 12 }, "1"), sampleMark({ size: 1.35 })],
      "numbered: not beaten",
    ],
    beaten.length > 0 && [s("g", { class: "beaten" }, sampleMark()), "pale: beaten"],
  );
  return {
    finding,
    parts: [h("div", { class: "beside" }, h("div", { class: "drawn" }, picture, key), list)],
    reading:
      "Further left is faster, further down smaller. Nothing else is as fast, as small and as strict as a numbered one; " +
      "lossy rows, and a format's own objects, are shown but not compared with the others.",
  };
}

VIEWS.tradeoff = { title: "Trade-off", show: tradeoffView };
