// What the page and the explorer share: elements with escaped text, the tabs of the views, and the clipboard.

const SVG = "http://www.w3.org/2000/svg";

/** Create an element: attributes are set by name, functions are listeners, all other children are text. */
function make(space, tag, attributes, children) {
  const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) => make(SVG, tag, attributes, children);

/** The data in a text: JSON that was compressed, as base64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Fill a bar with tabs, which arrow keys go through too; returns a function that marks that of a view. */
function tabs(bar, titles, panel, choose) {
  const act = (view) => (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens the link elsewhere
    event.preventDefault();
    choose(view);
  };
  const every = Object.entries(titles).map(([view, title]) =>
    h("a", { role: "tab", "data-view": view, "aria-controls": panel, click: act(view) }, title),
  );
  bar.replaceChildren(...every);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = every[(every.indexOf(event.target) + step + every.length) % every.length];
    next.focus();
    next.click();
    event.preventDefault();
  });
  return (view, addressOf = null) => {
    for (const one of every) {
      const isCurrent = one.dataset.view === view;
      one.setAttribute("aria-selected", isCurrent);
      one.tabIndex = isCurrent ? 0 : -1;
      if (addressOf) one.href = addressOf(one.dataset.view);
      if (isCurrent) bar.scrollLeft = one.offsetLeft - bar.offsetLeft - 60;
    }
  };
}

/** Copy a text, and say on the button if that was possible; a page that is neither local nor by HTTPS has no clipboard. */
async function copied(button, text) {
  const isDone = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  button.dataset.label ??= button.textContent;
  button.textContent = isDone ? "Copied" : "Not allowed here";
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 1500);
}
