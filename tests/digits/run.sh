#!/bin/sh
# run.sh DIGITS PROJECT CASE: the built example as a person runs it, in a folder that vanishes.
set -u
digits=$1 project=$2 case=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/tt-digits-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ln -s "$project/examples" examples   # the default --data is relative to the project
data=$project/examples/digits/data
images=digits-images-idx3-ubyte.gz labels=digits-labels-idx1-ubyte.gz
failed=0

fault() { echo "FAULT: $*"; failed=1; }

# run ARGUMENT...: leaves status, and the texts in out and err.
run() {
  "$digits" "$@" > out 2> err
  status=$?
}
# succeeds ARGUMENT...: exit 0 and nothing on stderr.
succeeds() {
  run "$@"
  [ $status = 0 ] && [ ! -s err ] || fault "digits $*: exit $status: $(cat err)"
}
# refuses SENTENCE ARGUMENT...: exit 2, one line on stderr with SENTENCE in it (a basic regular expression), and
# kept/ is as it was.
refuses() {
  sentence=$1
  shift
  run "$@"
  [ $status = 2 ] || fault "digits $*: exit $status instead of 2"
  [ "$(wc -l < err)" = 1 ] && grep -q "^digits: .*$sentence" err ||
    fault "digits $*: not one line with '$sentence': $(cat err)"
  (cd kept && cksum *) | cmp -s - before || fault "digits $*: kept/ has changed"
}
last_line() { tail -n 1 out; }

case $case in
train)   # what a person sees who gives no option, and the same accuracy from the file
  succeeds
  last_line | grep -qx 'test accuracy: 0\.9[6-9][0-9][0-9]' || fault "the last line is '$(last_line)'"
  grep -q '1437 training rows, 360 test rows, 4810 parameters' out || fault "the sizes are not told"
  [ "$(grep -c '^epoch .* loss .* accuracy .* ETA ' out)" = 40 ] || fault "there are not 40 lines of progress"
  [ "$(ls -A digits-out | tr '\n' ' ')" = 'curve.svg metrics.csv model.safetensors ' ] ||
    fault "digits-out has $(ls -A digits-out)"
  trained=$(last_line)
  awk -F, -v last="${trained##* }" 'NR == 1 { ok = $0 == "epoch,loss,test_accuracy"; next }
    { ok = ok && NF == 3 && $1 == NR - 1 && $2 ~ /^[0-9]+\.[0-9]+$/ && $3 > 0 && $3 <= 1; a = $3 }
    END { exit !(ok && NR == 41 && sprintf("%.4f", a) == last) }' digits-out/metrics.csv || fault "metrics.csv is wrong"
  head -c 5 digits-out/curve.svg | grep -q '<svg ' && tail -n 1 digits-out/curve.svg | grep -qx '</svg>' ||
    fault "curve.svg is no picture"
  if command -v python3 > /dev/null; then
    python3 -c "import xml.etree.ElementTree as e; e.parse('digits-out/curve.svg')" || fault "curve.svg is not XML"
  fi
  mv digits-out kept
  succeeds --load kept/model.safetensors --predict
  [ "$(last_line)" = "$trained" ] || fault "--predict ends with '$(last_line)'"
  [ ! -e digits-out ] || fault "--predict writes files"
  [ "$(sed -n '/^confusion/,$p' out | grep -c ' | ')" = 10 ] || fault "the confusion matrix has not ten rows"
  succeeds --load kept/model.safetensors --epochs 1 --out a/b/c   # goes on from there; folders are made
  awk -F, 'NR == 2 { exit !($2 < 0.1) }' a/b/c/metrics.csv || fault "--load is not where training starts"
  ;;
threads)   # the same seed gives the same bits, for small batches and for those that threads share
  for batch in 32 1437; do
    for threads in 1 2 5; do succeeds --threads $threads --batch $batch --epochs 8 --out $threads; done
    for other in 2 5; do
      for file in model.safetensors metrics.csv; do
        cmp 1/$file $other/$file || fault "$file differs between one and $other threads, with batches of $batch"
      done
    done
  done
  succeeds --batch 1437 --epochs 8 --out other --seed 2
  cmp -s 1/model.safetensors other/model.safetensors && fault "another seed gives the same weights"
  ;;
help)
  succeeds --help
  for option in data out epochs batch lr seed threads load predict help; do
    grep -q -e "--$option" out || fault "--help does not tell of --$option"
  done
  succeeds --help --predict   # help comes before what is missing
  ;;
