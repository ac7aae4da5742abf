// Collectives that only move data: every rank writes directly into the results of the others, between two
// barriers.
namespace {

template <class Word>
__device__ __forceinline__ void copy_part(Word* to, const Word* from, size_t words, int part, int parts) {
  const Range range = part_of({0, words}, part, parts);
  const size_t stride = blockDim.x;
  for (size_t base = range.first + threadIdx.x; base < range.last; base += stride * kUnroll) {
    Word word[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      if (base + u * stride < range.last) word[u] = from[base + u * stride];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      if (base + u * stride < range.last) to[base + u * stride] = word[u];
  }
}

/// Alltoall, allgather and broadcast: copies this rank's data for each rank, itself included, into that
/// rank's result; in a broadcast only the root copies. In an alltoall, part `peer` of `send` becomes part
/// `rank` of the result; in the others `send` is one part. Every block copies a share of each peer's part.
template <class Word>
__global__ void __launch_bounds__(kMaxThreads)
    give_parts(const __grid_constant__ World world, const Word* send, Word* recv, size_t words,
               int collective, int root) {
  begin_kernel();
  uint64_t barriers = world.notes->barriers[blockIdx.x];
  meet(world, barriers);
  const bool to_all_alike = collective != kCollbenchNvshmemAlltoall;
  const bool is_broadcast = collective == kCollbenchNvshmemBroadcast;
  for (int k = 0; k < world.ranks && (!is_broadcast || world.rank == root); ++k) {
    const int peer = (world.rank + k) % world.ranks;
    const Word* const from = send + (to_all_alike ? 0 : peer * words);
    Word* const into = recv + (is_broadcast ? 0 : world.rank * words);
    if (k > 0 || from != into)
      copy_part(at_peer(world, into, peer), from, words, static_cast<int>(blockIdx.x),
                static_cast<int>(gridDim.x));
  }
  meet(world, barriers);
  if (threadIdx.x == 0) world.notes->barriers[blockIdx.x] = barriers;
}

/// Reducescatter: combines part `rank` of the inputs of all ranks and stores it as this rank's result.
template <class T, class Word>
__global__ void __launch_bounds__(kMaxThreads)
    take_part(const __grid_constant__ World world, const Word* send, Word* recv, size_t words, int op) {
  begin_kernel();
  uint64_t barriers = world.notes->barriers[blockIdx.x];
  meet(world, barriers);
  const Range range = part_of({0, words}, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  const Word* const part = send + world.rank * words;
  const size_t stride = blockDim.x;
  for (size_t base = range.first + threadIdx.x; base < range.last; base += stride * kUnroll) {
    Word sum[kUnroll];
    for (int rank = 0; rank < world.ranks; ++rank) {
      Word word[kUnroll];
      const Word* const from = at_peer(world, part, rank);
#pragma unroll
      for (int u = 0; u < kUnroll; ++u)
        if (base + u * stride < range.last) word[u] = from[base + u * stride];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u)
        if (base + u * stride < range.last)
          sum[u] = rank == 0 ? word[u] : combined_words<T>(sum[u], word[u], op);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      if (base + u * stride < range.last) recv[base + u * stride] = sum[u];
  }
  meet(world, barriers);
  if (threadIdx.x == 0) world.notes->barriers[blockIdx.x] = barriers;
}

}  // namespace
