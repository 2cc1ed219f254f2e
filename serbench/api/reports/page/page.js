// The page: shows the selected view and handles events. The explorer shows views below an element of its own.

const DRAWN = new Map();
const byId = (id) => root.getElementById(id);
let last = ""; // the view that was shown last
let current = null; // what it shows
let titles = Object.fromEntries(Object.entries(VIEWS).map(([name, { title }]) => [name, title]));
let markTab = () => {};

/** Change the selection, the URL and the view; `quiet` adds no entry to the browser's history. */
function go(change, { quiet = false } = {}) {
  if (["view", ...LISTS].some((name) => name in change)) change = { all: "", ...change };
  state = { ...state, ...change };
  if (host) return host.chosen(change);
  history[quiet ? "replaceState" : "pushState"](null, "", written(state));
  show();
}

/** A box for a chart, which is redrawn whenever its width changes. */
function drawn(draw) {
  const box = h("div", { class: "drawn" });
  DRAWN.set(box, draw);
  return box;
}

function redraw() {
  for (const [box, draw] of DRAWN) {
    const wide = Math.max(box.clientWidth, 240);
    if (!box.isConnected) DRAWN.delete(box);
    else if (box.dataset.width !== String(wide)) {
      box.replaceChildren(draw(wide));
      box.dataset.width = wide;
    }
  }
}

function show() {
  const again = focused();
  const reopen = opened();
  if (!host) {
    document.documentElement.dataset.theme = state.theme;
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    markTab(state.view, (view) => addressOf({ ...state, view }));
  }
  try {
    const choice = VIEWS[state.view].isAlone || !page.boards.length ? null : chosen();
    current = choice;
    byId("choice")?.classList.toggle("opened", isOpened);
    if (!host) fill(byId("choice"), choice ? controls(choice).filter(Boolean) : []);
    byId("view").replaceChildren(...viewed(choice).flat(Infinity).filter(Boolean));
    byId("origin").replaceChildren(...(choice ? origin(choice) : []), ...(host ? [] : [made()]));
  } catch (error) {
    const text = `This view cannot be drawn: ${error.message}. The other views and the data are not affected.`;
    byId("view").replaceChildren(h("p", { class: "note" }, text));
    console.error(error);
  }
  redraw();
  reopen();
  again();
  last = state.view;
  if (!host) document.documentElement.dataset.shown = state.view;
}

/** Have these children alone in an element; those that stay are not moved, which would close or scroll them. */
function fill(element, children) {
  for (const old of [...element.children]) if (!children.includes(old)) old.remove();
  children.forEach((child, place) => {
    if (element.children[place] !== child) element.insertBefore(child, element.children[place] ?? null);
  });
}

/** The view's finding, its data, what the leader costs, notes on the selection, its parts, and how to read it. */
function viewed(choice) {
  const { show, isAlone } = VIEWS[state.view];
  const { finding, where, cost, about, parts, next, reading } =
    choice || isAlone ? show(choice) : { finding: host.nothing, parts: [] };
  if (!host || host.hasPage) document.title = `${finding} · serbench`;
  if (byId("told").textContent !== finding) byId("told").textContent = finding; // said once
  return [
    choice?.notes.map((text) => h("p", { class: "note" }, text)),
    h("h2", { id: "finding" }, finding),
    h("p", { class: "where" }, joined([where ?? (choice ? whereOf(choice) : ""), about])),
    cost && h("p", { id: "cost" }, `Cost: ${cost}`),
    parts,
    next && h("p", { id: "next" }, "Next: ", h("code", {}, next)),
    choice && state.view !== "table" && unmeasured(choice.board),
    reading && h("p", { class: "reading" }, reading),
  ];
}

/** The data of a view that is on more than the leader, and if its run is quiet, which a headline on a noisy one says. */
function whereOf({ at, run }) {
  const { least, trusted } = page.runs[run];
  return joined([pointWords(at), !least && trusted]);
}

