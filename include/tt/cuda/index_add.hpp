// Sums on the device where many elements meet in one: gradients of gather, index_select, embedding and index_put. No
// atomics: entries are sorted by place and added in their order, so that every run gives the same bits.
#pragma once
#include <tt/core/math.hpp>
#include <tt/cuda/element.hpp>
#include <tt/cuda/index_positions.hpp>
#include <tt/cuda/index_runs.hpp>

namespace tt::gpu {

/// What is added to: `count` elements one after another.
struct Sums {
  void* data;
  dtype type;
  index_t count;
};

namespace detail {

/// Runs up to this long are added by one thread. Longer ones are cut into parts of at least as much, about as many as
/// each has terms.
inline constexpr index_t longest_whole_run = 64;
TT_HD inline index_t part_length(index_t run) {
  index_t length = longest_whole_run;
  while (length < run / length) length *= 2;
  return length;
}
TT_HD inline index_t part_count(index_t run) {
  return run <= longest_whole_run ? 0 : (run + part_length(run) - 1) / part_length(run);
}

/// Rows are added to rows: of `columns` numbers, which lie as [outer, rows, inner] on either side.
struct SumRows {
  index_t inner, columns;
  index_t from_outer, to_outer;  ///< strides of the outer axis
  const index_t* from;           ///< the row of each entry; null: its own number

  struct Column {
    index_t from, to;
  };
  TT_HD Column column(index_t c) const {
    if (columns == inner) return {c, c};
    const index_t outer = c / inner, rest = c - outer * inner;
    return {outer * from_outer + rest, outer * to_outer + rest};
  }
  TT_HD index_t row(index_t entry) const { return (from ? from[entry] : entry) * inner; }
};

#if TT_CUDA_KERNELS

/// Numbers of 16 bits are added up in float, others as they are: integers wrap, of bools any is true.
template <class Stored>
using sum_number = std::conditional_t<tt::detail::is_short_float<Stored>, float, Stored>;
template <class Stored>
TT_HD sum_number<Stored> sum_term(const Stored* p) {
  return number_from<sum_number<Stored>>(tt::detail::loaded(p));
}

/// Runs of entries with one place.
template <class Index>
struct Runs {
  SortedPlaces<Index> sorted;
  const Index* start;
  const Index* count;       ///< how many, known to the device only
  const Index* first_part;  ///< the parts of the runs before; null where no run can have any

  __device__ Index end(Index run) const { return run + 1 < *count ? start[run + 1] : sorted.count; }
  __device__ Index length(Index run) const { return end(run) - start[run]; }
};

/// How many parts each run has, and 0 behind the last one. Entries without a place have none.
template <class Index>
__global__ void __launch_bounds__(256) part_kernel(Runs<Index> runs, Index* parts) {
  const Index threads = Index(gridDim.x) * blockDim.x;
  for (Index run = Index(blockIdx.x) * blockDim.x + threadIdx.x; run <= runs.sorted.count; run += threads) {
    const bool is_run = run < *runs.count && runs.sorted.place[runs.start[run]] != runs.sorted.end;
    parts[run] = is_run ? Index(part_count(index_t(runs.length(run)))) : Index(0);
  }
}

/// The sum of `length` entries from `begin`, in order.
template <class Stored, class Index>
__device__ sum_number<Stored> sum_entries(sum_number<Stored> sum, const Runs<Index>& runs, const SumRows& rows,
                                          Index begin, Index end, const Stored* from) {
#pragma unroll 4
  for (Index i = begin; i < end; ++i)
    sum = math::plus(sum, sum_term(from + rows.row(index_t(runs.sorted.member[i]))));
  return sum;
}

/// Blocks of (columns, parts).
template <class Stored, class Index>
__global__ void __launch_bounds__(256) sum_parts(Runs<Index> runs, SumRows rows, const Stored* from,
                                                 sum_number<Stored>* sums) {
  const Index all = *runs.count, parts = runs.first_part[all];
  for (Index part = blockIdx.x * blockDim.y + threadIdx.y; part < parts; part += gridDim.x * blockDim.y) {
    Index run = 0;  // the last one whose first part is not behind this one
    for (Index behind = all; behind - run > 1;) {
      const Index middle = run + (behind - run) / 2;
      (runs.first_part[middle] <= part ? run : behind) = middle;
    }
    const Index length = Index(part_length(index_t(runs.length(run))));
    const Index begin = runs.start[run] + (part - runs.first_part[run]) * length;
    const Index run_end = runs.end(run), end = run_end - begin < length ? run_end : begin + length;
    for (index_t c = blockIdx.y * blockDim.x + threadIdx.x; c < rows.columns; c += gridDim.y * blockDim.x) {
      const Stored* const column = from + rows.column(c).from;
      const auto first = sum_term(column + rows.row(index_t(runs.sorted.member[begin])));
      sums[index_t(part) * rows.columns + c] = sum_entries(first, runs, rows, begin + 1, end, column);
    }
  }
}

/// Adds each run, or its parts, to its place. Blocks of (columns, runs).
template <class Stored, class Index>
__global__ void __launch_bounds__(256) sum_runs(Runs<Index> runs, SumRows rows, const Stored* from,
                                                const sum_number<Stored>* sums, Stored* to) {
  const Index all = *runs.count;
  for (Index run = blockIdx.x * blockDim.y + threadIdx.y; run < all; run += gridDim.x * blockDim.y) {
    const Index begin = runs.start[run], end = runs.end(run), place = runs.sorted.place[begin];
    if (place == runs.sorted.end) continue;
    const bool whole = index_t(end - begin) <= longest_whole_run;
    for (index_t c = blockIdx.y * blockDim.x + threadIdx.x; c < rows.columns; c += gridDim.y * blockDim.x) {
      const auto at = rows.column(c);
      Stored* const target = to + at.to + index_t(place) * rows.inner;
      auto sum = sum_term(target);
      if (whole) {
        sum = sum_entries(sum, runs, rows, begin, end, from + at.from);
      } else {
        for (Index part = runs.first_part[run]; part < runs.first_part[run + 1]; ++part)
          sum = math::plus(sum, sums[index_t(part) * rows.columns + c]);
      }
      *target = element_from<Stored>(sum);
    }
  }
}

/// Threads of blocks that share `rows` rows of `columns` numbers: neighbours have neighbouring columns.
struct SumGrid {
  dim3 blocks, threads;

