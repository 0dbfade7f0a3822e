#!/usr/bin/env bash
# Stands in for `attnnn` where a test asks which jobs run and when, not what they compute: writes
# every output of a verb, with new content each time, and notes the call in $CALLS.
set -eu
verb=$1; shift
name=
if [[ $verb == table || $verb == figure ]]; then name=$1; shift; fi
runs=()
while (($#)); do
    case $1 in
        --config) results=$(dirname "$2") ;;
        --corpus) corpus=$2 ;;
        --run) runs+=("$2") ;;
        --threads) ;;
        *) echo "stand-in: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
call="$verb ${name}${corpus:-}"
if ((${#runs[@]})); then
    for run in "${runs[@]}"; do echo "$call ${run/\/seed-/ }"; done
else
    echo "$call"
fi >> "$CALLS"
[[ -f $results/config.yaml ]]
if [[ ${FAILS:-} == "$verb ${corpus:-}" ]]; then echo "attnnn: told to fail" >&2; exit 1; fi
files=()
each() {  # the same files of every run
    local run pattern
    for run in "${runs[@]}"; do
        for pattern in "$@"; do files+=("${pattern/RUN/$corpus/$run}"); done
    done
}
case $verb in
    prepare) files=(corpora/$corpus/{documents.parquet,vocabulary.parquet,description.json}) ;;
    check) files=(corpora/checked.json) ;;
    embed) files=(corpora/$corpus/embedding.safetensors) ;;
    weigh) files=(corpora/$corpus/log_odds.parquet) ;;
    train) each models/RUN/{weights.safetensors,model.json,history.parquet,predictions.parquet} ;;
    measure) each importance/RUN/{gradient,leave_one_out}.parquet ;;
    correlate) each correlation/RUN.parquet ;;
    permute) each permutation/RUN.parquet ;;
    search) each searched_adversary/RUN.parquet searched_candidates/RUN.parquet ;;
    solve) each exact_adversary/RUN.parquet ;;
    replace) each replacement/RUN.parquet ;;
    diverge) each divergence/RUN.parquet ;;
    table) files=(tables/$name.{csv,md,tex}) ;;
    figure) files=(figures/$name.{pdf,png}) ;;
esac
for file in "${files[@]}"; do
    mkdir -p "$(dirname "$results/$file")"
    echo "$RANDOM$RANDOM$RANDOM" > "$results/$file"
done
