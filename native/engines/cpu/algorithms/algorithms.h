#pragma once
// The algorithms of the cpu engine, one file each. Each writes what one rank does as a Schedule, but for ring
// and direct, which carry themselves out (ring.h, direct.h).
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collectives/collective.h"
#include "engines/cpu/schedule.h"

namespace collbench::cpu {

/// In the order of the table.
enum class Algorithm : std::uint8_t {
  kDirect,
  kRing,
  kRecursiveDoubling,
  kHalvingDoubling,
  kBruck,
  kBinomial,
  kDoubleBinaryTree
};

/// Whom ranks send to: their neighbour in the ring, those at about powers of two from them, all (reach.h).
enum class Reach : std::uint8_t { kRing, kNear, kAll };

struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view name;  // the word of --algo, and of results
  std::string_view paper;
  /// @param ranks at least 2
  bool (*takes)(const Operation& operation, int ranks) noexcept;
  /// Null: it carries itself out. So does direct what Direct::knows(). @param schedule empty; for an
  /// operation that it takes, of at least 1 element
  void (*plan)(const Operation& operation, int rank, int ranks, Schedule& schedule) = nullptr;
  /// Vectors of a collective that may be cut (is_cut) go in pieces of so many bytes, because scratch grows
  /// with them; 0 = whole.
  std::size_t piece_bytes = 0;
  Reach reach = Reach::kNear;
};

std::span<const AlgorithmRow> algorithms() noexcept;
const AlgorithmRow& row_of(Algorithm algorithm) noexcept;
/// nullptr where there is none of that name.
const AlgorithmRow* find_algorithm(std::string_view name) noexcept;
/// "direct, ring or ..."
std::string algorithm_names();

/// One message to each that needs the data of a rank.
bool takes_direct(const Operation& operation, int ranks) noexcept;
void plan_direct(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Allreduce: log2(n) exchanges of the whole vector. Allgather and hypercube: of all that is known so far; n
/// a power of two.
bool takes_recursive_doubling(const Operation& operation, int ranks) noexcept;
void plan_recursive_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Allreduce: log2(n) exchanges of halves and as many back, 2(n-1)/n of the vector in all.
bool takes_halving_doubling(const Operation& operation, int ranks) noexcept;
void plan_halving_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Allgather and alltoall of any number of ranks in log2(n) exchanges, rounded up, by way of others.
bool takes_bruck(const Operation& operation, int ranks) noexcept;
void plan_bruck(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Broadcast and reduce along a tree of log2(n) levels, rounded up.
bool takes_binomial(const Operation& operation, int ranks) noexcept;
void plan_binomial(const Operation& operation, int rank, int ranks, Schedule& schedule);

/// Allreduce, broadcast and reduce along two trees, each of which has half of the vector, in chunks.
bool takes_double_binary_tree(const Operation& operation, int ranks) noexcept;
void plan_double_binary_tree(const Operation& operation, int rank, int ranks, Schedule& schedule);

}  // namespace collbench::cpu
