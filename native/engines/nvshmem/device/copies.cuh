// Copies between the memories of two GPUs without NVSHMEM calls, as a reference for its puts and gets.
namespace {

constexpr int kDeep = 8;  // Words of 16 bytes that a thread has under way.

/// Copies `bytes`; `width` threads call it together, of which this one is number `lane`.
__device__ __forceinline__ void copy_words(char* to, const char* from, size_t bytes, int lane, int width) {
  size_t done = 0;
  if ((reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) % sizeof(uint4) == 0) {
    auto* const into = reinterpret_cast<uint4*>(to);
    const auto* const out = reinterpret_cast<const uint4*>(from);
    const size_t words = bytes / sizeof(uint4);
    size_t base = lane;
    for (; base + (kDeep - 1) * static_cast<size_t>(width) < words; base += kDeep * static_cast<size_t>(width)) {
      uint4 word[kDeep];
#pragma unroll
      for (int u = 0; u < kDeep; ++u) word[u] = out[base + u * static_cast<size_t>(width)];
#pragma unroll
      for (int u = 0; u < kDeep; ++u) into[base + u * static_cast<size_t>(width)] = word[u];
    }
    for (; base < words; base += width) into[base] = out[base];
    done = words * sizeof(uint4);
  }
  for (size_t at = done + lane; at < bytes; at += width) to[at] = from[at];
}

/// Constants of Bulk, which copies with the bulk copy engine (TMA). One thread moves data through kPlaces
/// slots of shared memory, with kAhead loads under way. The slots are used in turn, so the phase of a slot's
/// barrier follows from the number of pieces so far.
constexpr int kPlaces = 8, kAhead = 4;
constexpr size_t kMaxBulk = size_t{16} << 10;

class Bulk {
 public:
  __device__ Bulk(char* shared, size_t piece)
      : barriers_(static_cast<uint32_t>(__cvta_generic_to_shared(shared))),
        data_(barriers_ + kPlaces * sizeof(uint64_t)), piece_(piece) {
#if __CUDA_ARCH__ >= 900
    for (int place = 0; place < kPlaces; ++place)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(place)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
  }

  /// Starts copying `bytes`, a multiple of 16, between addresses that are multiples of 16. One thread calls
  /// it; it returns when the source has been read. Does nothing on GPUs before compute capability 9.0.
  __device__ void copy(char* to, const char* from, size_t bytes) {
#if __CUDA_ARCH__ >= 900
    const size_t pieces = (bytes + piece_ - 1) / piece_;
    for (size_t i = 0; i < pieces && i < kAhead; ++i) load(from, bytes, i);
    for (size_t i = 0; i < pieces; ++i) {
      const uint64_t n = count_ + i;
      wait(n);
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + i * piece_),
                   "r"(place(n)), "r"(length(bytes, i))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      if (i + kAhead >= pieces) continue;
      // The slot for the next piece was last read kPlaces - kAhead stores ago.
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPlaces - kAhead) : "memory");
      load(from, bytes, i + kAhead);
    }
    count_ += pieces;
    // The next copy's first pieces go to slots whose stores may still be reading.
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
  }

  /// Waits until all copies that this thread has started with copy() are written at their destination. This
  /// is no nvshmem_quiet: that waits for NVSHMEM's own operations, and callers need it besides.
  __device__ void complete() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
  }

 private:
  __device__ uint32_t barrier(uint64_t n) const {
    return barriers_ + static_cast<uint32_t>(n % kPlaces * sizeof(uint64_t));
  }
  __device__ uint32_t place(uint64_t n) const { return data_ + static_cast<uint32_t>(n % kPlaces * piece_); }
  __device__ uint32_t length(size_t bytes, size_t piece) const {
    return static_cast<uint32_t>(min(piece_, bytes - piece * piece_));
  }
#if __CUDA_ARCH__ >= 900
  __device__ void load(const char* from, size_t bytes, size_t piece) {
    const uint64_t n = count_ + piece;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier(n)),
                 "r"(length(bytes, piece))
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(n)),
        "l"(from + piece * piece_), "r"(length(bytes, piece)), "r"(barrier(n))
        : "memory");
  }
  __device__ void wait(uint64_t n) {
    uint32_t done = 0;
    while (done == 0)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(barrier(n)), "r"(static_cast<uint32_t>(n / kPlaces & 1))
          : "memory");
  }
#endif

  const uint32_t barriers_, data_;
  const size_t piece_;
  uint64_t count_ = 0;
};
constexpr size_t bulk_shared(size_t piece) { return kPlaces * (sizeof(uint64_t) + piece); }

}  // namespace
