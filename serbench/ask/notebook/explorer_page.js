// The explorer's page: elements, plotly.js and figures that fit.

const TITLES = { tradeoff: "trade-off" };
const WHOSE = { yours: "● this machine", published: "■ published", both: "● this machine and ■ the published one" };
const LIVE_PAUSE_MS = 600;
const PART_BYTES = 4 << 20;
const NARROW_PX = 620;
const TOP_PX = 34; // for the heading of the first panel
const BOTTOM_PX = 52;
const POINT = ["workload", "payload", "schema", "model", "records", "depth", "seed", "libraries", "formats", "operation", "conditions", "gc", "live"];
let serial = 0;

function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  // Lab applies its shortcuts to the focused element: arrows and Enter belong to the control.
  if (element.tabIndex >= 0 || attributes.role === "tab") element.setAttribute("data-lm-suppress-shortcuts", "true");
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function later(wait, act) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
}

/** What has the focus, also if the explorer stands in a shadow tree, as in marimo. */
const focused = (element) => element.getRootNode().activeElement;

/** Escaped text as text. */
const plain = (markup) => new DOMParser().parseFromString(markup, "text/html").body.textContent;

const number = (value) => Number(value).toLocaleString("en");

/** plotly.js, sent by the kernel once for all explorers of a page. */
function plotly(model) {
  globalThis.serbenchPlotly ??= new Promise((resolve, reject) => {
    const receive = async (content, buffers) => {
      if (!content.plotly) return;
      model.off("msg:custom", receive);
      try {
        const unpacked = new Blob([buffers[0]]).stream().pipeThrough(new DecompressionStream("gzip"));
        const text = await new Response(unpacked).text();
        const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        // An AMD loader on the page (Notebook, Voila) would capture the library.
        const define = globalThis.define;
        globalThis.define = undefined;
        const script = h("script", { src: url });
        script.onload = () => {
          globalThis.define = define;
          resolve(globalThis.Plotly);
        };
        script.onerror = reject;
        document.head.append(script);
      } catch (error) {
        reject(error);
      }
    };
    model.on("msg:custom", receive);
    model.send({ do: "plotly" });
  });
  return globalThis.serbenchPlotly;
}

/**
 * A figure without its title and notes, which the page shows as text of its own width; on a narrow page the labels of
 * its rows stand above their dots, or are short if the rows are filled with cells.
 */
function fitted(figure, width) {
  const { title, meta, annotations, margin, height, ...rest } = figure.layout;
  const space = { ...margin, t: TOP_PX, b: BOTTOM_PX };
  const layout = { ...rest, annotations: annotations.slice(0, -1), margin: space };
  layout.height = height - margin.t - margin.b + TOP_PX + BOTTOM_PX;
  const cells = figure.data.some((trace) => trace.type === "heatmap" && trace.colorbar);
  let data = figure.data;
  if (width < NARROW_PX && cells) {
    space.l = width * 0.38;
    space.b += 90;
    layout.height += 90;
    const most = Math.floor(space.l / 5.2);
    const short = (text) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
    const rows = figure.data[0].y;
    layout.yaxis = { ...layout.yaxis, automargin: false, tickvals: rows, ticktext: rows.map(short), tickfont: { size: 9 } };
    const colorbar = { orientation: "h", y: 0, yanchor: "top", x: 0.5, len: 1.2, tickfont: { size: 9 }, tickangle: -35 };
    data = figure.data.map((trace) => ({ ...trace, xgap: 0, colorbar: { ...trace.colorbar, ...colorbar } }));
    layout.xaxis = { ...layout.xaxis, automargin: false, tickangle: -90, tickfont: { size: 8 } };
  } else if (width < NARROW_PX) {
    for (const [name, axis] of Object.entries(rest)) {
      if (!name.startsWith("yaxis") || axis.type !== "category") continue;
      space.l = 14;
      layout[name] = { ...axis, showticklabels: false, automargin: false };
      const yshift = layout.barmode ? 16 : 12;
      const place = { x: 0, xref: "paper", xanchor: "left", yref: name.replace("axis", ""), yshift, showarrow: false };
      layout.annotations.push(...axis.tickvals.map((label) => ({ ...place, y: label, text: label, font: { size: 11 } })));
    }
    if (space.l === 14) layout.height += (layout.height - TOP_PX - BOTTOM_PX) * 0.7;
    if (layout.barmode) layout.bargap = 0.85; // the labels stand above thin bars
    layout.legend = { orientation: "h", x: 0, y: -0.1, yanchor: "top", ...layout.legend };
  }
  return { figure: { data, layout }, finding: plain(meta.finding), below: plain(meta.below), notes: meta.notes.map(plain) };
}

/** Wait until the element is on the page: a figure drawn earlier does not know its width. */
function onPage(element) {
  return new Promise((resolve) => {
    const look = () => (element.isConnected && element.clientWidth ? resolve() : requestAnimationFrame(look));
    look();
  });
}

/** The theme of the surrounding page, light or dark. */
function pageTheme() {
  const probe = h("div", { style: "background: var(--jp-layout-color0, Canvas)" });
  document.body.append(probe);
  const [r, g, b] = getComputedStyle(probe).backgroundColor.match(/[\d.]+/g).map(Number);
  probe.remove();
  return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}

