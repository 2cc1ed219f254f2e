// The explorer's page: themes, and the element in which the page's modules draw.

const WHOSE = { yours: "This machine", published: "Published", both: "This machine and the published one", now: "This machine, measuring now" };
const LIVE_PAUSE_MS = 600;
const PART_BYTES = 4 << 20;
const NARROW_PX = 620;
const POINT = ["workload", "payload", "schema", "model", "records", "depth", "seed", "libraries", "formats", "operation", "conditions", "gc", "live"];
// Settings that the page's modules call otherwise; all others have the same name.
const CALLED = { libraries: "library", formats: "format", contains: "find", descending: "down", present: "base" };

function later(wait, act) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
}

const counted = (value) => Number(value).toLocaleString("en");

/** The theme of the surrounding page, light or dark. */
function pageTheme() {
  const probe = h("div", { style: "background: var(--jp-layout-color0, Canvas)" });
  document.body.append(probe);
  const [r, g, b] = getComputedStyle(probe).backgroundColor.match(/[\d.]+/g).map(Number);
  probe.remove();
  return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}

/** The settings as a selection of the page: texts, and "" for what is off. */
function selectionOf(settings, workload, present) {
  const text = (value) => (Array.isArray(value) ? value : typeof value === "boolean" ? (value ? "1" : "") : String(value));
  const renamed = Object.entries(settings).map(([name, value]) => [CALLED[name] ?? name, text(value)]);
  const bandwidth = String(settings.bandwidth * 1e6);
  return { ...Object.fromEntries(renamed), workload, bandwidth, base: present || settings.present };
}

/** A change of the page's selection as one of settings, without what only the page knows. */
function settingsOf(change, settings) {
  const names = Object.fromEntries(Object.entries(CALLED).map(([name, called]) => [called, name]));
  const changes = {};
  for (const [called, value] of Object.entries(change)) {
    const name = names[called] ?? called;
    if (!(name in settings)) continue;
    if (name === "bandwidth") changes[name] = value / 1e6;
    else if (typeof settings[name] === "boolean") changes[name] = Boolean(value);
    else changes[name] = typeof settings[name] === "number" ? Number(value) : value;
  }
  return changes;
}

/** An element with a tree of its own, in which the page's modules draw as they do on the page; and what draws there. */
function viewIn(style, host) {
  const element = h("div", { class: "sb-page" });
  const tree = element.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  sheet.textContent = style;
  const told = h("p", { id: "told", class: "unseen", "aria-live": "polite" });
  tree.append(sheet, told, h("div", { class: "sb" }, h("div", { id: "view", tabindex: -1 }), h("div", { id: "origin" })));
  return { element, ...serbenchPage(tree, host) };
}
