// What the explorer shows around a view: what a change from today's case brings, and the user's own data.

/** Replace what is within an element; the control that has the focus, by its key, keeps it. */
function redraw(element, ...children) {
  const key = element.contains(focusBeside(element)) && focusBeside(element).dataset.key;
  element.replaceChildren(...children);
  if (key) [...element.querySelectorAll("[data-key]")].find((control) => control.dataset.key === key)?.focus({ preventScroll: true });
}

/** What a change from the present case would bring and cost; its code closes when another view opens. */
function drawPresent(place, { present, view }, context) {
  const text = JSON.stringify([present, view]);
  if (place.present.drawn === text) return;
  place.present.drawn = text;
  redraw(place.present, ...(present?.against ?? []).map((one) => {
    const [gain, ...changes] = one.lines;
    const button = h("button", { type: "button", "data-key": `adopt ${one.case}` }, "Show the code of the change");
    const code = h("div", { "data-case": one.case });
    button.addEventListener("click", () => {
      button.disabled = true;
      code.textContent = "verifying…";
      context.send({ do: "adopt", case: one.case });
    });
    return h("div", { class: "today" }, h("b", {}, gain),
      ...(changes.length
        ? [h("details", { open: place.present.clientWidth >= NARROW_PX }, h("summary", {}, `what would change (${changes.length})`),
          h("ul", {}, ...changes.map((change) => h("li", {}, change.replace(/^what would change: /, ""))))), button, code]
        : []));
  }));
}

function drawAdopted(place, adopted, context) {
  const found = [...place.present.querySelectorAll("[data-case]")].find((one) => one.dataset.case === adopted.case);
  if (!found) return;
  found.previousSibling.disabled = false;
  if (adopted.reason) { found.textContent = adopted.reason; return; }
  found.previousSibling.hidden = true;
  const button = h("button", { type: "button", class: "sb-copy" }, "Copy the change");
  button.addEventListener("click", () => copied(button, adopted.source));
  found.replaceChildren(h("details", { open: true }, h("summary", {}, "the code of the change"),
    button, h("pre", { tabindex: 0, "aria-label": "Code of the change" }, context.lit(adopted.source))));
}

/** The data's models, below a line that says what was read. */
function drawData(place, data, context) {
  const text = data?.models ?? "";
  const doubts = data?.doubts ?? [];
  const drawn = text + JSON.stringify(doubts);
  if (place.data.drawn === drawn) return;
  place.data.drawn = drawn;
  const models = h("pre", { tabindex: 0, "aria-label": "Models" }, context.lit(text));
  const named = (text) => text.split("`").map((part, number) => (number % 2 ? h("code", {}, part) : part));
  const decide = ({ says, option, path, on }) => h("li", {}, ...named(says), " ",
    h("button", { type: "button", "data-key": `${option} ${path}`, "aria-label": `${on ? "Undo" : "Read as"} ${option}: ${path}`,
      click: () => context.send({ do: "decide", option, path }) }, on ? "Undo" : `Read as ${option}`));
  const checked = doubts.length ? `, ${doubts.length} worth checking` : "";
  const open = place.data.querySelector("details")?.open ?? false;
  redraw(place.data, ...(text ? [h("details", { open }, h("summary", { "data-key": "models" }, `${data.about}: the models${checked}`),
    ...(doubts.length ? [h("p", { class: "sb-small" }, "Worth checking:"), h("ul", { class: "sb-small sb-doubts", "aria-label": "Worth checking" }, ...doubts.map(decide))] : []), models)] : []));
}
