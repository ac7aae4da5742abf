#pragma once
// Algorithms of the cpu engine, one per file. Each writes what one rank does as a Schedule.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collectives/collective.h"
#include "engines/cpu/schedule.h"

namespace collbench::cpu {

/// Collective algorithms of the cpu engine, in the order of algorithms().
enum class Algorithm : std::uint8_t {
  kDirect,
  kRing,
  kRecursiveDoubling,
  kHalvingDoubling,
  kBruck,
  kBinomial,
  kDoubleBinaryTree
};

/// Set of peers to which each rank has connections. kRing: its right neighbour in the ring. kNear: ranks at
/// distances of about a power of two. kAll: all ranks. contains_peer() in peer_set.h decides exactly.
enum class PeerSet : std::uint8_t { kRing, kNear, kAll };

/// Sizes of the chunks (messages) into which the algorithms ring and direct cut long vectors, for one
/// transport. The ring aims at `per_block` chunks for the part of the vector that one rank sends in a step.
struct ChunkTuning {
  std::size_t largest = std::size_t{256} << 10;  // Limits of a ring's chunk in bytes: `smallest` to this.
  std::size_t smallest = std::size_t{16} << 10;
  std::size_t per_block = 4;
  int skew = 2;  // Chunks by which each step of the ring runs behind the step before it.
  std::size_t direct = std::size_t{64} << 10;  // Bytes of a chunk that direct reduces.
};

struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view name;   // Name in --algo and in results.
  std::string_view paper;  // Publication of the algorithm, or a description.
  /// Returns true if the algorithm can execute the operation with this number of ranks.
  /// @param ranks at least 2
  bool (*takes)(const Operation& operation, int ranks) noexcept;
  /// Writes what `rank` does in an operation that takes() accepts and that has at least 1 element.
  /// @param schedule output; empty at the call
  void (*plan)(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
               Schedule& schedule);
  /// Allreduce, broadcast and reduce are processed in pieces of the vector of at most this many bytes,
  /// because scratch memory grows with the piece. 0 = always in one piece.
  std::size_t piece_bytes = 0;
  PeerSet peer_set = PeerSet::kNear;
};

std::span<const AlgorithmRow> algorithms() noexcept;
const AlgorithmRow& row_of(Algorithm algorithm) noexcept;
/// Returns the cpu engine's algorithm with this name ("ring", "bruck", ...); null if there is none.
const AlgorithmRow* find_algorithm(std::string_view name) noexcept;
/// Returns the names of all algorithms as text for messages: "direct, ring or ..."
std::string algorithm_names();

/// Returns true if the algorithm direct can execute the operation: any but the hypercube. Every rank sends a
/// message to each rank that needs its data. plan_direct() writes what `rank` does.
bool takes_direct(const Operation& operation, int ranks) noexcept;
void plan_direct(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                 Schedule& schedule);

/// Returns true if the ring can execute the operation: allreduce, allgather, reducescatter, broadcast or
/// reduce. Every rank sends to the next one only. plan_ring() cuts vectors into chunks (ring.cc).
bool takes_ring(const Operation& operation, int ranks) noexcept;
void plan_ring(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
               Schedule& schedule);

/// Returns true if recursive doubling can execute the operation. In each exchange the distance between
/// partners doubles. Allreduce: log2(n) exchanges of the whole vector, rounded down; ranks beyond a power of
/// two give their data to another rank before and get the result from it afterwards (FoldedRanks). Allgather
/// and hypercube: exchanges of all data received so far; the number of ranks n must be a power of two.
bool takes_recursive_doubling(const Operation& operation, int ranks) noexcept;
void plan_recursive_doubling(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                             Schedule& schedule);

/// Returns true if halving and doubling can execute the operation: allreduce, or reducescatter with a power
/// of two ranks. Ranks exchange halves, quarters and so on in log2(n) exchanges, which reduces the vector.
/// For allreduce, as many exchanges in reverse order gather the result; a rank then sends 2(n-1)/n of the
/// vector in total. Other numbers of ranks n than powers of two are treated as in recursive doubling.
bool takes_halving_doubling(const Operation& operation, int ranks) noexcept;
void plan_halving_doubling(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                           Schedule& schedule);

/// Returns true if Bruck's algorithm can execute the operation: allgather or alltoall with any number of
/// ranks n. It needs log2(n) exchanges, rounded up, in which data pass through other ranks.
bool takes_bruck(const Operation& operation, int ranks) noexcept;
void plan_bruck(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                Schedule& schedule);

/// Returns true if a binomial tree can execute the operation: broadcast or reduce. The tree has log2(n)
/// levels (rounded up) for n ranks.
bool takes_binomial(const Operation& operation, int ranks) noexcept;
void plan_binomial(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                   Schedule& schedule);

/// Returns true if a double binary tree can execute the operation: allreduce, broadcast or reduce. Two trees
/// run at the same time, each with half of the vector, in chunks.
bool takes_double_binary_tree(const Operation& operation, int ranks) noexcept;
void plan_double_binary_tree(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                             Schedule& schedule);

}  // namespace collbench::cpu
