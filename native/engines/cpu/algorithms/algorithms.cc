#include "engines/cpu/algorithms/algorithms.h"

#include <algorithm>
#include <iterator>

namespace collbench::cpu {
namespace {

constexpr AlgorithmRow kAlgorithms[] = {
    {.algorithm = Algorithm::kDirect,
     .name = "direct",
     .paper = "one hop: every rank sends to all that need its data",
     .takes = takes_direct,
     .plan = plan_direct,
     .piece_bytes = std::size_t{16} << 20,
     .peer_set = PeerSet::kAll},
    {.algorithm = Algorithm::kRing,
     .name = "ring",
     .paper =
         "Patarasuk, Yuan 2009, \"Bandwidth optimal all-reduce algorithms for clusters of workstations\"",
     .takes = takes_ring,
     .plan = plan_ring,
     .peer_set = PeerSet::kRing},
    {.algorithm = Algorithm::kRecursiveDoubling,
     .name = "recursive-doubling",
     .paper = "Thakur, Rabenseifner, Gropp 2005, \"Optimization of collective communication operations in "
              "MPICH\"",
     .takes = takes_recursive_doubling,
     .plan = plan_recursive_doubling,
     .piece_bytes = std::size_t{1} << 20},
    {.algorithm = Algorithm::kHalvingDoubling,
     .name = "halving-doubling",
     .paper = "Rabenseifner 2004, \"Optimization of collective reduction operations\"",
     .takes = takes_halving_doubling,
     .plan = plan_halving_doubling,
     .piece_bytes = std::size_t{64} << 20},
    {.algorithm = Algorithm::kBruck,
     .name = "bruck",
     .paper =
         "Bruck, Ho, Kipnis, Upfal, Weathersby 1997, \"Efficient algorithms for all-to-all communications in "
         "multiport message-passing systems\"",
     .takes = takes_bruck,
     .plan = plan_bruck},
    {.algorithm = Algorithm::kBinomial,
     .name = "binomial",
     .paper = "Thakur, Rabenseifner, Gropp 2005, \"Optimization of collective communication operations in "
              "MPICH\"",
     .takes = takes_binomial,
     .plan = plan_binomial,
     .piece_bytes = std::size_t{256} << 10},
    {.algorithm = Algorithm::kDoubleBinaryTree,
     .name = "double-binary-tree",
     .paper = "Sanders, Speck, Traff 2009, \"Two-tree algorithms for full bandwidth broadcast, reduction and "
              "scan\"",
     .takes = takes_double_binary_tree,
     .plan = plan_double_binary_tree,
     .piece_bytes = std::size_t{16} << 20},
};

static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(kAlgorithms); ++i)
        if (static_cast<std::size_t>(kAlgorithms[i].algorithm) != i) return false;
      return true;
    }(),
    "rows follow the order of Algorithm");

}  // namespace

std::span<const AlgorithmRow> algorithms() noexcept { return kAlgorithms; }

const AlgorithmRow& row_of(Algorithm algorithm) noexcept {
  return kAlgorithms[static_cast<std::size_t>(algorithm)];
}

const AlgorithmRow* find_algorithm(std::string_view name) noexcept {
  const auto* found = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                   [name](const AlgorithmRow& row) { return row.name == name; });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

std::string algorithm_names() {
  std::string names;
  for (const AlgorithmRow& row : kAlgorithms)
    names += (names.empty() ? "" : &row == std::end(kAlgorithms) - 1 ? " or " : ", ") + std::string(row.name);
  return names;
}

}  // namespace collbench::cpu
