#!/usr/bin/env bash
# Measures with serbench, judges a candidate against its baseline, and writes a summary: what the workflow
# serbench.yml runs, for any other CI and for a terminal. Settings are environment variables:
#   SERBENCH    what pip installs where there is no serbench yet
#   NOTEBOOKS   which notebooks papermill runs, by name or file; empty for none
#   PARAMETERS  their parameters, such as "payload=orders.json libraries=msgspec,pydantic"
#   EFFORT      quick, normal or thorough
#   GATE        what `serbench gate` is given, such as "--baseline pydantic==2.10 --candidate pydantic --format orjson"; empty for no gate
#   RESULTS     the folder for tables, executed notebooks, a page with all results (page/index.html) and the summary
set -euo pipefail
mkdir -p "${RESULTS:-serbench-results}"
results=$(cd "${RESULTS:-serbench-results}" && pwd)
summary=${GITHUB_STEP_SUMMARY:-$results/summary.md}

if ! command -v serbench >/dev/null; then
  python3 -m venv "$results/.venv"
  "$results/.venv/bin/pip" install --quiet "${SERBENCH:?names what pip installs, such as serbench[report]}"
  PATH="$results/.venv/bin:$PATH"
fi

status=0
if [ -n "${NOTEBOOKS-your_own_data}" ]; then
  parameters=()
  for pair in ${PARAMETERS-}; do parameters+=(--parameter "$pair"); done
  # shellcheck disable=SC2086 # several names are several words; bash 3 knows no empty arrays
  serbench report ${NOTEBOOKS-your_own_data} ${parameters[@]+"${parameters[@]}"} --effort "${EFFORT:-quick}" --output "$results" || status=$?
  find "$results" -name results.md -exec cat {} + >>"$summary"
  if [ -n "$(find "$results" -name run.json)" ]; then
    serbench report --html "$results/page" --output "$results" || status=$?
  fi
fi

if [ -n "${GATE-}" ]; then
  echo >>"$summary"
  judged=0
  # shellcheck disable=SC2086 # options are words
  serbench gate $GATE --effort "${EFFORT:-quick}" --output "$summary" || judged=$?
  if [ "$judged" -eq 3 ]; then
    echo "The gate is undecided, which fails nothing; a greater EFFORT may decide." | tee -a "$summary"
  elif [ "$judged" -ne 0 ]; then
    status=$judged
  fi
fi
exit "$status"
