// logits MODEL DATA: the scores of every test row, one line each, for agree.py to compare.
#include <tt/io.hpp>

#include "../../examples/digits/dataset.hpp"

#include <cstdio>

int main(int count, char** argument) {
  if (count != 3) return 2;
  digits::Net net;
  net.load_state_dict(tt::load(argument[1]));
  const auto scores = net.predict(digits::read_dataset(argument[2]).test_images);
  for (tt::index_t row = 0; row < scores.size(0); ++row)
    for (tt::index_t c = 0; c < 10; ++c) std::printf(c == 9 ? "%.9g\n" : "%.9g ", double(scores(row, c)));
}
