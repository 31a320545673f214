// Kernels of one's own beside tt's: one that takes the addresses of tensors, and one that takes a tt expression and
// evaluates it inside its own loop, so that what the expression yields is never stored.
#include <tt/cuda.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

using tt::dyn, tt::index_t, tt::Shape, tt::Tensor;
namespace gpu = tt::gpu;
using Matrix = Tensor<float, Shape<dyn, dyn>, tt::cuda>;
using Vector = Tensor<float, Shape<dyn>, tt::cuda>;

// ---- a kernel of addresses ----

/// y = x after one step of heat: inner points move towards their four neighbours, the rim stays.
__global__ void heat_kernel(const float* x, float* y, index_t rows, index_t columns, float rate) {
  const index_t column = index_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const index_t row = index_t(blockIdx.y) * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const index_t i = row * columns + column;
  const bool rim = row == 0 || column == 0 || row == rows - 1 || column == columns - 1;
  y[i] = rim ? x[i] : x[i] + rate * (x[i - columns] + x[i + columns] + x[i - 1] + x[i + 1] - 4 * x[i]);
}

Matrix heat(const Matrix& x, float rate) {
  const Matrix in = tt::contiguous(x), out(x.sizes());  // on the current device, belonging to the current stream
  if (in.numel() == 0) return out;
  const dim3 block(32, 8);
  const dim3 grid(gpu::blocks_for(in.size(1), block.x), gpu::blocks_for(in.size(0), block.y));
  gpu::launch(heat_kernel, grid, block, 0, gpu::current_stream(), in.data(), out.data(), in.size(0), in.size(1), rate);
  return out;
}

// ---- a kernel of an expression ----

/// Element i of an expression of vectors. Program says how leaves are joined, and nothing else: every expression of the
/// same form, whatever its lengths and strides, runs the same kernel.
template <class Program>
struct Elements {
  struct Leaf {
    const float* data;  ///< null: a number in the expression's text
    index_t stride;     ///< 0: one element for all places
    float number;
  };
  Leaf leaf[Program::leaves];

  __device__ float operator()(index_t i) const {
    float x[Program::leaves];
    for (int k = 0; k < Program::leaves; ++k) x[k] = leaf[k].data ? leaf[k].data[i * leaf[k].stride] : leaf[k].number;
    return gpu::Formula<Program>::value(x);
  }
};

/// out[i] = the sum of `window` elements, from element i * step on.
template <class Program>
__global__ void windowed_sum_kernel(Elements<Program> element, float* out, index_t count, index_t window,
                                    index_t step) {
  const index_t threads = index_t(gridDim.x) * blockDim.x;
  for (index_t i = index_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    double sum = 0;
    for (index_t j = 0; j < window; ++j) sum += element(i * step + j);
    out[i] = float(sum);
  }
}

/// Sums of `window` neighbours, `step` apart, of any elementwise expression of float vectors on CUDA and numbers.
template <class E>
Vector windowed_sum(const E& expression, index_t window, index_t step) {
  static_assert(E::compute == tt::dtype::float32, "windowed_sum: the expression must compute in float");
  using Program = tt::prog::forward_program<E>;
  // The tensors and numbers that the expression reads, from left to right. Parts that are not elementwise, such as a
  // matmul, are evaluated here; they must live until the kernel is queued.
  const tt::detail::Collected<typename E::held_type> held(expression.held);
  Elements<Program> element;
  index_t length = 1;
  for (int k = 0; k < Program::leaves; ++k) {
    const auto& [tensor, version, constant] = held.entry[k];
    if (!tensor) {
      element.leaf[k] = {nullptr, 0, float(constant.floating)};
      continue;
    }
    const Vector x = tensor->template as<float, Shape<dyn>, tt::cuda>();
    const index_t n = x.size(0);
    if (n != 1 && length != 1 && n != length)
      tt::fail("windowed_sum: the expression reads vectors of " + std::to_string(length) + " and " + std::to_string(n) +
               " elements");
    if (n != 1) length = n;
    element.leaf[k] = {x.data(), n == 1 ? 0 : x.stride(0), 0.f};
  }
  if (window < 1 || step < 1 || window > length)
    tt::fail("windowed_sum: windows of " + std::to_string(window) + ", " + std::to_string(step) +
             " apart, do not fit into " + std::to_string(length) + " elements");
  const Vector out(tt::dims{(length - window) / step + 1});
  gpu::launch(windowed_sum_kernel<Program>, gpu::blocks_for(out.numel(), 256), 256, 0, gpu::current_stream(), element,
              out.data(), out.numel(), window, step);
  return out;
}

// ---- both, against the CPU ----

