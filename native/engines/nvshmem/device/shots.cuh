// One-shot: every rank gives its vector to all, and each sums everything. Two-shot: each rank sums a part and
// gives it to all. Small vectors travel in packets with flags, so no signal is needed after the data. Two
// sets of packets alternate: a rank in a call has received everybody's packets of the previous call. So
// nobody still reads those of the call before that.
namespace {

constexpr int kAtOnce = 8;  // Sources whose packets are polled together.

__device__ __forceinline__ bool is_there(uint4 packet, uint32_t flag) {
  return packet.y == flag && packet.w == flag;
}

/// Waits for packet number `place` of every other rank and reduces their data with this rank's data `own`.
/// The order of ranks is the same everywhere, so all ranks get identical bits.
template <class T>
__device__ __forceinline__ uint2 combine_packets(const World& world, uint32_t epoch, int phase, int place,
                                                 uint2 own, int op) {
  const size_t stride = static_cast<size_t>(kMaxBlocks) * kPackets;
  const uint4* const first = packets_of(world, 0, epoch, phase) + place;
  uint2 all{};
  for (int group = 0; group < world.ranks; group += kAtOnce) {
    uint4 seen[kAtOnce];
    bool complete;
    do {
      complete = true;
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (group + i < world.ranks && group + i != world.rank) seen[i] = load_fresh(first + (group + i) * stride);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (group + i < world.ranks && group + i != world.rank) complete &= is_there(seen[i], epoch);
    } while (!complete);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (group + i >= world.ranks) break;
      const uint2 word = group + i == world.rank ? own : make_uint2(seen[i].x, seen[i].z);
      all = group + i == 0 ? word : combined_words<T>(all, word, op);
    }
  }
  return all;
}

__device__ __forceinline__ void give_to_all(const World& world, uint32_t epoch, int phase, int place,
                                            uint2 word) {
  uint4* const here = packets_of(world, world.rank, epoch, phase) + place;
  for (int k = 1; k < world.ranks; ++k) {
    int peer = world.rank + k;
    if (peer >= world.ranks) peer -= world.ranks;
    store_packet(at_peer(world, here, peer), word, epoch);
  }
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    one_shot_packets(const __grid_constant__ World world, const uint2* send, uint2* recv, int words, int per,
                     int op) {
  begin_kernel();
  const uint32_t epoch = world.notes->packets[blockIdx.x] + 1;
  const int first = static_cast<int>(blockIdx.x) * per;
  const int mine = min(per, words - first);
  for (int i = threadIdx.x; i < mine; i += blockDim.x) give_to_all(world, epoch, 0, i, send[first + i]);
  for (int i = threadIdx.x; i < mine; i += blockDim.x)
    recv[first + i] = combine_packets<T>(world, epoch, 0, i, send[first + i], op);
  __syncthreads();
  if (threadIdx.x == 0) world.notes->packets[blockIdx.x] = epoch;
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    two_shot_packets(const __grid_constant__ World world, const uint2* send, uint2* recv, int words, int per,
                     int op) {
  begin_kernel();
  const uint32_t epoch = world.notes->packets[blockIdx.x] + 1;
  const Range block{blockIdx.x * static_cast<size_t>(per),
                    min(static_cast<size_t>(words), (blockIdx.x + 1) * static_cast<size_t>(per))};
  uint4* const here = packets_of(world, world.rank, epoch, 0);
  for (int k = 1; k < world.ranks; ++k) {
    const int peer = (world.rank + k) % world.ranks;
    const Range part = part_of(block, peer, world.ranks);
    for (size_t i = part.first + threadIdx.x; i < part.last; i += blockDim.x)
      store_packet(at_peer(world, here, peer) + (i - part.first), send[i], epoch);
  }
  const Range own = part_of(block, world.rank, world.ranks);
  for (size_t i = own.first + threadIdx.x; i < own.last; i += blockDim.x) {
    const int place = static_cast<int>(i - own.first);
    const uint2 sum = combine_packets<T>(world, epoch, 0, place, send[i], op);
    give_to_all(world, epoch, 1, place, sum);
    recv[i] = sum;
  }
  for (int k = 1; k < world.ranks; ++k) {
    const int peer = (world.rank + k) % world.ranks;
    const Range part = part_of(block, peer, world.ranks);
    const uint4* const from = packets_of(world, peer, epoch, 1);
    for (size_t i = part.first + threadIdx.x; i < part.last; i += blockDim.x) {
      uint4 packet;
      do packet = load_fresh(from + (i - part.first));
      while (!is_there(packet, epoch));
      recv[i] = make_uint2(packet.x, packet.z);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) world.notes->packets[blockIdx.x] = epoch;
}

constexpr int kUnroll = 4;

/// Reduces the words of a range over all ranks and stores them to this rank's result (kToAll false) or to
/// all results. The loads of a rank's words are issued together, so that they overlap.
template <class T, bool kToAll>
__device__ __forceinline__ void combine_direct(const World& world, const uint4* send, uint4* recv, Range range,
                                               int op) {
  const size_t stride = blockDim.x;
  for (size_t base = range.first + threadIdx.x; base < range.last; base += stride * kUnroll) {
    uint4 sum[kUnroll];
    for (int rank = 0; rank < world.ranks; ++rank) {
      uint4 word[kUnroll];
      const uint4* const from = at_peer(world, send, rank);
#pragma unroll
      for (int u = 0; u < kUnroll; ++u)
        if (base + u * stride < range.last) word[u] = load_fresh(from + base + u * stride);
#pragma unroll
      for (int u = 0; u < kUnroll; ++u)
        sum[u] = rank == 0 ? word[u] : combined_words<T>(sum[u], word[u], op);
    }
    for (int k = 0; k < (kToAll ? world.ranks : 1); ++k) {
      uint4* const into = at_peer(world, recv, (world.rank + k) % world.ranks);
#pragma unroll
      for (int u = 0; u < kUnroll; ++u)
        if (base + u * stride < range.last) into[base + u * stride] = sum[u];
    }
  }
}

/// Allreduce of vectors that are too long for packets, between two barriers. One-shot: each rank loads the
/// whole vectors of all ranks. Two-shot: each rank loads one part of all vectors and stores the sum to all
/// ranks. One-shot must not be in place, because ranks would read data that others have already overwritten.
template <class T, bool kTwoShot>
__global__ void __launch_bounds__(kMaxThreads)
    shot_direct(const __grid_constant__ World world, const uint4* send, uint4* recv, size_t words, int op) {
  begin_kernel();
  uint64_t barriers = world.notes->barriers[blockIdx.x];
  meet(world, barriers);
  const Range whole{0, words};
  const Range part = kTwoShot ? part_of(whole, world.rank, world.ranks) : whole;
  combine_direct<T, kTwoShot>(world, send, recv,
                              part_of(part, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)), op);
  meet(world, barriers);
  if (threadIdx.x == 0) world.notes->barriers[blockIdx.x] = barriers;
}

}  // namespace
