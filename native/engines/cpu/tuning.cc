#include "engines/cpu/tuning.h"

#include <algorithm>

namespace collbench::cpu {
namespace {

constexpr std::size_t kTuningKiB = 1024;

}  // namespace

Tuning tuning_of(std::string_view transport) {
  using enum CollectiveKind;
  Tuning tuning;
  const bool is_socket = transport == "socket";
  if (is_socket) {
    tuning.ring.largest_chunk = 256 * kTuningKiB;
    tuning.ring.smallest_chunk = 32 * kTuningKiB;
  }
  const std::size_t hop = (is_socket ? 64 : 8) * kTuningKiB;
  // Measured with 2, 4, 8 and 16 ranks on 16 cores, pipelined, 8 B to 1 MiB.
  if (is_socket)
    tuning.rules = {
        {kAllreduce, 2, 64 * kTuningKiB, Algorithm::kRecursiveDoubling},
        {kAllreduce, 2, 1024 * kTuningKiB, Algorithm::kHalvingDoubling},
    };
  else
    tuning.rules = {
        {kAllreduce, 4, 4 * kTuningKiB, Algorithm::kRecursiveDoubling},
        {kAllreduce, 8, 1024 * kTuningKiB, Algorithm::kHalvingDoubling},
        {kAllreduce, 4, 256 * kTuningKiB, Algorithm::kHalvingDoubling},
        {kAllreduce, 2, 8 * kTuningKiB, Algorithm::kRecursiveDoubling},
    };
  const std::vector<Rule> others = {
      {kAllgather, 2, hop, Algorithm::kDirect},     {kReducescatter, 2, hop, Algorithm::kDirect},
      {kBroadcast, 8, hop / 8, Algorithm::kDirect}, {kBroadcast, 2, hop / 2, Algorithm::kDirect},
      {kReduce, 8, hop / 8, Algorithm::kDirect},    {kReduce, 2, hop / 2, Algorithm::kDirect},
  };
  tuning.rules.insert(tuning.rules.end(), others.begin(), others.end());
  return tuning;
}

const AlgorithmRow& choose(const std::vector<Rule>& rules, const Operation& operation, int ranks) noexcept {
  const std::size_t bytes = payload_bytes(operation, ranks);
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& one) {
    return one.kind == operation.kind && ranks >= one.least_ranks && ranks <= one.most_ranks &&
           bytes >= one.least_bytes && bytes <= one.most_bytes &&
           row_of(one.algorithm).takes(operation, ranks);
  });
  if (rule != rules.end()) return row_of(rule->algorithm);
  // The ring at any size, and what ranks only move in one hop.
  for (const Algorithm usual : {Algorithm::kRing, Algorithm::kDirect})
    if (row_of(usual).takes(operation, ranks)) return row_of(usual);
  return row_of(Algorithm::kRecursiveDoubling);  // hypercube
}

}  // namespace collbench::cpu
