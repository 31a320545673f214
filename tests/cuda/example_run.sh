# What example_*.sh share: to run a program and judge what it says. Sourced after `program` and `name` are set.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/tt-example-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fault() { echo "FAULT: $*"; failed=1; }

# run ARGUMENT...: leaves status, and the texts in $work/out and $work/err.
run() {
  "$program" "$@" > "$work/out" 2> "$work/err"
  status=$?
}
# succeeds ARGUMENT...: exit 0 and nothing on stderr. Where it says that there is no device, the test is skipped.
succeeds() {
  run "$@"
  if [ $status = 2 ] && [ "$(cat "$work/err")" = "$name: there is no CUDA device" ] && [ $failed = 0 ]; then
    echo "skipped: no CUDA device"
    exit 77
  fi
  [ $status = 0 ] && [ ! -s "$work/err" ] || fault "$name $*: exit $status: $(cat "$work/err")"
}
# refuses SENTENCE ARGUMENT...: exit 2 and one line on stderr with SENTENCE in it (a basic regular expression).
refuses() {
  sentence=$1
  shift
  run "$@"
  [ $status = 2 ] || fault "$name $*: exit $status instead of 2"
  [ "$(wc -l < "$work/err")" = 1 ] && grep -q "^$name: .*$sentence" "$work/err" ||
    fault "$name $*: not one line with '$sentence': $(cat "$work/err")"
}
