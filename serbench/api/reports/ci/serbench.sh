#!/usr/bin/env bash
# Measures with serbench, judges a candidate against its baseline, and writes a summary. The workflow serbench.yml
# runs this script; it also works in any other CI and in a terminal. Settings are environment variables:
#   SERBENCH    requirement that pip installs if serbench is not installed
#   NOTEBOOKS   notebooks that papermill runs, by name or file; empty for none
#   PARAMETERS  their parameters, such as "payload=orders.json libraries=msgspec,pydantic"
#   EFFORT      quick, normal or thorough
#   GATE        options of `serbench gate`, such as "--baseline pydantic==2.10 --candidate pydantic --format orjson"; empty for no gate
#   RESULTS     the folder for tables, executed notebooks, a page with all results (page/index.html) and the summary
set -euo pipefail
mkdir -p "${RESULTS:-serbench-results}"
results=$(cd "${RESULTS:-serbench-results}" && pwd)
summary=${GITHUB_STEP_SUMMARY:-$results/summary.md}

if ! command -v serbench >/dev/null; then
  python3 -m venv "$results/.venv"
  "$results/.venv/bin/pip" install --quiet "${SERBENCH:?set it to the requirement that pip installs, such as serbench[report]}"
  PATH="$results/.venv/bin:$PATH"
fi

status=0
if [ -n "${NOTEBOOKS-your_own_data}" ]; then
  parameters=()
  for pair in ${PARAMETERS-}; do parameters+=(--parameter "$pair"); done
  # shellcheck disable=SC2086 # names are split into words; bash 3 does not support empty arrays
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
    echo "The gate is undecided, which does not fail the job; a greater EFFORT may decide it." | tee -a "$summary"
  elif [ "$judged" -ne 0 ]; then
    status=$judged
  fi
fi
exit "$status"