  SumGrid(index_t rows, index_t columns) {
    unsigned x = 1, y = 1;
    while (x < 256 && index_t(x) < columns) x *= 2;
    while (x * y < 256 && index_t(y) < rows) y *= 2;
    threads = dim3(x, y);
    blocks = dim3(blocks_for(rows, y), blocks_for(columns, x, 1024));
  }
};

/// f(Type{}) for the type that numbers of a dtype are added in; integers of one width are added alike.
template <class Function>
void visit_summed(dtype type, Function&& f) {
  if (is_floating(real_dtype(type))) return tt::visit_floating(real_dtype(type), f);
  if (type == dtype::boolean) return f(bool{});
  switch (size_of(type)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

template <class Stored, class Index, class Workspace>
void add_rows(const SortedPlaces<Index>& sorted, const SumRows& rows, const Stored* from, Stored* to,
              Workspace&& workspace, const StreamRef& stream) {
  const index_t n = index_t(sorted.count);
  auto* const start = device_memory<Index>(workspace, n);
  auto* const count = device_memory<Index>(workspace, 1);
  run_starts(sorted.place, start, count, n, workspace, stream);
  Runs<Index> runs{sorted, start, count, nullptr};
  sum_number<Stored>* sums = nullptr;
  if (n > longest_whole_run) {
    auto* const parts = device_memory<Index>(workspace, n + 1);
    auto* const first_part = device_memory<Index>(workspace, n + 1);
    const unsigned threads = index_threads(n + 1);
    launch(part_kernel<Index>, blocks_for(n + 1, threads), threads, 0, stream, runs, parts);
    exclusive_scan(parts, first_part, n + 1, workspace, stream);
    runs.first_part = first_part;
    const index_t most = n / (longest_whole_run / 2);  // a run of 65 or more has one part for 64, and one more
    sums = device_memory<sum_number<Stored>>(workspace, most * rows.columns);
    const SumGrid grid(most, rows.columns);
    launch(sum_parts<Stored, Index>, grid.blocks, grid.threads, 0, stream, runs, rows, from, sums);
  }
  const SumGrid grid(n, rows.columns);
  launch(sum_runs<Stored, Index>, grid.blocks, grid.threads, 0, stream, runs, rows, from, sums, to);
}

/// to[outer, position[k], inner] += from[outer, row of k, inner] for k < count, of `places` rows; complex elements are
/// two real ones.
template <class Workspace>
void add_to_places(void* to, index_t places, const index_t* position, index_t count, SumRows rows, const void* from,
                   dtype type, Workspace&& workspace, const StreamRef& stream) {
  if (count == 0 || rows.columns == 0) return;
  const DeviceGuard guard(stream.device());
  const index_t parts = parts_of(type);
  rows.inner *= parts, rows.columns *= parts, rows.from_outer *= parts, rows.to_outer *= parts;
  with_place_type(count, places, [&]<class Index>(Index) {
    const auto sorted = sort_places<Index>(position, count, places, workspace, stream);
    visit_summed(type, [&]<class Stored>(Stored) {
      add_rows(sorted, rows, static_cast<const Stored*>(from), static_cast<Stored*>(to), workspace, stream);
    });
  });
}

#endif

}  // namespace detail

#if TT_CUDA_KERNELS

// Each queues its work. `workspace(bytes)` gives device memory that lives until the work is done, and is aligned as
// cudaMalloc's. 16-bit numbers are added up in float and rounded once. Up to 64 terms are added to what is there one
// after another, as on the CPU; of more, parts are summed first, in a way that follows from their number alone.

/// sums[to[i]] += gradient[from[i]] for i < count, where elements are of `type`, as autograd/sums.hpp does it on the
/// CPU; `from` may be null, which stands for i itself. What has no place (to[i] = -1) is left out.
/// @throws Error where `sums` are of another dtype, CudaError if CUDA refuses a launch
template <class Workspace>
void add_by_positions(const Sums& sums, const index_t* to, const void* gradient, const index_t* from, index_t count,
                      dtype type, Workspace&& workspace, const StreamRef& stream) {
  if (sums.type != type)
    fail({"tt::gpu::add_by_positions: the sums are ", name_of(sums.type), ", what is added ", name_of(type)});
  detail::add_to_places(sums.data, sums.count, to, count, {1, 1, 0, 0, from}, gradient, type, workspace, stream);
}

/// x[:, index[..], :] += from[:, .., :] along one axis of x: from has the extents of x with those of the index in the
/// axis's place; a single index may also leave an axis of 1, as in index_select. Also the gradient of index_select, and
/// for axis 0 of embedding. x and from are row-major, of one dtype. An index outside of the axis is left out: see
/// check_index_errors.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html
/// @throws Error for extents, dtypes and layouts that do not fit, IndexError for the axis, CudaError if CUDA refuses a
///         launch
template <class Workspace>
void index_add(const DeviceView& x, index_t along, const DeviceView& index, const DeviceView& from,
               Workspace&& workspace, const StreamRef& stream) {
  static constexpr const char* name = "index_add";
  const int axis = detail::index_axis(name, along, x.size.rank);
  detail::require_index(name, index);
  const index_t count = index.size.count(), extent = x.size.rank ? x.size.extent[axis] : 1;
  dims want, as_vector = x.size;
  index_t inner = 1, outer = 1;
  for (int i = 0; i < axis; ++i) want.push_back(x.size.extent[i]), outer *= x.size.extent[i];
  for (int i = 0; i < index.size.rank; ++i) want.push_back(index.size.extent[i]);
  for (int i = axis + 1; i < x.size.rank; ++i) want.push_back(x.size.extent[i]), inner *= x.size.extent[i];
  if (x.size.rank) as_vector.extent[axis] = count;
  if (index.size.rank == (x.size.rank ? 0 : 1) && count == 1 && from.size == as_vector) want = as_vector;
  if (!(from.size == want)) fail({"tt::index_add: what is added has extents ", from.size, " instead of ", want});
  if (from.type != x.type)
    fail({"tt::index_add: what is added is ", name_of(from.type), ", the tensor ", name_of(x.type)});
  if (!x.is_packed() || !from.is_packed()) fail("tt::index_add: the tensor and what is added must be contiguous");
  if (count == 0) return;
  auto* const position = detail::device_memory<index_t>(workspace, count);
  const DeviceView own = DeviceView::packed(nullptr, dtype::int64, index.size);
  detail::PlaceSpace space{};
  for (int i = 0; i < index.size.rank; ++i) space.push_back(index.size.extent[i], index.stride[i], 0, 0, own.stride[i]);
  const IndexCheck check = detail::index_check(stream.device(), name, extent);
  detail::run_places(space, {{index.data, index.type}, 1, true, false, check}, position, nullptr, stream);
  detail::add_to_places(x.data, extent, position, count, {inner, outer * inner, count * inner, extent * inner, nullptr},
                        from.data, x.type, workspace, stream);
}

#endif

}  // namespace tt::gpu
