// The controls of the page and the explorer. Each is an element, whose user's choice `choose` is told, and `sync`, which shows one.

let serial = 0;

const newId = () => `serbench-${++serial}`;

/** What has the focus in the tree of an element, which may be a shadow tree, as in marimo. */
const focusBeside = (element) => element.getRootNode().activeElement;

/** The element of a control, which shows these values. */
function showing(control, ...values) {
  control.sync(...values);
  return control.element;
}

/** A control below its label, with what stands beside it. */
function labelled(label, control, { title, kind = "" } = {}, ...beside) {
  const line = beside.length ? h("div", { class: "both" }, control, beside) : control;
  return h("div", { class: `field ${kind}`, title }, h("label", { for: control.id }, label), line);
}

/** A list to choose from: of texts, of [value, text, about], and of {label, entries} for groups of them. */
function select(label, choose, { id = newId(), ...looks } = {}, ...beside) {
  const list = h("select", { id, change: () => choose(list.value) });
  const option = (entry) => {
    const [value, text = value, about] = [entry].flat();
    return h("option", { value, title: about }, text);
  };
  const group = (entry) =>
    entry.label ? h("optgroup", { label: entry.label }, entry.entries.map(option)) : option(entry);
  let drawn = "";
  const sync = (entries, value) => {
    const text = JSON.stringify(entries);
    if (text !== drawn) list.replaceChildren(...entries.map(group)); // a list that is open stays so
    drawn = text;
    list.value = value;
  };
  return { element: labelled(label, list, looks, ...beside), list, sync };
}

/** A box for a number, which nobody is told before it reaches the least one. */
function numberBox(label, choose, { id = newId(), title, kind, ...limits } = {}, ...beside) {
  const change = () => {
    if (box.validity.rangeUnderflow) box.reportValidity();
    else if (box.value !== "") choose(Number(box.value));
  };
  const box = h("input", { type: "number", id, ...limits, change });
  const sync = (value) => {
    if (focusBeside(box) !== box) box.value = value;
  };
  return { element: labelled(label, box, { title, kind }, ...beside), box, sync };
}

function check(label, choose, { id = newId(), value, title, kind = "" } = {}) {
  const box = h("input", { type: "checkbox", id, value, change: () => choose(box.checked) });
  const sync = (on) => {
    box.checked = on;
  };
  return { element: h("label", { class: `check ${kind}`, title }, box, h("span", {}, label)), sync };
}

/** A panel below its summary; Escape, which gives the summary the focus, and a click or the focus elsewhere close it. */
function popover(summary, panel, { id = newId(), kind = "" } = {}) {
  const details = h("details", { class: `popover ${kind}`, id }, summary, panel);
  const close = () => {
    details.open = false;
  };
  const pressed = (event) => {
    if (!event.composedPath().includes(details)) close();
  };
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    close();
    summary.focus();
    event.stopPropagation();
  });
  details.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !details.contains(relatedTarget)) close();
  });
  const heed = (on) => document[on ? "addEventListener" : "removeEventListener"]("pointerdown", pressed, true);
  summary.addEventListener("click", () => heed(!details.open)); // the event "toggle" comes only later
  details.addEventListener("toggle", () => {
    heed(details.open);
    panel.style.left = "";
    if (!details.open || getComputedStyle(panel).position !== "absolute") return;
    const most = details.closest(".sb").getBoundingClientRect().right - 8;
    panel.style.left = `${Math.min(0, most - panel.getBoundingClientRect().right)}px`;
  });
  return details;
}

const SEARCHED = 8; // a longer list has a box to search in it

/** A list of names to tick, of {value, text, about, title, group, below}; no tick means all. */
function several(label, choose, { id = newId(), title, kind = "" } = {}) {
  let chosen = new Set();
  let drawn = "";
  let lines = [];
  const shown = h("span", { id: `${id}-shown` });
  const caption = h("span", { class: "caption", id: `${id}-label` }, label);
  const summary = h("summary", { "aria-labelledby": `${caption.id} ${shown.id}` }, shown);
  const search = h("input", {
    type: "search",
    id: `${id}-search`,
    placeholder: "search",
    "aria-label": `Search ${label.toLowerCase()}`,
    input: () => match(),
  });
  const list = h("div", { class: "list", role: "group", "aria-label": label });
  const change = (values) => {
    chosen = new Set(values);
    mark();
    choose([...chosen]);
  };
  const button = (name, text, act) => h("button", { type: "button", id: `${id}-${name}`, click: act }, text);
  const matched = () => lines.filter((one) => one.matches).map(({ value }) => value);
  const matching = button("matches", "Select matches", () => change(matched()));
  const all = button("all", "All", () => change([]));
  const details = popover(
    summary,
    h("div", { class: "panel" }, search, h("div", { class: "both" }, all, matching), list),
    {
      id,
    },
  );
  details.addEventListener("toggle", () => {
    if (details.open && !search.hidden && matchMedia("(pointer: fine)").matches) search.focus();
  });
  function mark() {
    for (const { value, sync } of lines) sync(chosen.has(value));
    const named = (value) => lines.find((one) => one.value === value)?.text ?? value;
    shown.textContent =
      chosen.size > 2 ? `${chosen.size} of ${lines.length}` : [...chosen].map(named).join(", ") || "all";
  }
  function match() {
    const words = search.value.toLowerCase().split(/\s+/);
    let above = null;
    for (const one of lines) {
      one.matches = words.every((word) => one.words.includes(word));
      one.element.hidden = !one.matches;
      if (!one.below) above = one.element;
      else if (one.matches && above) above.hidden = false;
    }
    for (const group of list.children) group.hidden = ![...group.querySelectorAll(".check")].some((one) => !one.hidden);
  }
  function line({ value, text = value, about, title, group = "", below }) {
    const tick = (on) => change(on ? [...chosen, value] : [...chosen].filter((one) => one !== value));
    const words = `${value} ${group}`.toLowerCase();
    const looks = { id: `${id}-${value}`, value, title, kind: below ? "below" : "" };
    const told = [text, about ? h("small", {}, ` ${about}`) : ""];
    return { value, text, group, below, words, ...check(told, tick, looks) };
  }
  const sync = (entries, values) => {
    const text = JSON.stringify(entries);
    if (text !== drawn) {
      lines = entries.map(line);
      const groups = Map.groupBy(lines, ({ group }) => group);
      const named = ([name, members]) =>
        h(
          "div",
          {},
          name && h("div", { class: "caption" }, name),
          members.map(({ element }) => element),
        );
      list.replaceChildren(...[...groups].map(named));
      search.hidden = matching.hidden = lines.length <= SEARCHED;
      match();
    }
    drawn = text;
    chosen = new Set(values);
    mark();
  };
  return { element: h("div", { class: `field several ${kind}`, title }, caption, details), sync };
}
