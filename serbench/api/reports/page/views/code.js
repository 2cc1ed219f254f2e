// The measured code of a case.

function codeView(choice) {
  const { board, shown, leader } = choice;
  const cases = shown.length ? shown : choice.every;
  const row = choice.every.find((one) => one.case === state.case) ?? (cases.includes(leader) ? leader : cases[0]);
  if (!row) return { finding: board.headline, parts: [] };
  const listed = cases.includes(row) ? cases : [row, ...cases];
  const names = listed.map((one) => [one.case, one.name]);
  const above = h("div", { class: "fields" }, oneOf("case", "Library + format", names, row.case));
  const known = sourceOf(row);
  if (!known.source)
    return { finding: `No code of ${row.name}`, parts: [above, h("p", { class: "note" }, known.reason)] };
  const { source, sha256, which } = known;
  const copy = h("button", { type: "button", id: "copy", click: () => copied(copy, source) }, "Copy code");
  return {
    finding: `The code of ${row.name} ${which}`,
    parts: [
      above,
      h("p", { class: "buttons" }, copy, h("small", {}, `sha256 ${sha256.slice(0, 12)}`)),
      h("pre", { tabindex: 0, "aria-label": "Code" }, lit(source)),
    ],
  };
}

/** The measured module of a row, or why this page has none. */
function sourceOf(row) {
  const { source_sha256: sha256 } = row;
  if (sha256 === null) return { reason: `It was not rendered: ${row.status}: ${reasonOf(row)}` };
  if (host) return host.source(row);
  if (page.sources[sha256])
    return { sha256, source: page.sources[sha256].map((place) => page.lines[place]).join("\n"), which: "that was measured" };
  const today = page.left_out.length ? "" : ", and serbench renders a different one today";
  const command = row.show && `. For today's: ${row.show}`;
  return {
    reason: `The module with the sha256 ${sha256.slice(0, 12)}… is not included in this page${today}${command}`,
  };
}

VIEWS.code = { title: "Code", show: codeView };
