#!/usr/bin/env bash
# What a CUDA device says about tt, in six minutes at most: tests, bandwidths, cuBLAS, a training step, the allocator and
# NVIDIA's sanitizers. The most valuable steps come first; each has its time, and one that fails stops no other.
#
#   device_check.sh [--kit FOLDER] [--seconds 360]   checks; prints lines of JSON, also into FOLDER/results.jsonl, and a
#                                                    table. Builds first what FOLDER, build/device by default, lacks
#   device_check.sh --build [--kit FOLDER]           only builds, which needs no device and so costs no time of one
#   device_check.sh --assume-device ..               does not look for a device: for the script's own test
#
# Exits with 1 if a step failed; without a device the last line is "no device", and that is no failure.
set -uo pipefail
cd "$(dirname "$0")/.."

kit=build/device seconds=360 only_build= assume=
while [ $# -gt 0 ]; do
  case $1 in
    --kit) kit=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --build) only_build=1; shift ;;
    --assume-device) assume=1; shift ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

collect() {   # what was built, into the kit
  cp build/dev/tests/cuda/cuda.*_dev build/dev/bench/device/device_bench "$kit/"
  rm -f "$kit/cuda.faults_dev"   # its mistakes are planted
  strip "$kit"/cuda.*_dev "$kit/device_bench"
}
build() {   # programs, unless the kit has them
  mkdir -p "$kit" || return
  [ -e "$kit/device_bench" ] && return 0
  cmake --preset dev >"$kit/build.log" &&
    cmake --build --preset dev --target device_programs -- -k 0 -j"${TT_JOBS:-$(nproc)}" >>"$kit/build.log"
  local status=$?
  collect
  [ $status = 0 ] || { grep -A3 '^FAILED' "$kit/build.log" | cut -c1-300; return 1; }
}
if [ -n "$only_build" ]; then
  build && du -sh "$kit"
  exit
fi

if [ -z "$assume" ] && ! compgen -G '/dev/nvidia[0-9]*' >/dev/null && [ ! -e /dev/dxg ]; then
  echo "no device"
  exit 0
fi
mkdir -p "$kit"
results=$kit/results.jsonl
: >"$results"
export LD_LIBRARY_PATH="/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
failed=0

# step NAME SECONDS COMMAND...: runs the command within that time and what is left of all; 77 says that it was skipped.
step() {
  local name=$1 limit=$2 left=$((seconds - SECONDS)) start status=skipped code=77
  shift 2
  [ $limit -le $left ] || limit=$left
  start=$(date +%s%N)
  if [ $limit -gt 0 ]; then
    timeout -k 5 "$limit" "$@" >"$kit/step.log" 2>&1
    code=$?
  fi
  case $code in
    0) status=passed ;;
    77) ;;
    124 | 137) status=timeout ;;
    *) status=failed ;;
  esac
  [ $status != failed ] || failed=1
  grep '^{"name"' "$kit/step.log" | tee -a "$results"
  [ $status = passed ] || [ $status = skipped ] || { echo "-- $name: $status ($code)"; tail -n 15 "$kit/step.log"; }
  printf '{"step": "%s", "status": "%s", "seconds": %d.%02d}\n' "$name" $status \
    $((($(date +%s%N) - start) / 1000000000)) $((($(date +%s%N) - start) / 10000000 % 100)) | tee -a "$results"
}

# Under some hypervisors the sanitizers refuse to run: then they end without a summary, and the step is skipped.
sanitized() {   # TOOL TEST...
  local tool=$1 name
  shift
  for name in "$@"; do
    step "$tool $name" 12 bash -c '"$@" && exit; code=$?; grep -q SUMMARY "$0" && exit $code; exit 77' "$kit/step.log" \
      "${sanitizer:-false}" --tool "$tool" --error-exitcode 1 --report-api-errors no --launch-count 400 \
      "$kit/cuda.${name}_dev"
  done
}

step "build" 150 bash tools/device_check.sh --build --kit "$kit"
[ -e "$kit/device_bench" ] || collect   # there was no time for all
if [ "$("$kit/device_bench" none 2>/dev/null)" = "no device" ]; then
  echo "no device"
  exit 0
fi

step "device" 20 "$kit/device_bench" device
for program in "$kit"/cuda.*_dev; do
  [ -x "$program" ] || continue
  name=${program##*/cuda.}
  step "test ${name%_dev}" 30 "$program"
done
step "elementwise" 25 "$kit/device_bench" elementwise
step "rows" 15 "$kit/device_bench" rows
step "reduce" 15 "$kit/device_bench" reduce
step "matmul" 20 "$kit/device_bench" matmul
step "train" 20 "$kit/device_bench" train
step "soak" 20 "$kit/device_bench" soak
sanitized memcheck kernels map move rows reduce index_add multi_tensor
sanitized racecheck kernels rows reduce move
sanitized synccheck kernels rows
sanitized initcheck map index_add

table() {
  local number='"value": \([^,]*\), "unit": "\([^"]*\)"' against='"against": "\([^"]*\)", "ratio": \([^,]*\)'
  local goal='"goal": \([^,]*\), "met": \([a-z]*\)'
  echo
  sed -n -e 's/^{"name": "\([^"]*\)", '"$number"'}$/\1|\2|\3|||/p' \
    -e 's/^{"name": "\([^"]*\)", '"$number, $against, $goal"'}$/\1|\2|\3|\5 of \4|\6|\7/p' \
    "$results" |
    awk -F'|' 'BEGIN { printf "%-52s %12s %-8s %-24s %5s\n", "what", "value", "unit", "ratio", "goal" }
      { printf "%-52s %12s %-8s %-24s %5s %s\n", $1, $2, $3, $4, $5, $6 == "false" ? "MISSED" : "" }'
  echo
  sed -n 's/^{"step": "\([^"]*\)", "status": "\([^"]*\)", "seconds": \([^}]*\)}$/\1|\2|\3/p' "$results" |
    awk -F'|' '{ printf "%-30s %-8s %8s s\n", $1, $2, $3; n[$2]++ } END { for (s in n) printf "%d %s\n", n[s], s }'
}
table
exit $failed
