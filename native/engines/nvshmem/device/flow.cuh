// Pieces that a block sends to the block of the same number on another rank: into slots, as far as there is
// credit, or directly into the result if the peer is known to be in the same call.
namespace {

struct Neighbours {  // Neighbours of a block.
  int next;  // Rank that receives this rank's pieces.
  int edge;  // Edge of `next` at which the pieces arrive.
  int sources[kEdges];
  int source_count;
};

template <class T>
class Flow {
 public:
  __device__ Flow(const World& world, int space, int op)
      : world_(world), block_(static_cast<int>(blockIdx.x)), space_(space), op_(op),
        count_(world.notes->flows[space][blockIdx.x]) {}

  __device__ void end() {
    __syncthreads();
    if (threadIdx.x == 0) world_.notes->flows[space_][block_] = count_;
  }

  /// Copies `words` words of this rank's data `own` into a free slot at rank `next` and signals that to it.
  /// @param edge index of this rank among the ranks that send to `next`
  __device__ void send(int next, int edge, const uint4* own, size_t words) {
    uint4* const slot = open_slot(next, edge);
    each(words, [&](size_t i) { return own[i]; }, [&](size_t i, uint4 word) { slot[i] = word; });
    close_slot(next, edge);
  }

  /// Combines the next piece from each source with this rank's data `own` and writes the sums into a free
  /// slot at rank `next`.
  /// @param sources indexes (in from_) of the ranks whose pieces have arrived in this rank's slots
  __device__ void combine_and_send(int next, int edge, const int* sources, int source_count, const uint4* own,
                                   size_t words) {
    uint4* const slot = open_slot(next, edge);
    combine(sources, source_count, own, words, [&](size_t i, uint4 word) { slot[i] = word; });
    close_slot(next, edge);
    release(sources, source_count);
  }

  /// Reduces the next piece of each source with `own` and writes the sums into this rank's result. If `next`
  /// is not negative, the sums are also written into the result of rank `next`.
  __device__ void combine_and_land(int next, const int* sources, int source_count, const uint4* own,
                                   uint4* result, size_t words) {
    uint4* const there = next < 0 ? nullptr : at_peer(world_, result, next);
    combine(sources, source_count, own, words, [&](size_t i, uint4 word) {
      result[i] = word;
      if (there != nullptr) there[i] = word;
    });
    if (next >= 0) say_landed(next);
    release(sources, source_count);
  }

  /// Waits until another rank has written `pieces` further pieces into this rank's result.
  __device__ void await_landed(uint64_t pieces = 1) {
    count_.landed_got += pieces;
    if (threadIdx.x == 0) wait_for(&world_.peer_flags->landed[space_][block_], count_.landed_got);
    __syncthreads();
  }

  /// Copies a piece of this rank's result into the result of rank `next`, and also of rank `other` if that is
  /// not negative.
  __device__ void forward(int next, int other, const uint4* result, size_t words) {
    uint4* const there = at_peer(world_, const_cast<uint4*>(result), next);
    uint4* const there_too = other < 0 ? nullptr : at_peer(world_, const_cast<uint4*>(result), other);
    each(words, [&](size_t i) { return load_fresh(result + i); },
         [&](size_t i, uint4 word) {
           there[i] = word;
           if (there_too != nullptr) there_too[i] = word;
         });
    say_landed(next, other);
  }

 private:
  static constexpr int kDepth = 4;

  template <class Load, class Store>
  __device__ __forceinline__ void each(size_t words, Load load, Store store) {
    const size_t stride = blockDim.x;
    size_t base = threadIdx.x;
    for (; base + (kDepth - 1) * stride < words; base += kDepth * stride) {
      uint4 word[kDepth];
#pragma unroll
      for (int u = 0; u < kDepth; ++u) word[u] = load(base + u * stride);
#pragma unroll
      for (int u = 0; u < kDepth; ++u) store(base + u * stride, word[u]);
    }
    for (; base < words; base += stride) store(base, load(base));
  }

  template <class Store>
  __device__ void combine(const int* sources, int source_count, const uint4* own, size_t words, Store store) {
    const uint4* slots[kEdges] = {};
    for (int s = 0; s < source_count; ++s) {
      slots[s] = reinterpret_cast<const uint4*>(slot_at(sources[s], count_.got[sources[s]]));
      ++count_.got[sources[s]];
      if (threadIdx.x == 0) wait_for(&world_.peer_flags->full[space_][block_][sources[s]], count_.got[sources[s]]);
    }
    __syncthreads();
    const int op = op_;
    if (source_count == 1)
      each(words, [&](size_t i) { return combined_words<T>(own[i], load_fresh(slots[0] + i), op); }, store);
    else
      each(words,
           [&](size_t i) {
             return combined_words<T>(
                 combined_words<T>(own[i], load_fresh(slots[0] + i), op), load_fresh(slots[1] + i), op);
           },
           store);
  }

  __device__ char* slot_at(int edge, uint64_t number) const {
    return world_.slots +
           ((static_cast<size_t>(edge) * kMaxBlocks + block_) * kSlots + number % kSlots) * kSlotBytes;
  }

  __device__ uint4* open_slot(int next, int edge) {
    if (threadIdx.x == 0 && count_.sent >= kSlots)
      wait_for(&world_.peer_flags->credit[space_][block_], count_.sent - kSlots + 1);
    __syncthreads();
    return reinterpret_cast<uint4*>(at_peer(world_, slot_at(edge, count_.sent), next));
  }

  __device__ void close_slot(int next, int edge) {
    ++count_.sent;
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    store_relaxed(at_peer(world_, &world_.peer_flags->full[space_][block_][edge], next), count_.sent);
  }

  /// Signals to the ranks from_[sources[i]] that the slots of their last pieces are free again. All threads
  /// of the block must have read the slots.
  __device__ void release(const int* sources, int source_count) {
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int s = 0; s < source_count; ++s)
      store_release(at_peer(world_, &world_.peer_flags->credit[space_][block_], from_[sources[s]]),
                    count_.got[sources[s]]);
  }

  __device__ void say_landed(int next, int other = -1) {
    ++count_.landed_sent;
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    store_relaxed(at_peer(world_, &world_.peer_flags->landed[space_][block_], next), count_.landed_sent);
    if (other >= 0)
      store_relaxed(at_peer(world_, &world_.peer_flags->landed[space_][block_], other), count_.landed_sent);
  }

 public:
  int from_[kEdges] = {};  // Rank that sends to each edge.

 private:
  const World& world_;
  const int block_, space_, op_;
  Counters count_;
};

}  // namespace