template <class X, class Y>
bool report(const char* name, const X& got, const Y& want) {
  const Tensor there = tt::to<tt::cpu>(got);  // waits for the kernel
  const Tensor worst = tt::amax(tt::abs(there - want)), most = tt::amax(tt::abs(want));
  const float largest = worst.item(), scale = most.item();
  const bool good = largest <= 1e-5f * (1 + scale);
  std::printf("%-48s %8ld numbers up to %-8.4g off by %.1e: %s\n", name, long(want.numel()), double(scale),
              double(largest), good ? "right" : "WRONG");
  return good;
}

bool check_heat(index_t rows, index_t columns) {
  const Tensor<float, Shape<dyn, dyn>> x = tt::rand<float, Shape<dyn, dyn>>(tt::dims{rows, columns});
  const auto inner = [](const auto& m, index_t down, index_t right) {
    return tt::slice(tt::slice(m, 0, 1 + down, m.size(0) - 1 + down), 1, 1 + right, m.size(1) - 1 + right);
  };
  const Tensor want = tt::clone(x);
  const Tensor neighbours = inner(x, -1, 0) + inner(x, 1, 0) + inner(x, 0, -1) + inner(x, 0, 1);
  inner(want, 0, 0) += 0.2f * (neighbours - 4.f * inner(x, 0, 0));
  return report("heat(x, 0.2)", heat(tt::to<tt::cuda>(x), 0.2f), want);
}

template <class Expression>
bool check_sum(const char* name, index_t length, index_t window, index_t step, Expression expression) {
  const auto random = [&] { return Tensor<float, Shape<dyn>>(tt::rand<float, Shape<dyn>>(tt::dims{length})); };
  const Tensor a = random(), b = random(), c = random();
  const Vector x = tt::to<tt::cuda>(a), y = tt::to<tt::cuda>(b), z = tt::to<tt::cuda>(c);
  const Vector got = windowed_sum(expression(x, y, z), window, step);
  const Tensor all = expression(a, b, c);
  const Tensor<float, Shape<dyn>> want(got.sizes());
  for (index_t i = 0; i < want.size(0); ++i) {
    const Tensor sum = tt::sum(tt::slice(all, 0, i * step, i * step + window));
    want(i) = sum.item();
  }
  return report(name, got, want);
}

bool run(index_t length, index_t window) {
  const gpu::Stream stream;
  const gpu::StreamGuard guard(stream);  // all that follows is queued here, tt's kernels and one's own
  tt::manual_seed(1);
  bool good = check_heat(70, 45);
  good &= check_sum("sums of tanh(a * b) + c", length, window, 1,
                    [](const auto& a, const auto& b, const auto& c) { return tt::tanh(a * b) + c; });
  good &= check_sum("sums of where(a > b, 2 * a, exp(-c)), 3 apart", length, window, 3,
                    [](const auto& a, const auto& b, const auto& c) { return tt::where(a > b, 2.f * a, tt::exp(-c)); });
  good &= check_sum("sums of a[::2] * b[1::2] + c[0:1]", 2 * length, window, window,
                    [](const auto& a, const auto& b, const auto& c) {
                      const index_t n = a.size(0);
                      return tt::slice(a, 0, 0, n, 2) * tt::slice(b, 0, 1, n, 2) + tt::slice(c, 0, 0, 1);
                    });
  return good;
}

index_t whole(const char* name, const char* text) {
  index_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, fault] = std::from_chars(text, end, value);
  if (fault != std::errc() || stop != end || value < 1 || value > 100000)
    tt::fail(std::string(name) + " must be a whole number from 1 to 100000, not '" + text + "'");
  return value;
}

constexpr const char* usage =
    "cuda_custom_kernel [LENGTH [WINDOW]]: sums the elements of expressions in a kernel of its own\n"
    "\n"
    "  LENGTH    elements of a vector (default 10000)\n"
    "  WINDOW    elements of a sum, at most LENGTH (default 100)\n";

}  // namespace

int main(int count, char** argument) {
  try {
    if (count > 1 && !std::strcmp(argument[1], "--help")) return std::fputs(usage, stdout), 0;
    if (count > 3) tt::fail("there are too many arguments; see --help");
    const index_t length = count > 1 ? whole("LENGTH", argument[1]) : 10000;
    const index_t window = count > 2 ? whole("WINDOW", argument[2]) : 100;
    if (!gpu::is_available()) tt::fail("there is no CUDA device");
    return run(length, window) ? 0 : 1;
  } catch (const std::exception& fault) {
    std::fflush(stdout);
    std::fprintf(stderr, "cuda_custom_kernel: %s\n", fault.what());
    return 2;
  }
}