/** Remember the focused element; the returned function focuses it again, or its replacement. */
function focused() {
  const { id, selectionStart } = root.activeElement ?? {};
  return () => {
    const found = id ? byId(id) : null;
    found?.focus({ preventScroll: true });
    if (found?.type === "search") found.setSelectionRange(selectionStart, selectionStart);
  };
}

/** Remember which lines are open; the returned function opens them again, unless the view is another. */
function opened() {
  const lines = (which) => [...root.querySelectorAll(`#view details.row${which} > summary .name`)];
  const names = new Set(lines("[open]").map((one) => one.textContent));
  return () => {
    if (state.view !== last) return;
    for (const one of lines("")) if (names.has(one.textContent)) one.closest("details").open = true;
  };
}

function isDark() {
  return (state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function listen() {
  byId("choose").addEventListener("click", () => byId("choice").scrollIntoView());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // what stands behind the # is the choice
    byId("view").focus();
  });
  byId("link").addEventListener("click", () => copied(byId("link"), location.href));
  byId("theme").addEventListener("click", () => go({ theme: isDark() ? "light" : "dark" }, { quiet: true }));
  byId("choice").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => {
    state = read(location.hash);
    show();
  });
}

function listenEverywhere() {
  let wide = 0;
  const resized = ([{ contentRect }]) => {
    if (contentRect.width !== wide) redraw(); // of its height it is itself the cause
    wide = contentRect.width;
  };
  new ResizeObserver(resized).observe(byId("view"));
  listenForTips();
}

/** Have these parts, each with its rows, boards and steps, as what is drawn; numbers of rows and runs count from a part's first. */
function take(parts, others) {
  const all = { rows: [], runs: [], boards: [], steps: [] };
  for (const part of parts) {
    const [first, run] = [all.rows.length, all.runs.length];
    const placed = (one) => ({ ...one, first, run: run + one.run });
    const isKept = part.unpacked?.first === first && part.unpacked.run === run;
    part.unpacked = isKept ? part.unpacked : { first, run, rows: unpack(part, first, run) };
    for (const row of part.unpacked.rows) all.rows.push(row);
    all.runs.push(...part.runs);
    all.boards.push(...part.boards.map(placed));
    all.steps.push(...part.steps.map(placed));
  }
  rows = all.rows;
  page = { ...others, ...all };
}

function begin(content) {
  take([content], content);
  if (!Object.keys(page.overview).length) delete titles.overview;
  markTab = tabs(byId("views"), titles, "view", (view) => go({ view }));
  state = read(location.hash);
  show();
}

let contents = new Map(); // text of a run → its content; runs that stay are not read again

/** Show the explorer's selection of stored rows, of those of the run in progress, and of probes, if there are any. */
function draw(selection, stored, running, further) {
  if (page?.stored !== stored || page.running !== running || page.further !== further) {
    contents = new Map(stored.parts.map((text) => [text, contents.get(text) ?? JSON.parse(text)]));
    const now = (running?.parts ?? []).map((text) => JSON.parse(text));
    for (const run of now.flatMap((one) => one.runs)) run.running = true;
    const parts = [...contents.values(), ...now];
    const every = (name) => Object.assign({}, ...[...parts, further].map((one) => one[name]));
    const others = { marks: every("marks"), classes: every("classes"), matrices: further.matrices };
    take(parts, { ...stored, ...others, stored, running, further });
  }
  state = { ...EMPTY, ...state, ...selection };
  show();
}

// For the console, for tests, and for the explorer: what is drawn, and the functions that format numbers.
const shownPage = {
  ...{ begin, draw, show, go, chosen, stopAt, shownWords, lit, threeDigits, unitOf, logTicks, relationText },
  titles,
  rows: () => rows,
  choice: () => current,
  page: () => page,
};
listenEverywhere();
if (host) return shownPage;
globalThis.serbench = shownPage;
unpacked(globalThis.serbenchContent ?? byId("data").textContent)
  .then((content) => {
    begin(content);
    listen();
    performance.mark("serbench-shown");
  })
  .catch((error) => byId("view").append(h("p", { class: "note" }, `This page cannot be read: ${error.message}.`)));
