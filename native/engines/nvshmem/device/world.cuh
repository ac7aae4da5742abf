// What the kernels of a rank know of all ranks, and where they meet. Blocks of equal number on all ranks work
// together; every counter goes up for ever, and its last value lies in this rank's own memory.
namespace {

constexpr int kMostRanks = 32;
constexpr int kMostBlocks = 128;
constexpr int kMostThreads = 1024;

/// Packets with flags: a block's place for those of one source, twice (consecutive calls), for two phases.
constexpr int kPackets = 1024;
constexpr int kPhases = 2;

/// Slots of a stream of pieces to one block.
constexpr size_t kSlotBytes = size_t{256} << 10;
constexpr int kSlots = 2;
constexpr int kEdges = 2;   // a rank gets pieces from two others at most (tree)
constexpr int kSpaces = 3;  // neighbours of a block: forward ring, alternating rings, tree

struct Counters {  // of one block in one space
  uint64_t sent, got[kEdges], landed_sent, landed_got;
};

/// In symmetric memory, zero at the start.
struct Board {
  uint64_t arrived[kMostRanks][kMostBlocks];
  uint64_t full[kSpaces][kMostBlocks][kEdges];  // pieces in the slots so far
  uint64_t credit[kSpaces][kMostBlocks];        // pieces that the receiver has taken
  uint64_t landed[kSpaces][kMostBlocks];        // pieces written into this rank's result
};

/// In this rank's own memory.
struct Notes {
  uint64_t barriers[kMostBlocks];
  uint32_t packets[kMostBlocks];
  Counters flows[kSpaces][kMostBlocks];
};

struct World {
  int rank, ranks;
  Board* board;
  Notes* notes;
  uint4* packets;
  char* slots;
  ptrdiff_t to[kMostRanks];  // from an address here to the same place of a peer
};

template <class T>
__device__ __forceinline__ T* at_peer(const World& world, T* here, int peer) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(here)) +
                              world.to[peer]);
}

__device__ __forceinline__ uint4* packets_of(const World& world, int source, uint32_t epoch, int phase) {
  const size_t place =
      ((static_cast<size_t>(epoch & 1) * kPhases + phase) * world.ranks + source) * kMostBlocks + blockIdx.x;
  return world.packets + place * kPackets;
}
constexpr size_t packets_bytes(int ranks) {
  return size_t{2} * kPhases * static_cast<size_t>(ranks) * kMostBlocks * kPackets * sizeof(uint4);
}
constexpr size_t slots_bytes() { return size_t{kEdges} * kMostBlocks * kSlots * kSlotBytes; }

__device__ __forceinline__ void wait_for(const uint64_t* counter, uint64_t value) {
  while (load_acquire(counter) < value) {
  }
}

/// Blocks of this number on all ranks have come here; what they wrote before can be read.
__device__ __forceinline__ void meet(const World& world, uint64_t& barriers) {
  ++barriers;
  __syncthreads();
  const int peer = static_cast<int>(threadIdx.x);
  if (peer < world.ranks && peer != world.rank) {
    __threadfence_system();
    store_release(at_peer(world, &world.board->arrived[world.rank][blockIdx.x], peer), barriers);
    wait_for(&world.board->arrived[peer][blockIdx.x], barriers);
  }
  __syncthreads();
}

struct Range {
  size_t first, last;
};
/// Part `index` of `parts` of a range.
__host__ __device__ __forceinline__ Range part_of(Range range, int index, int parts) {
  const size_t each = (range.last - range.first + parts - 1) / parts;
  const size_t first = range.first + each * index;
  return {first < range.last ? first : range.last,
          first + each < range.last ? first + each : range.last};
}

}  // namespace
