// How the page of a widget knows if its kernel is there.

const ASKED_MS = 1500; // how often the kernel is asked if it is there
const SILENT_MS = 4000; // after which it is reported that it does not answer
const RESTARTED = "The kernel restarted: run this cell again";

/**
 * Ask the kernel now and then if it is there, while an answer `isDue`; `say` gets why there is none, and "" once there is.
 * What is returned hears of the kernel, `dropped` of its end, and `end` asks no more.
 */
function watchKernel(model, { isApp, isDue, say }) {
  let heard = Date.now(), ticked = heard, isDropped = false, said = "";
  const tell = (text) => { if (text !== said) say(said = text); };
  const ask = () => { try { model.send({ do: "alive" }); } catch { /* its connection is closed */ } };
  const tick = () => {
    const now = Date.now();
    const slept = document.hidden || now - ticked > 3 * ASKED_MS; // timers of hidden pages are slow
    ticked = now;
    if (slept || globalThis.serbenchFirst === model || !(isApp || isDropped || isDue())) { heard = now; return; }
    ask();
    if (now - heard < (isDropped ? ASKED_MS : SILENT_MS)) return;
    if (isApp) tell("The kernel of this page has ended: load the page again");
    else tell(isDropped ? RESTARTED : "The kernel does not answer: it is busy with another cell, or was restarted; then run this cell again");
  };
  const timer = setInterval(tick, ASKED_MS);
  return {
    heard() { heard = Date.now(); isDropped = false; tell(""); },
    dropped() { if (globalThis.serbenchFirst !== model) isDropped = true; },
    end: () => clearInterval(timer),
  };
}