errors)
  succeeds --epochs 1 --out kept
  (cd kept && cksum *) > before
  model=kept/model.safetensors

  refuses "there is no option '--bogus'" --bogus --out kept
  refuses "there is no option 'train'" train --out kept
  for option in data out epochs batch lr seed threads load; do
    refuses "option --$option needs a value" --out kept --$option
    refuses "option --$option needs a value" --out kept --$option ''
  done
  for value in 0 -1 1.5 x 3x 99999999999999999999; do
    refuses "option --epochs needs a whole number.*not '$value'" --out kept --epochs $value
    refuses "option --batch needs a whole number" --out kept --batch $value
    refuses "option --threads needs a whole number" --out kept --threads $value
  done
  refuses "option --seed needs a whole number" --out kept --seed -1
  for value in 0 -1 x nan inf 1e-400 1,5; do refuses "option --lr needs a positive number" --out kept --lr $value; done
  refuses "option --predict needs weights" --predict --out kept

  # data: with FILE makes a folder of data whose FILE comes from stdin
  with() { rm -rf bad && mkdir bad && cp "$data/$images" "$data/$labels" bad && cat > "bad/$1"; }
  idx() { printf "$1"; head -c "$2" /dev/zero; }
  refuses "cannot open 'none/$images'" --data none --out kept
  with $images < "$data/$images" && rm bad/$labels
  refuses "cannot open 'bad/$labels': No such file" --data bad --out kept
  head -c 20000 "$data/$images" | with $images
  refuses "decompress 'bad/$images': it is truncated" --data bad --out kept
  gzip -dc "$data/$images" | head -c 50000 | gzip | with $images
  refuses "cannot read 'bad/$images' as IDX: it is truncated" --data bad --out kept
  { head -c 20000 "$data/$images"; printf 'XXXX'; tail -c +20005 "$data/$images"; } | with $images
  refuses "decompress 'bad/$images': the data are corrupt" --data bad --out kept
  with $images < "$data/README.md"
  refuses "cannot read 'bad/$images' as IDX" --data bad --out kept
  : | with $images
  refuses "cannot read 'bad/$images' as IDX: it has 0 bytes" --data bad --out kept
  with $images < "$data/$labels"
  refuses "cannot read 'bad/$images' as IDX: its magic number is 2049, and 2051 is wanted: it has 1 axes, not 3" --data bad --out kept
  idx '\0\0\010\003\0\0\0\002\0\0\0\034\0\0\0\034' 1568 | with $images
  refuses "bad/$images holds images of 28x28 pixels, 8x8 are expected" --data bad --out kept
  idx '\0\0\010\001\0\0\0\003' 3 | with $labels
  refuses "bad/$labels holds 3 labels for 1797 images" --data bad --out kept
  { gzip -dc "$data/$labels" | head -c 1804; printf '\013'; } | with $labels
  refuses "bad/$labels holds the label 11, which is no digit" --data bad --out kept
  { gzip -dc "$data/$images" | head -c 115023; printf '\021'; } | with $images
  refuses "bad/$images holds the value 17, 0 to 16 are expected" --data bad --out kept
  idx '\0\0\010\003\0\0\0\003\0\0\0\010\0\0\0\010' 192 | with $images && idx '\0\0\010\001\0\0\0\003' 3 > bad/$labels
  refuses "bad/$images holds 3 images, too few" --data bad --out kept
  gzip -dc "$data/$images" | with $images
  succeeds --data bad --epochs 1 --out plain   # not compressed: as good

  # weights
  weights() { refuses "$1" --load "$2" --out kept && refuses "$1" --load "$2" --predict --out kept; }
  model_of() { printf "\\$(printf %o ${#1})\\0\\0\\0\\0\\0\\0\\0%s" "$1"; head -c "$2" /dev/zero; }
  weights "cannot open 'none.safetensors': No such file" none.safetensors
  weights "cannot read 'kept': Is a directory" kept
  : > empty
  weights "cannot read 'empty' as safetensors: it has 0 bytes" empty
  head -c 9000 "$data/$images" > garbage
  weights "cannot read 'garbage' as safetensors" garbage
  head -c 9000 $model > short
  weights "cannot read 'short' as safetensors: .* bytes of data" short
  model_of '{"fc1.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}' 16 > other
  weights "another module's: fc1.weight is \[2, 2\] instead of \[64, 64\], fc1.bias is missing" other
  model_of '{"fc1.weight":{"dtype":"F8_E4M3","shape":[64,64],"data_offsets":[0,4096]}}' 4096 > narrow
  weights "narrow: fc1.weight holds elements of type F8_E4M3, which tt has not yet" narrow

  # results
  : > file
  refuses "cannot make the folder file: " --out file
  refuses "cannot make the folder file/below: Not a directory" --out file/below
  refuses "cannot make the folder /proc/digits: " --out /proc/digits
  mkdir -p blocked/metrics.csv
  refuses "cannot write 'blocked/metrics.csv': it is a folder" --out blocked
  [ "$(ls -A blocked)" = metrics.csv ] || fault "blocked has $(ls -A blocked)"
  if [ "$(id -u)" != 0 ]; then   # root may write everywhere
    mkdir closed && chmod 500 closed
    refuses "cannot write 'closed/model.safetensors': Permission denied" --out closed
  fi
  (   # a limit on the size of files stands for a full disk
    trap '' XFSZ
    ulimit -f 8
    refuses "cannot write 'kept/model.safetensors': File too large" --epochs 1 --out kept
    exit $failed
  ) || failed=1
  ;;
esac
exit $failed
