#pragma once
// Algorithms of the cpu engine, one per file. Each writes what one rank does as a Schedule; ring and direct
// have executors of their own (ring.h, direct.h).
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collectives/collective.h"
#include "engines/cpu/schedule.h"

namespace collbench::cpu {

/// Algorithms in the order of the table.
enum class Algorithm : std::uint8_t {
  kDirect,
  kRing,
  kRecursiveDoubling,
  kHalvingDoubling,
  kBruck,
  kBinomial,
  kDoubleBinaryTree
};

/// Peers that ranks send to: their neighbour in the ring, ranks at about powers of two from them, or all
/// (peer_set.h).
enum class PeerSet : std::uint8_t { kRing, kNear, kAll };

struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view name;  // Name in --algo and in results.
  std::string_view paper;
  /// Returns whether the algorithm supports the operation. @param ranks at least 2
  bool (*takes)(const Operation& operation, int ranks) noexcept;
  /// Writes the schedule of an operation that takes() accepts, with at least 1 element. Null if the algorithm
  /// has its own executor; direct has one only for what DirectExecutor::supports().
  /// @param schedule empty
  void (*plan)(const Operation& operation, int rank, int ranks, Schedule& schedule) = nullptr;
  /// Largest piece in bytes for splittable vectors (is_splittable), because scratch memory grows with pieces;
  /// 0 = not split.
  std::size_t piece_bytes = 0;
  PeerSet peer_set = PeerSet::kNear;
};

std::span<const AlgorithmRow> algorithms() noexcept;
const AlgorithmRow& row_of(Algorithm algorithm) noexcept;
/// Returns nullptr if there is no algorithm of that name.
const AlgorithmRow* find_algorithm(std::string_view name) noexcept;
/// Returns the names as text: "direct, ring or ..."
std::string algorithm_names();

/// Direct: one message to each rank that needs a rank's data.
bool takes_direct(const Operation& operation, int ranks) noexcept;
void plan_direct(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Recursive doubling. Allreduce: log2(n) exchanges of the whole vector. Allgather and hypercube: exchanges
/// of all data known so far; n must be a power of two.
bool takes_recursive_doubling(const Operation& operation, int ranks) noexcept;
void plan_recursive_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Halving and doubling for allreduce: log2(n) exchanges of halves and as many back, 2(n-1)/n of the vector
/// in total.
bool takes_halving_doubling(const Operation& operation, int ranks) noexcept;
void plan_halving_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Bruck's algorithm: allgather and alltoall of any number of ranks in log2(n) exchanges, rounded up, by way
/// of other ranks.
bool takes_bruck(const Operation& operation, int ranks) noexcept;
void plan_bruck(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Binomial tree for broadcast and reduce, with log2(n) levels, rounded up.
bool takes_binomial(const Operation& operation, int ranks) noexcept;
void plan_binomial(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Double binary tree for allreduce, broadcast and reduce: each of two trees carries half of the vector, in
/// chunks.
bool takes_double_binary_tree(const Operation& operation, int ranks) noexcept;
void plan_double_binary_tree(const Operation& operation, int rank, int ranks, Schedule& schedule);

}  // namespace collbench::cpu
