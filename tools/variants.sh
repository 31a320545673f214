#!/usr/bin/env bash
# tools/variants.sh [NAME...]: builds the tests of tests/ci_variants.txt with both compilers and with the flags that decide
# which kernels there are, and runs them. Names choose variants: tools/variants.sh g++-O0 clang++-native
set -euo pipefail
cd "$(dirname "$0")/.."

# NAME COMPILER FLAGS, and gnu++20 where the extensions of that compiler are to be on.
variants='
g++-O0         g++      -O0
g++-O2         g++      -O2 gnu++20
g++-v3         g++      -O2 -march=x86-64-v3
g++-native     g++      -O3 -march=native
clang++-O0     clang++  -O0
clang++-O2     clang++  -O2 gnu++20
clang++-v3     clang++  -O2 -march=x86-64-v3
clang++-native clang++  -O3 -march=native
'

# What x86-64-v3 adds to v2, by the kernel's names.
has_v3() {
  local feature
  for feature in avx avx2 bmi1 bmi2 f16c fma abm movbe xsave; do
    grep -m1 '^flags' /proc/cpuinfo | grep -qw "$feature" || return 1
  done
}

mapfile -t tests < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' tests/ci_variants.txt)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
pattern="^($(IFS='|'; echo "${tests[*]//./\\.}"))\$"
targets=("${tests[@]/#digits.*/digits}")   # the example is the target of all tests of it

variant() {   # variant NAME COMPILER FLAG...
  local name=$1 compiler=$2 extensions=OFF build=build/variants/$1
  shift 2
  if [ "${*: -1}" = gnu++20 ]; then
    extensions=ON
    set -- "${@:1:$#-1}"
  fi
  printf '\n-- %s: %s %s%s\n' "$name" "$compiler" "$*" "$([ $extensions = OFF ] || echo ' -std=gnu++20')"
  cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" -DTT_BUILD_TESTS=ON \
    -DTT_WERROR=ON -DCMAKE_CXX_EXTENSIONS=$extensions -DCMAKE_CXX_FLAGS_RELEASE="$*" >"$build.log" 2>&1 ||
    { cat "$build.log"; return 1; }
  cmake --build "$build" --target "${targets[@]}"
  ctest --test-dir "$build" -j2 --no-tests=error --output-on-failure -R "$pattern"
  accuracies+=("$("$build/examples/digits/digits" --out "$scratch" | tail -n 1)  $name")
}

mkdir -p build/variants
known=() accuracies=()
while read -r name compiler flags; do
  [ -n "$name" ] || continue
  known+=("$name")
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  if [[ $flags == *x86-64-v3* ]] && ! has_v3; then
    echo "skipped: $name, because this machine lacks x86-64-v3"
    continue
  fi
  variant "$name" "$compiler" $flags </dev/null
done <<<"$variants"
for name in "$@"; do
  [[ " ${known[*]} " == *" $name "* ]] || { echo "no variant is named $name; there are ${known[*]}" >&2; exit 2; }
done

# Roundings differ with the instructions there are, what the network has learned does not: two test images of 360 at most.
printf '\n'
printf '%s\n' "${accuracies[@]}"
printf '%s\n' "${accuracies[@]}" | awk '
  { low = NR == 1 || $3 < low ? $3 : low; high = $3 > high ? $3 : high }
  END { exit !(low >= 0.96 && high - low < 2.5 / 360) }' ||
  { echo "the digits network must end at 0.96 or better, and alike in all variants" >&2; exit 1; }
