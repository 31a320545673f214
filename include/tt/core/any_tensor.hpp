// AnyTensor: dtype, device, rank and extents at run time. Typed tensors are faces over it; below them all code is this.
#pragma once
#include <tt/core/convert.hpp>
#include <tt/core/node.hpp>

namespace tt {

class AnyTensor;
class GradFn;
class RemovableHandle;
template <class Type, class ShapeType, class Device = cpu, int Order = 0>
class Tensor;

namespace detail {

struct ViewOf;

/// What all copies of a tensor share, as PyTorch's TensorImpl.
struct TensorBody {
  Count refs;
  std::uint16_t size_class = 0;
  dtype type = dtype::float32;
  Ref<Storage> storage;
  std::byte* data = nullptr;  ///< first element
  Ref<Node> node;             ///< this tensor's place on the tape; null where nothing is tracked
  Ref<ViewOf> view;           ///< of a view that may be tracked: what it is a view of
  dims size;
  index_t stride[max_rank];   ///< in elements
};
/// A view's link to its base, so that what is written on the tape through either is seen through both.
struct ViewOf {
  Count refs;
  std::uint16_t size_class = 0;
  Ref<TensorBody> base;                   ///< no view itself
  Ref<Node> kept;                         ///< the base's node when the view's was made, ..
  std::atomic<const Node*> seen{nullptr};  ///< .. for comparison
  void (*rederive)(TensorBody& view) = nullptr;
};
TT_NOINLINE inline void destroy(ViewOf* view) { end_block(view); }
TT_NOINLINE inline void destroy(TensorBody* body) { end_block(body); }
/// A view's node is made again where its base has another one than when it was made.
TT_NOINLINE inline void follow_base(TensorBody& view) {
  if (view.view->seen.load(std::memory_order_acquire) != view.view->base->node.get()) view.view->rederive(view);
}
TT_NOINLINE inline Ref<TensorBody> make_body(dtype type, const dims& size) {
  auto* body = make_block<TensorBody>();
  body->type = type;
  body->size.rank = size.rank;
  for (int i = 0; i < size.rank; ++i) body->size.extent[i] = size.extent[i];
  return Ref<TensorBody>(body);
}

/// Whether a tensor may stand under static types; throws otherwise.
TT_NOINLINE inline void check_face(dtype have, const dims& size, dtype want, const dims& shape) {
  if (have != want) fail({"tt::Tensor: the dtype is ", name_of(have), ", not ", name_of(want)});
  if (!fits(size, shape)) fail({"tt::Tensor: the extents are ", size, ", the type asks for ", shape});
}

/// Row-major strides. @return the number of elements; more than memory can address is refused.
inline index_t row_major(const dims& size, index_t* stride) {
  index_t n = 1;
  bool overflow = false, empty = false;
  for (int i = size.rank - 1; i >= 0; --i) {
    if (size.extent[i] < 0) fail({"tt: a tensor cannot have an extent of ", size.extent[i]});
    stride[i] = n;
    empty |= size.extent[i] == 0;
    overflow |= __builtin_mul_overflow(n, (std::max)(size.extent[i], index_t(1)), &n);
  }
  if (overflow || n > (index_t(1) << 42)) fail({"tt: extents ", size, " are more than memory can hold"});
  return empty ? 0 : n;
}

/// Gives a body the memory of somebody else: `span` elements. The last thing to be done, for from here on `release` is
/// called when the body goes; whoever is refused keeps what is theirs.
TT_NOINLINE inline void take_memory(TensorBody& body, index_t span, void* data, void (*release)(void*, void*),
                                    void* context) {
  if (span > 0 && !data)
    fail({"tt: there are no elements for the extents ", body.size, ": the pointer to them is null"});
  if (span > 0 && reinterpret_cast<std::uintptr_t>(data) % (std::min)(size_of(body.type), std::size_t(8)))
    fail({"tt: the memory given for the extents ", body.size, " is not aligned for ", name_of(body.type)});
  body.storage = make_foreign_storage(data, std::size_t(span) * size_of(body.type), release, context);
  body.data = body.storage->data;
}

/// Elements that the host cannot reach are asked for.
[[noreturn]] TT_NOINLINE inline void not_on_host(const Memory& memory) {
  fail_not_implemented({"tt: this works on elements of the host only, and the tensor's are on ", name_of(memory.where),
                        ": copy it with to<tt::cpu>(x)"});
}
[[noreturn]] TT_NOINLINE inline void no_elements(const char* who) { fail({who, ": the tensor was never given elements"}); }

}  // namespace detail

/// A counted handle: copies share elements, shape and place on the tape; clone() copies elements.
class AnyTensor {
 public:
  AnyTensor() = default;
  explicit AnyTensor(detail::Ref<detail::TensorBody> body) : body_(std::move(body)) {}

