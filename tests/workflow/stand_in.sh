#!/usr/bin/env bash
# Stands in for `attnnn` where a test asks which jobs run and when, not what they compute: writes
# every output of a verb, with new content each time, and notes the call in $CALLS.
set -eu
verb=$1; shift
name=
if [[ $verb == table || $verb == figure ]]; then name=$1; shift; fi
while (($#)); do
    case $1 in
        --config) results=$(dirname "$2") ;;
        --corpus) corpus=$2 ;;
        --model) model=$2 ;;
        --seed) seed=$2 ;;
        --method) method=$2 ;;
        --threads) ;;
        *) echo "stand-in: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
echo "$verb ${name}${corpus:-} ${model:-} ${seed:-} ${method:-}" >> "$CALLS"
[[ -f $results/config.yaml ]]
if [[ ${FAILS:-} == "$verb ${corpus:-}" ]]; then echo "attnnn: told to fail" >&2; exit 1; fi
run=${corpus:-}/${model:-}/seed-${seed:-}
case $verb in
    prepare) files=(corpora/$corpus/{documents.parquet,vocabulary.parquet,description.json}) ;;
    check) files=(corpora/checked.json) ;;
    embed) files=(corpora/$corpus/embedding.safetensors) ;;
    train) files=(models/$run/{weights.safetensors,model.json,history.parquet,predictions.parquet}) ;;
    measure) files=(importance/$run/$method.parquet) ;;
    correlate) files=(correlation/$run.parquet) ;;
    permute) files=(permutation/$run.parquet) ;;
    search) files=(searched_adversary/$run.parquet searched_candidates/$run.parquet) ;;
    solve) files=(exact_adversary/$run.parquet) ;;
    diverge) files=(divergence/$run.parquet) ;;
    table) files=(tables/$name.{csv,md,tex}) ;;
    figure) files=(figures/$name.{pdf,png}) ;;
esac
for file in "${files[@]}"; do
    mkdir -p "$(dirname "$results/$file")"
    echo "$RANDOM$RANDOM$RANDOM" > "$results/$file"
done
