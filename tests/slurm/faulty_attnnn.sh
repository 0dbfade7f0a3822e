#!/usr/bin/env bash
# Comes before `attnnn` on the path of jobs, and spoils one call for each fault that a test laid down:
# a file $FAULTS/KIND whose text the call must contain. Whoever moves the file away has the fault.
set -eu
for fault in "$FAULTS"/*; do
    [[ -f $fault ]] || continue
    kind=$(basename "$fault")
    [[ "$*" == *"$(<"$fault")"* ]] && mv "$fault" "$FAULTS/done/$kind" || continue
    echo "this attempt $kind" >&2
    case $kind in
        fails) exit 1 ;;
        is-cancelled) scancel "$SLURM_JOB_ID"; sleep 900 ;;
        takes-too-long) sleep 900 ;;
        takes-too-much) exec python -c "import time; much = b'x' * 2**31; time.sleep(900)" ;;
    esac
done
exec "$ATTNNN" "$@"