  /// A new contiguous tensor with unset elements, on the host or in the memory of another tensor.
  TT_NOINLINE static AnyTensor empty(tt::dtype type, const dims& size, const detail::Memory* memory = nullptr) {
    AnyTensor t(detail::make_body(type, size));
    const index_t n = detail::row_major(size, t.body_->stride);
    t.body_->storage = detail::make_storage(std::size_t(n) * size_of(type), memory);
    t.body_->data = t.body_->storage->data;
    return t;
  }
  /// A view of memory that must outlive it, or that `release(data, context)` ends, if this does not throw. Row-major.
  TT_NOINLINE static AnyTensor from_memory(tt::dtype type, const dims& size, void* data,
                                           void (*release)(void*, void*) = nullptr, void* context = nullptr) {
    AnyTensor t(detail::make_body(type, size));
    const index_t n = detail::row_major(size, t.body_->stride);
    detail::take_memory(*t.body_, n, data, release, context);
    return t;
  }

  /// Whether it was ever given elements. If not, all that asks for them is an error.
  bool defined() const { return bool(body_); }
  tt::dtype dtype() const { return own().type; }
  tt::device device() const { return memory() ? memory()->where : tt::device::cpu; }
  /// What reaches the elements; null for the host's.
  const detail::Memory* memory() const { return own().storage->memory; }
  int rank() const { return own().size.rank; }
  const dims& sizes() const { return own().size; }
  /// Extent of an axis; negative axes count from the end.
  index_t size(int axis) const { return own().size.extent[checked_axis(axis)]; }
  /// Elements between neighbours along an axis.
  index_t stride(int axis) const { return own().stride[checked_axis(axis)]; }
  const index_t* strides() const { return own().stride; }
  index_t numel() const { return own().size.count(); }
  /// The first element.
  /// @throws not_implemented if the host cannot reach it
  std::byte* data_ptr() const {
    const detail::TensorBody& mine = own();
    if (mine.storage && mine.storage->memory) [[unlikely]] detail::not_on_host(*mine.storage->memory);
    return mine.data;
  }
  /// Its address, wherever it is.
  std::byte* device_ptr() const { return own().data; }
  /// Elements before the first one in the storage.
  index_t storage_offset() const {
    const detail::TensorBody& mine = own();
    return (mine.data - mine.storage->data) / index_t(size_of(mine.type));
  }
  const detail::Ref<Storage>& storage() const { return own().storage; }
  unsigned version() const { return own().storage->version; }
  /// To be called after elements were written through a pointer, so that the tape and waiting expressions notice.
  void bump_version() const { ++own().storage->version; }
  const detail::Ref<Node>& node() const {
    detail::TensorBody& mine = own();
    if (mine.view) [[unlikely]] detail::follow_base(mine);
    return mine.node;
  }
  void set_node(detail::Ref<Node> node) const { own().node = std::move(node); }
  detail::TensorBody* body() const { return body_.get(); }
  const detail::Ref<detail::TensorBody>& body_ref() const { return body_; }

  bool is_contiguous() const {
    index_t expected = 1;
    for (int i = rank() - 1; i >= 0; --i) {
      if (body_->size.extent[i] != 1 && body_->stride[i] != expected) return numel() == 0;
      expected *= body_->size.extent[i];
    }
    return true;
  }
  /// Some element is reached by more than one index (an expanded view, windows that overlap): such a tensor is read-only.
  bool is_expanded() const;                              // core/overlap.hpp

