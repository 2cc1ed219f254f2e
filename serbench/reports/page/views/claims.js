// Published claims, measured again.

function claimsView() {
  if (!page.claims)
    return {
      finding: "No claims were measured",
      parts: [
        h(
          "p",
          {},
          "serbench can measure again what articles and documentations have published; this page was made without such measurements.",
        ),
      ],
      isAlone: true,
    };
  return {
    finding: `${plural(page.claims.length, "published claim")}, measured again`,
    parts: page.claims.map((claim) =>
      h(
        "article",
        { class: "claim" },
        h("h3", {}, claim.title || claim.id),
        Object.entries(claim)
          .filter(([name, value]) => !["id", "title"].includes(name) && value !== null && value !== "")
          .map(([name, value]) => h("p", {}, h("b", {}, `${name.replaceAll("_", " ")}: `), String(value))),
      ),
    ),
  };
}

VIEWS.claims = { title: "Claims", show: claimsView };
