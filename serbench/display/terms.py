"""The terms of the explorer's views, each in a sentence; docs/glossary.md has all terms."""

TERMS = {
    "case": "library × variant × codec, rendered for one schema",
    "codec": "an implementation of a format: json, orjson, msgspec, …",
    "variant": "a way of using a library: `default`, as its documentation introduces it, or a documented tuning such as "
    "`gc=False`",
    "operation": "`encode` and `decode`: object ↔ bytes; `dump` and `load`: object ↔ builtins; `dumps` and `loads`: builtins ↔ "
    "bytes; `read`: access every field of a decoded document; `build`: plain values → objects; `frame`: bytes → a pandas "
    "data frame; `reject`, `reject_first`: invalid bytes → an error",
    "work class": "the work that an operation does: it yields objects or dicts, and checks strictly, coerces, or does not "
    "check; measured with wrong input, except for formats whose bytes hold no types (`typed`)",
    "reference": "the fastest case in a first measurement, among lossless cases that yield the user's own objects or plain "
    "values; every other case of the table is measured next to it",
    "conditions": "what consecutive calls meet: `hot` (one document again and again) or `varied` (another document in each "
    "call, objects that were just made, the last results still in use)",
    "A/A error": "the difference between identical code under two names in this run; a measure of its accuracy",
}