  bool requires_grad() const { return bool(node()); }
  bool is_leaf() const { return !node() || body_->node->is_leaf; }
  /// Makes a leaf gather gradients, or stop. Floating dtypes only.
  void requires_grad_(bool on = true) const;              // autograd/leaf.hpp
  /// The gradient gathered so far; undefined if none has arrived.
  AnyTensor grad() const;                                // autograd/leaf.hpp
  void set_grad(const AnyTensor& g) const;               // autograd/leaf.hpp
  /// Keeps the gradient of a tensor that was computed, so that grad() gives it after backward. Leaves always do.
  void retain_grad() const;                              // autograd/hooks.hpp
  bool retains_grad() const;                             // autograd/hooks.hpp
  /// Calls hook(gradient) in each backward run, once all of this tensor's gradient has arrived. What the hook returns, if
  /// anything, takes its place. Several are called in their order. The gradient must not be written to.
  template <class Hook>
  RemovableHandle register_hook(Hook hook) const;        // autograd/hooks.hpp
  /// The recorded operation this tensor is the result of; none for a leaf.
  GradFn grad_fn() const;                                // autograd/grad_fn.hpp

  /// The same elements without history.
  TT_NOINLINE AnyTensor detach() const {
    if (!defined()) detail::no_elements("tt::detach");
    AnyTensor t(detail::make_body(dtype(), sizes()));
    std::copy_n(body_->stride, rank(), t.body_->stride);
    t.body_->storage = body_->storage;
    t.body_->data = body_->data;
    return t;
  }
  /// Another shape over the same storage, without history.
  TT_NOINLINE AnyTensor with_layout(const dims& size, const index_t* stride, index_t offset_elements) const {
    AnyTensor t(detail::make_body(dtype(), size));
    std::copy_n(stride, size.rank, t.body_->stride);
    t.body_->storage = body_->storage;
    t.body_->data = body_->data + offset_elements * index_t(size_of(dtype()));
    return t;
  }
  /// The same elements in row-major order: itself if it is so already. The history is not carried over to a copy.
  AnyTensor packed() const;                              // core/copy.hpp
  /// A row-major copy. No history.
  AnyTensor copied() const;                              // core/copy.hpp
  /// Writes the elements of `from` (any dtype, broadcast) into this tensor. Recorded where either is tracked: gradients
  /// go to `from`, and no longer to what was there. A leaf that requires a gradient is refused, and a view of one.
  const AnyTensor& copy_(const AnyTensor& from, const place& where = place::current()) const;  // autograd/write.hpp

  /// Itself, or a row-major copy on the host. No history.
  AnyTensor on_host() const;                             // core/copy.hpp

  /// The one element, converted.
  template <element Type>
  Type item() const {
    check_single();
    if (memory()) [[unlikely]] return on_host().template item<Type>();
    return visit(dtype(), [&]<class Stored>(Stored) {
      return detail::converted<Type>(detail::loaded(reinterpret_cast<const Stored*>(data_ptr())));
    });
  }

  /// This tensor under static types; throws if dtype or extents differ.
  template <element Type, class ShapeType, class Device = cpu, int Order = 0>
  Tensor<Type, ShapeType, Device, Order> as() const;     // core/tensor.hpp

 protected:
  TT_NOINLINE void check_single() const {
    if (!defined()) detail::no_elements("tt::item");
    if (numel() != 1) fail({"tt::item: the tensor has the extents ", sizes(), ", not one element"});
  }
  detail::TensorBody& own() const {
    if (!body_) [[unlikely]] detail::no_elements("tt");
    return *body_;
  }
  int checked_axis(int axis) const {
    const int normal = normal_axis(axis, rank());
    if (normal < 0 || rank() == 0)
      fail_index({"tt: axis ", axis, " of a tensor with ", rank(), " axes"});
    return normal;
  }
  detail::Ref<detail::TensorBody> body_;
};

}  // namespace tt
