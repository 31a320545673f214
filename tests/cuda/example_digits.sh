#!/bin/sh
# example_digits.sh PROGRAM: examples/cuda_digits as a person runs it, in the project's folder.
program=$1 name=cuda_digits
. "$(dirname "$0")/example_run.sh"

run --help   # asks for no device
for option in data graph epochs batch lr seed help; do
  [ $status = 0 ] && grep -q -e "--$option" "$work/out" || fault "--help does not tell of --$option"
done
refuses "there is no option '--bogus'" --bogus
for option in data epochs batch lr seed; do
  refuses "option --$option needs a value" --$option
  refuses "option --$option needs a value" --$option ''
done
for value in 0 -1 1.5 x 99999999999999999999; do
  refuses "option --epochs needs a whole number.*not '$value'" --epochs $value
  refuses "option --batch needs a whole number.*not '$value'" --batch $value
done
refuses "option --lr needs a positive number" --lr nan
refuses "cannot open 'none/digits-images-idx3-ubyte.gz'" --data none
refuses "option --graph needs a whole batch: --batch is 1438, and there are 1437 training rows" --graph --batch 1438

# learns: the test accuracy, the last line, is 0.9 or more.
learns() {
  succeeds "$@"
  tail -n 1 "$work/out" | grep -qx 'test accuracy: 0\.9[0-9][0-9][0-9]' || fault "$name $*: $(cat "$work/out")"
  sed -n 's/^epoch .* loss \([0-9.]*\) .*images\/s.*/\1/p' "$work/out" > "$work/$losses"
}
losses=steps; learns --epochs 3
[ "$(wc -l < "$work/steps")" = 3 ] || fault "there are not three lines of progress"
grep -q '1437 training rows, 360 test rows, 4810 parameters' "$work/out" || fault "the sizes are not told"
losses=graph; learns --epochs 3 --graph   # an epoch has 44 full batches and one of 29 rows; the first step is no launch
grep -qx '131 of 135 steps were launches of the graph' "$work/out" || fault "not 131 launches: $(cat "$work/out")"
paste "$work/steps" "$work/graph" | awk 'NF != 2 || ($1 - $2) ^ 2 > 1e-6 { exit 1 }' ||
  fault "the graph's losses differ: $(paste "$work/steps" "$work/graph")"
succeeds --epochs 1 --batch 5000   # one small batch
exit $failed
