// One of each kind of kernel in include/tt/cuda, as nvcc compiles it for users: kernel_report.py reads what it makes of
// them. A map and a gradient of four operations, sums, products and places, rows of a warp and of a block.
#pragma nv_diag_suppress 821  // inline functions of core that layers above define
#include <tt/cuda/clip.hpp>
#include <tt/cuda/cross_entropy.hpp>
#include <tt/cuda/index.hpp>
#include <tt/cuda/index_put.hpp>
#include <tt/cuda/map_backward.hpp>
#include <tt/cuda/move.hpp>
#include <tt/cuda/random.hpp>
#include <tt/cuda/reduce_extreme.hpp>
#include <tt/cuda/reduce_position.hpp>
#include <tt/cuda/updates.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/hyperbolic.hpp>

using namespace tt;
using namespace tt::gpu;
using u32 = std::uint32_t;  // words, and how wide indices are
using u64 = std::uint64_t;

// Elementwise.
using Leaf = prog::copy;
using Chain = prog::op<ops::tanh, prog::op<ops::add, prog::op<ops::mul, Leaf, Leaf>, Leaf>>;
using Tracked = prog::leaf<true>;
using Back = prog::op<ops::tanh, prog::op<ops::add, prog::op<ops::mul, Tracked, Tracked>, Tracked>>;
template <class Number> using Packets = PacketMap<Number, 3>;
template <class Index> using Elements = ElementMap<float, Index, 3>;
template <class Index> using Gradients = BackwardMap<float, Index, 3>;
template __global__ void tt::gpu::map_packets<Chain, float, float>(Packets<float>);
template __global__ void tt::gpu::map_packets<Chain, float, tt::half>(Packets<float>);
template __global__ void tt::gpu::map_packets<Chain, float, bfloat16>(Packets<float>);
template __global__ void tt::gpu::map_packets<Chain, double, double>(Packets<double>);
template __global__ void tt::gpu::map_elements<Chain, float, u32>(Elements<u32>);
template __global__ void tt::gpu::map_elements<Chain, float, u64>(Elements<u64>);
template __global__ void tt::gpu::map_gradients<Back, float, u32>(Gradients<u32>);
template __global__ void tt::gpu::map_gradients<Back, float, u64>(Gradients<u64>);
template __global__ void tt::gpu::sum_shared<float, u32>(SharedSum<u32>);

// Reductions.
using Sum = ValueJoin<ops::sum, float>;
using ComplexSum = ValueJoin<ops::sum, std::complex<double>>;
using Largest = PlaceJoin<ops::argmax, float>;
using Product = prog::op<ops::mul, Leaf, Leaf>;
using Exp = prog::op<ops::exp, Leaf>;
using Six = prog::op<ops::mul, prog::op<ops::div, Product, Product>, Product>;
using Reached = prog::op<gpu::detail::reaches, Leaf, Leaf>;
using Share = prog::op<ops::add, Leaf, prog::op<gpu::detail::share, Reached, Leaf, Leaf>>;
template __global__ void tt::gpu::reduce_elements<Leaf, Sum, u32>(Reduction<Sum, u32, 1>);
template __global__ void tt::gpu::reduce_elements<Leaf, Sum, u64>(Reduction<Sum, u64, 1>);
template __global__ void tt::gpu::reduce_elements<Product, Sum, u32>(Reduction<Sum, u32, 2>);
template __global__ void tt::gpu::reduce_elements<Exp, Sum, u32>(Reduction<Sum, u32, 1>);
template __global__ void tt::gpu::reduce_elements<Six, Sum, u32>(Reduction<Sum, u32, 6>);
template __global__ void tt::gpu::reduce_elements<Leaf, ComplexSum, u32>(Reduction<ComplexSum, u32, 1>);
template __global__ void tt::gpu::reduce_elements<Leaf, Largest, u32>(Reduction<Largest, u32, 1>);
template __global__ void tt::gpu::join_parts<Sum>(PartJoin<Sum>);
template __global__ void tt::gpu::map_elements<Share, double, u32>(ElementMap<double, u32, 5>);

namespace tt::gpu::detail {

// Rows.
using label_t = std::int64_t;
inline constexpr softmax_kind plain = softmax_kind::softmax, log_of = softmax_kind::log_softmax;
template __global__ void softmax_kernel<WarpTeam, plain, float>(const float*, float*, index_t, index_t);
template __global__ void softmax_kernel<BlockTeam, log_of, half>(const half*, half*, index_t, index_t);
template __global__ void softmax_backward_kernel<WarpTeam, plain, float>(const float*, const float*, float*, bool,
                                                                         index_t, index_t);
template __global__ void softmax_backward_kernel<BlockTeam, log_of, half>(const half*, const half*, half*, bool,
                                                                          index_t, index_t);
template __global__ void cross_entropy_kernel<WarpTeam, float>(const float*, const label_t*, label_t, float*, float*,
                                                               index_t, index_t);
template __global__ void cross_entropy_kernel<BlockTeam, float>(const float*, const label_t*, label_t, float*, float*,
                                                                index_t, index_t);
template __global__ void cross_entropy_backward_kernel<WarpTeam, float>(const float*, const label_t*, label_t,
                                                                        const float*, const float*, index_t,
                                                                        const float*, float*, bool, index_t, index_t);
template __global__ void join_losses_kernel<float>(const float*, const label_t*, label_t, float*, float*, index_t,
                                                   reduction);

// Optimisers.
template __global__ void update_kernel<SgdUpdate<float>, float, 2>(TensorBatch<float, 2>, SgdUpdate<float>);
template __global__ void update_kernel<MomentumUpdate<float>, float, 3>(TensorBatch<float, 3>, MomentumUpdate<float>);
template __global__ void update_kernel<AdamUpdate<float>, float, 4>(TensorBatch<float, 4>, AdamUpdate<float>);
template __global__ void update_kernel<ScaleUpdate<float>, float, 1>(TensorBatch<float, 1>, ScaleUpdate<float>);
template __global__ void squares_kernel<float>(TensorBatch<float, 1>, double*);
void launch_norm(const StreamRef& stream) { launch(norm_kernel, 1, 256, 0, stream, nullptr, index_t(0), nullptr); }

// Random numbers.
template __global__ void draw_kernel<philox::uniform<float>>(float*, std::int64_t, std::uint64_t, std::uint64_t, bool);
template __global__ void draw_kernel<philox::normal<float>>(float*, std::int64_t, std::uint64_t, std::uint64_t, bool);

// Indexing. What takes elements and copies them is no template of its callers, and so is compiled with its header.
template __global__ void places_kernel<u32>(const index_t*, u32*, u32*, u32, u32);
template __global__ void put_kernel<u32, u32>(SortedPlaces<u32>, const u32*, const index_t*,
                                                           u32*);
template __global__ void part_kernel<u32>(Runs<u32>, u32*);
template __global__ void sum_parts<float, u32>(Runs<u32>, SumRows, const float*, float*);
template __global__ void sum_runs<float, u32>(Runs<u32>, SumRows, const float*, const float*, float*);
template __global__ void sum_runs<half, u32>(Runs<u32>, SumRows, const half*, const float*, half*);

}  // namespace tt::gpu::detail
