#!/bin/sh
# example_custom_kernel.sh PROGRAM: examples/cuda_custom_kernel as a person runs it.
program=$1 name=cuda_custom_kernel
. "$(dirname "$0")/example_run.sh"

run --help   # asks for no device
[ $status = 0 ] && grep -q 'WINDOW' "$work/out" || fault "--help says '$(cat "$work/out")'"
refuses "there are too many arguments" 1 2 3
for value in 0 -1 1.5 x 100001 99999999999999999999; do
  refuses "LENGTH must be a whole number from 1 to 100000, not '$value'" $value
  refuses "WINDOW must be a whole number from 1 to 100000, not '$value'" 10 $value
done

for arguments in "" "1 1" "257 1" "300 300" "5000 7"; do
  succeeds $arguments
  [ "$(grep -c ': right$' "$work/out")" = 4 ] || fault "$name $arguments: $(cat "$work/out")"
done
refuses "windowed_sum: windows of 100, 1 apart, do not fit into 10 elements" 10
exit $failed
