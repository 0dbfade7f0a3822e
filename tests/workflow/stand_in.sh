#!/usr/bin/env bash
# Stands in for `attnnn` where a test asks which jobs run and when, not what they compute: writes
# every output of a verb, with new content each time, and notes the call in $CALLS.
set -eu
verb=$1; shift
name=
if [[ $verb == table || $verb == figure ]]; then name=$1; shift; fi
run=
while (($#)); do
    case $1 in
        --config) results=$(dirname "$2") ;;
        --corpus) corpus=$2 ;;
        --run) run=$2 ;;
        --threads) ;;
        *) echo "stand-in: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
call="$verb ${name}${corpus:-}"
echo "$call${run:+ ${run/\/seed-/ }}" >> "$CALLS"
[[ -f $results/config.yaml ]]
if [[ ${FAILS:-} == "$verb ${corpus:-}" ]]; then echo "attnnn: told to fail" >&2; exit 1; fi
about=${corpus:-}/$run
case $verb in
    prepare) files=(corpora/$corpus/{documents.parquet,vocabulary.parquet,description.json}) ;;
    embed) files=(corpora/$corpus/embedding.safetensors) ;;
    weigh) files=(corpora/$corpus/log_odds.parquet) ;;
    train) files=(models/$about/{weights.safetensors,model.json,history.parquet,predictions.parquet}) ;;
    measure) files=(importance/$about/{gradient,leave_one_out}.parquet) ;;
    correlate) files=(correlation/$about.parquet) ;;
    permute) files=(permutation/$about.parquet) ;;
    search) files=({searched_adversary,searched_candidates}/$about.parquet) ;;
    solve) files=(exact_adversary/$about.parquet) ;;
    replace) files=(replacement/$about.parquet) ;;
    table) files=(tables/$name.{csv,md,tex}) ;;
    figure) files=(figures/$name.{pdf,png}) ;;
esac
for file in "${files[@]}"; do
    mkdir -p "$(dirname "$results/$file")"
    echo "$RANDOM$RANDOM$RANDOM" > "$results/$file"
done
