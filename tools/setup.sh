#!/bin/sh
# tools/setup.sh demo|test|bench ...: installs what building those needs and this machine lacks, by apt-get.
# Says which packages, asks nothing, and prints nothing when all is there. Where it may not install, it prints the
# commands to run and exits with 1.
set -eu

# A check tries what the build will use, so what came from elsewhere than a package counts too.
runs() { "$1" --version >/dev/null 2>&1; }

header() {   # header Eigen/Core
  [ -e "/usr/include/$1" ] || [ -e "/usr/include/eigen3/$1" ] ||
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1
}

catch2() { header catch2/catch_all.hpp || header catch2/catch.hpp; }   # version 3, version 2

openmp() {   # openmp g++: it compiles C++20 and links an OpenMP program
  printf '#include <concepts>\n#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n' |
    "$1" -std=c++20 -fopenmp -x c++ - -o "$scratch/openmp" >/dev/null 2>&1
}

sanitizer() {   # sanitizer clang++: its run-time libraries are there
  printf 'int main() {}\n' | "$1" -fsanitize=thread -x c++ - -o "$scratch/sanitizer" >/dev/null 2>&1
}

need() {   # need PACKAGE CHECK...
  package=$1
  shift
  "$@" || missing="$missing $package"
}

look() {   # look demo|test|bench: adds what is not there to $missing
  need make runs make
  need cmake runs cmake
  need ninja-build runs ninja
  need g++ openmp "${CXX:-g++}"
  need libeigen3-dev header Eigen/Core
  need zlib1g-dev header zlib.h
  case $1 in
    demo) ;;
    test)
      need catch2 catch2
      need nlohmann-json3-dev header nlohmann/json.hpp
      need clang runs clang++
      need libomp-dev openmp clang++
      need libclang-rt-dev sanitizer clang++
      need ccache runs ccache
      need valgrind runs valgrind
      need python3 runs python3
      ;;
    bench) need python3 runs python3 ;;
    *)
      echo "usage: tools/setup.sh demo|test|bench ..." >&2
      exit 2
      ;;
  esac
}

look_for_all() {
  missing=
  for purpose in "$@"; do look "$purpose"; done
  missing=$(printf '%s\n' $missing | sort -u | tr '\n' ' ')
  missing=${missing% }
}

give_up() {   # give_up REASON
  echo "setup: missing: $missing" >&2
  echo "setup: $1. On a Debian-like machine these commands install it:" >&2
  echo "  ${sudo:+sudo }apt-get update" >&2
  echo "  ${sudo:+sudo }apt-get install -y --no-install-recommends $missing" >&2
  exit 1
}

[ $# -gt 0 ] || set -- usage
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
look_for_all "$@"
[ -n "$missing" ] || exit 0

sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
command -v apt-get >/dev/null || give_up "there is no apt-get here"
[ -z "$sudo" ] || $sudo true 2>/dev/null || give_up "neither root nor sudo without a password"

echo "setup: installing $missing"
apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq"
$apt update || echo "setup: apt-get update failed, trying with the lists that are here" >&2
$apt install -y --no-install-recommends $missing >"$scratch/log" 2>&1 || {
  cat "$scratch/log" >&2
  give_up "apt-get install failed"
}
look_for_all "$@"
[ -z "$missing" ] || give_up "installed, but what the build needs still does not work"
