/* How the search orders its results: words in the title first, then the pages written by hand. */
var Scorer = {
  score: ([name, title, anchor, description, score, file, kind]) => {
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    const words = asked.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) || [];
    const text = " " + title.toLowerCase();
    const found = words.filter((word) => text.search(new RegExp("[^\\p{L}\\p{N}]" + word, "u")) >= 0).length;
    const generated = /^(CHANGELOG|CONTRIBUTING|data\/|docs\/(api|articles|libraries|maintaining)|notebooks\/)/.test(name);
    return score + (words.length ? (40 * found) / words.length : 0) - (generated ? 25 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
