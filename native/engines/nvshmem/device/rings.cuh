// Rings. ring: chunks travel around once to be combined and once to be distributed. simple ring: whole
// vectors travel down the chain, and the result comes back around. alternating rings: every other block uses
// the opposite direction.
namespace {

constexpr int kForward = 0, kAlternating = 1, kTree = 2;  // Numbers of the spaces.

__device__ __forceinline__ int turned(int rank, int by, int ranks) { return (rank + by + ranks) % ranks; }

/// Division of a vector into chunks, of a chunk into one part per thread block, and of a part into `count`
/// pieces. Lengths are in words of 16 bytes. At the end of a vector, pieces may be short or empty.
struct Pieces {
  size_t chunk_words, part_words, piece_words, count;
};
__device__ __forceinline__ Pieces pieces_of(size_t words, int chunks, size_t packet_bytes, int blocks) {
  Pieces pieces{};
  pieces.chunk_words = (words + chunks - 1) / chunks;
  pieces.part_words = (pieces.chunk_words + blocks - 1) / blocks;
  pieces.piece_words = packet_bytes / sizeof(uint4);
  pieces.count = (pieces.part_words + pieces.piece_words - 1) / pieces.piece_words;
  return pieces;
}
/// Returns the words of the vector that are piece number `piece` of this block's part of a chunk.
__device__ __forceinline__ Range piece_at(const Pieces& pieces, size_t words, int chunk, size_t piece) {
  const size_t chunk_first = chunk * pieces.chunk_words;
  const size_t chunk_last = min(words, chunk_first + pieces.chunk_words);
  const size_t part_first = chunk_first + blockIdx.x * pieces.part_words;
  const size_t part_last = min(chunk_last, part_first + pieces.part_words);
  const size_t first = part_first + piece * pieces.piece_words;
  const size_t last = min(part_last, first + pieces.piece_words);
  return first < last ? Range{first, last} : Range{0, 0};
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    ring(const __grid_constant__ World world, const uint4* send, uint4* recv, size_t words,
         size_t packet_bytes, int op, int alternating) {
  begin_kernel();
  const int ranks = world.ranks;
  const int way = alternating != 0 && blockIdx.x % 2 == 1 ? -1 : 1;
  const int next = turned(world.rank, way, ranks), before = turned(world.rank, -way, ranks);
  // Position in the ring, so that chunks are numbered alike in both directions.
  const int place = way == 1 ? world.rank : ranks - 1 - world.rank;
  const Pieces pieces = pieces_of(words, ranks, packet_bytes, static_cast<int>(gridDim.x));
  const auto range_of = [&](int step, size_t piece) {
    return piece_at(pieces, words, turned(place, -step % ranks, ranks), piece);
  };
  Flow<T> flow(world, alternating != 0 ? kAlternating : kForward, op);
  flow.from_[0] = before;
  const int edge = 0;
  for (size_t piece = 0; piece < pieces.count; ++piece) {
    Range range = range_of(0, piece);
    flow.send(next, edge, send + range.first, range.last - range.first);
    for (int step = 1; step < ranks - 1; ++step) {
      range = range_of(step, piece);
      flow.combine_and_send(next, edge, &edge, 1, send + range.first, range.last - range.first);
    }
    range = range_of(ranks - 1, piece);
    flow.combine_and_land(next, &edge, 1, send + range.first, recv + range.first, range.last - range.first);
  }
  // Pieces that have landed from the previous rank are forwarded, except in the last step.
  for (int step = 0; step < ranks - 2; ++step)
    for (size_t piece = 0; piece < pieces.count; ++piece) {
      flow.await_landed();
      const Range range = range_of(step, piece);
      flow.forward(next, -1, recv + range.first, range.last - range.first);
    }
  flow.await_landed(pieces.count);
  flow.end();
}

template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    simple_ring(const __grid_constant__ World world, const uint4* send, uint4* recv, size_t words,
                size_t packet_bytes, int op) {
  begin_kernel();
  const int ranks = world.ranks, rank = world.rank, last = ranks - 1;
  const int next = turned(rank, 1, ranks);
  const Pieces pieces = pieces_of(words, 1, packet_bytes, static_cast<int>(gridDim.x));
  Flow<T> flow(world, kForward, op);
  flow.from_[0] = turned(rank, -1, ranks);
  const int edge = 0;
  for (size_t piece = 0; piece < pieces.count; ++piece) {
    const Range range = piece_at(pieces, words, 0, piece);
    const size_t many = range.last - range.first;
    if (rank == 0)
      flow.send(next, edge, send + range.first, many);
    else if (rank < last)
      flow.combine_and_send(next, edge, &edge, 1, send + range.first, many);
    else
      flow.combine_and_land(next, &edge, 1, send + range.first, recv + range.first, many);
  }
  for (size_t piece = 0; piece < pieces.count && rank < last; ++piece) {
    flow.await_landed();
    const Range range = piece_at(pieces, words, 0, piece);
    if (rank < last - 1) flow.forward(next, -1, recv + range.first, range.last - range.first);
  }
  flow.end();
}

/// Reduction to the root of a binary tree and broadcast from the root. Every other block uses the tree upside
/// down, so that no rank is a leaf for all blocks.
template <class T>
__global__ void __launch_bounds__(kMaxThreads)
    tree(const __grid_constant__ World world, const uint4* send, uint4* recv, size_t words,
         size_t packet_bytes, int op) {
  begin_kernel();
  const int ranks = world.ranks;
  const bool turned_over = blockIdx.x % 2 == 1;
  const auto other_way = [&](int rank) { return turned_over ? ranks - 1 - rank : rank; };
  const int place = other_way(world.rank);
  const int parent = place == 0 ? -1 : other_way((place - 1) / 2);
  const int my_edge = (place - 1) % 2;
  const int edges[kEdges] = {0, 1};
  int children[kEdges] = {-1, -1};
  int child_count = 0;
  Flow<T> flow(world, kTree, op);
  for (int child = 2 * place + 1; child <= 2 * place + 2 && child < ranks; ++child) {
    children[child_count] = other_way(child);
    flow.from_[child_count++] = other_way(child);
  }
  const Pieces pieces = pieces_of(words, 1, packet_bytes, static_cast<int>(gridDim.x));
  for (size_t piece = 0; piece < pieces.count; ++piece) {
    const Range range = piece_at(pieces, words, 0, piece);
    const size_t many = range.last - range.first;
    if (child_count == 0)
      flow.send(parent, my_edge, send + range.first, many);
    else if (parent >= 0)
      flow.combine_and_send(parent, my_edge, edges, child_count, send + range.first, many);
    else {
      flow.combine_and_land(-1, edges, child_count, send + range.first, recv + range.first, many);
      __syncthreads();
      flow.forward(children[0], children[1], recv + range.first, many);
    }
  }
  for (size_t piece = 0; piece < pieces.count && parent >= 0; ++piece) {
    flow.await_landed();
    const Range range = piece_at(pieces, words, 0, piece);
    if (child_count > 0) flow.forward(children[0], children[1], recv + range.first, range.last - range.first);
  }
  flow.end();
}

}  // namespace
