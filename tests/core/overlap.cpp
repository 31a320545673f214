#include <tt/core/overlap.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <set>

TEST_CASE("overlap: a layout repeats an element exactly when two indices have one place", "[core]") {
  const tt::AnyTensor base = tt::AnyTensor::empty(tt::dtype::uint8, {4096});
  int repeated = 0, layouts = 0;
  for (tt::index_t seed = 0; seed < 2000; ++seed) {
    const auto draw = [&](tt::index_t i, double low, double high) {
      return tests::number<tt::index_t>(10 * seed + i, low, high);
    };
    tt::dims size;
    tt::index_t stride[tt::max_rank];
    for (int i = 0, rank = int(draw(0, 1, 6)); i < rank; ++i) {
      size.push_back(draw(1 + i, 0, 5));
      stride[i] = draw(5 + i, seed % 3 ? 1 : -12, 20);
    }
    const tt::AnyTensor view = base.with_layout(size, stride, 2048);
    std::set<tt::index_t> places;
    tt::detail::walk(size, size.rank, stride, [&](tt::index_t at) { places.insert(at); });
    const bool want = places.size() < std::size_t(view.numel());
    repeated += want, ++layouts;
    CHECK(view.is_expanded() == want);
  }
  CHECK(repeated > 150);
  CHECK(layouts - repeated > 200);
}
