/* How the search orders its results: words in the title first, then the pages written by hand. Words such as "which" do not count.
   A page leads to its section whose heading has more of the words than the page's title. */
var Scorer = {
  words: undefined, // those asked for, as patterns
  sections: {}, // page → the share of the words that a heading has, the heading and its anchor

  share: (title) => Scorer.words.filter((word) => word.test(title)).length / (Scorer.words.length || 1),

  prepare: () => {
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    const words = (asked.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) || []).filter((word) => !stopwords.has(word));
    const stemmer = new Stemmer();
    Scorer.words = words.map((word) => new RegExp("(^|[^\\p{L}\\p{N}])" + stemmer.stemWord(word), "iu"));
    for (const [title, places] of Object.entries(Search._index.alltitles)) {
      const share = Scorer.share(title);
      for (const [file, id] of places) {
        const page = Search._index.docnames[file];
        if (id && share > (Scorer.sections[page]?.[0] ?? 0)) Scorer.sections[page] = [share, title, id];
      }
    }
  },

  score: (item) => {
    if (!Scorer.words) Scorer.prepare();
    const [name, title, anchor, , score] = item;
    const [most, heading, id] = Scorer.sections[name] ?? [0];
    let share = Scorer.share(title);
    if (!anchor && most > share && most > 0.5) {
      item[1] = `${title} > ${heading}`;
      item[2] = `#${id}`;
      share = most;
    }
    const generated = /^(CHANGELOG|CONTRIBUTING|data\/|docs\/(api|articles|libraries|maintaining)|notebooks\/)/.test(name);
    return score + 40 * share - (generated ? 25 : 0);
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
