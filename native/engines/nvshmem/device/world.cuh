// State of a rank's kernels about all ranks, and their barrier. Blocks of equal number work together on all
// ranks. Every counter only increases, and its last value is kept in this rank's own memory.
namespace {

constexpr int kMaxRanks = 32;
constexpr int kMaxBlocks = 128;
constexpr int kMaxThreads = 1024;

/// Number of packets (data with flags) for one sender in the memory of each block. This memory exists once
/// for odd and once for even calls, and in each for two phases.
constexpr int kPackets = 1024;
constexpr int kPhases = 2;

/// Size in bytes of a slot, which receives one piece of a vector from another rank.
constexpr size_t kSlotBytes = size_t{256} << 10;
constexpr int kSlots = 2;
constexpr int kEdges = 2;  // A rank gets pieces from at most two others (tree).
constexpr int kSpaces = 3;  // Kinds of neighbours of a block: forward ring, alternating rings, tree.

struct Counters {  // Counts of one block in one space.
  uint64_t sent, got[kEdges], landed_sent, landed_got;
};

/// Counters in symmetric memory with which other ranks signal their progress to this rank; zero at first.
struct PeerFlags {
  uint64_t arrived[kMaxRanks][kMaxBlocks];
  uint64_t full[kSpaces][kMaxBlocks][kEdges];  // Pieces put into the slots so far.
  uint64_t credit[kSpaces][kMaxBlocks];  // Pieces that the receiver has taken.
  uint64_t landed[kSpaces][kMaxBlocks];  // Pieces written into this rank's result.
};

/// This rank's counts of barriers, packets and pieces so far, by thread block, kept between kernels. They are
/// in ordinary device memory, so only this rank accesses them.
struct Notes {
  uint64_t barriers[kMaxBlocks];
  uint32_t packets[kMaxBlocks];
  Counters flows[kSpaces][kMaxBlocks];
};

struct World {
  int rank, ranks;
  PeerFlags* peer_flags;
  Notes* notes;
  uint4* packets;
  char* slots;
  ptrdiff_t to[kMaxRanks];  // Difference between an address here and the corresponding address of a peer.
};

template <class T>
__device__ __forceinline__ T* at_peer(const World& world, T* here, int peer) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(here)) +
                              world.to[peer]);
}

__device__ __forceinline__ uint4* packets_of(const World& world, int source, uint32_t epoch, int phase) {
  const size_t place =
      ((static_cast<size_t>(epoch & 1) * kPhases + phase) * world.ranks + source) * kMaxBlocks + blockIdx.x;
  return world.packets + place * kPackets;
}
constexpr size_t packets_bytes(int ranks) {
  return size_t{2} * kPhases * static_cast<size_t>(ranks) * kMaxBlocks * kPackets * sizeof(uint4);
}
constexpr size_t slots_bytes() { return size_t{kEdges} * kMaxBlocks * kSlots * kSlotBytes; }

__device__ __forceinline__ void wait_for(const uint64_t* counter, uint64_t value) {
  while (load_acquire(counter) < value) {
  }
}

/// Barrier between the thread blocks of equal number on all ranks. Data that they stored before are visible
/// after it.
/// @param barriers number of barriers of this block so far; raised by 1
__device__ __forceinline__ void meet(const World& world, uint64_t& barriers) {
  ++barriers;
  __syncthreads();
  const int peer = static_cast<int>(threadIdx.x);
  if (peer < world.ranks && peer != world.rank) {
    __threadfence_system();
    store_release(at_peer(world, &world.peer_flags->arrived[world.rank][blockIdx.x], peer), barriers);
    wait_for(&world.peer_flags->arrived[peer][blockIdx.x], barriers);
  }
  __syncthreads();
}

struct Range {
  size_t first, last;
};
/// Returns part number `index` of a range that is divided into `parts` equal parts; the last ones may be
/// shorter or empty.
__host__ __device__ __forceinline__ Range part_of(Range range, int index, int parts) {
  const size_t each = (range.last - range.first + parts - 1) / parts;
  const size_t first = range.first + each * index;
  return {first < range.last ? first : range.last,
          first + each < range.last ? first + each : range.last};
}

}  // namespace
