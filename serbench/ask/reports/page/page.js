// The page: shows the selected view and handles events.

const DRAWN = new Map();
const byId = (id) => document.getElementById(id);

/** Change the selection, the URL and the view; `quiet` adds no entry to the browser's history. */
function go(change, { quiet = false } = {}) {
  if (["view", ...LISTS].some((name) => name in change)) change = { all: "", ...change };
  state = { ...state, ...change };
  history[quiet ? "replaceState" : "pushState"](null, "", written(state));
  show();
}

/** A box for a chart, which is redrawn whenever its width changes. */
function drawn(draw) {
  const box = h("div", { class: "drawn" });
  DRAWN.set(box, draw);
  return box;
}

function redraw(width) {
  for (const [box, draw] of DRAWN) {
    const wide = Math.max(width || box.clientWidth, 240);
    if (!box.isConnected) DRAWN.delete(box);
    else if (box.dataset.width !== String(wide)) {
      box.replaceChildren(draw(wide));
      box.dataset.width = wide;
    }
  }
}

function show() {
  const again = focused();
  document.documentElement.dataset.theme = state.theme;
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  showTabs();
  try {
    const choice = chosen();
    const { isAlone } = VIEWS[state.view];
    byId("choice").classList.toggle("opened", isOpened);
    byId("choice").replaceChildren(...(isAlone ? [] : controls(choice).filter(Boolean)));
    byId("view").replaceChildren(...viewed(choice).flat(Infinity).filter(Boolean));
    byId("origin").replaceChildren(...(isAlone ? [] : origin(choice)), made());
  } catch (error) {
    const text = `This view cannot be drawn: ${error.message}. The other views and the data are not affected.`;
    byId("view").replaceChildren(h("p", { class: "note" }, text));
    console.error(error);
  }
  redraw();
  again();
  document.documentElement.dataset.shown = state.view;
}

function showTabs() {
  const tab = ([name, { title }]) => {
    const current = name === state.view ? "page" : null;
    return h("a", { href: written({ ...state, view: name }), "aria-current": current, "data-view": name }, title);
  };
  const tabs = byId("views");
  tabs.replaceChildren(...Object.entries(VIEWS).map(tab));
  tabs.scrollLeft = tabs.querySelector("[aria-current]").offsetLeft - tabs.offsetLeft - 60;
}

/** The view's finding, its data, notes on the selection, its parts, and how to read it. */
function viewed(choice) {
  const { show, isAlone, isWhole } = VIEWS[state.view];
  const { finding, about, parts, reading, where } = show(choice);
  document.title = `${finding} · serbench`;
  byId("told").textContent = finding;
  const { operation, workload, conditions, records, depth } = choice.at;
  const what = where ?? `${operation} · ${workload} · ${plural(records, "record")} · depth ${count(depth)} · ${conditions}`;
  return [
    h("h2", { id: "finding" }, finding),
    !isAlone && h("p", { class: "where" }, about ? `${what} · ${about}` : what),
    !isAlone && choice.notes.map((text) => h("p", { class: "note" }, text)),
    parts,
    reading && h("p", { class: "reading" }, reading),
    !isAlone && !isWhole && missing(choice),
  ];
}

/** Remember the focused element; the returned function focuses its replacement. */
function focused() {
  const { id, value, type, selectionStart } = document.activeElement;
  const box = type === "checkbox" && panel ? `#${panel} input[value="${CSS.escape(value)}"]` : null;
  return () => {
    const found = box ? document.querySelector(box) : byId(id);
    found?.focus({ preventScroll: true });
    if (found?.type === "search") found.setSelectionRange(selectionStart, selectionStart);
  };
}

function isDark() {
  return (state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function closePanel() {
  const open = panel && byId(panel);
  panel = null;
  if (open) open.open = false;
  return open;
}

function listen() {
  byId("choose").addEventListener("click", () => byId("choice").scrollIntoView());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // what stands behind the # is the choice
    byId("view").focus();
  });
  byId("link").addEventListener("click", () => copied(byId("link"), location.href, null));
  byId("theme").addEventListener("click", () => go({ theme: isDark() ? "light" : "dark" }, { quiet: true }));
  byId("choice").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => {
    state = read(location.hash);
    show();
  });
  addEventListener("resize", () => redraw());
  addEventListener("beforeprint", () => redraw(660));
  addEventListener("afterprint", () => redraw());
  document.addEventListener("click", ({ target }) => {
    if (panel && target.isConnected && !target.closest(`#${panel}`)) closePanel();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") closePanel()?.firstElementChild.focus();
  });
}

function begin(content) {
  page = content;
  rows = unpack(content);
  state = read(location.hash);
  show();
}

// For the console and for tests: the rows, and the functions that work on them.
globalThis.serbench = {
  ...{ begin, go, chosen, csv, lit, threeDigits, unitOf, reranked, relation, relationText, paretoFront },
  ...{ phaseTimes, budgets, series, lead, leadText, field, fieldText, tradeoffFinding, phasesFinding, scalingFinding },
  rows: () => rows,
  page: () => page,
};
begin(globalThis.serbenchContent ?? JSON.parse(byId("data").textContent));
listen();
performance.mark("serbench-shown");
