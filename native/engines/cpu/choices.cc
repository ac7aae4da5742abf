// Describes which algorithm and protocol the engine would use for each size, for users who ask before a run.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives/collective.h"
#include "engines/cpu/peer_set.h"
#include "engines/cpu/tuning.h"
#include "transports/flagged_words.h"

namespace collbench::cpu {
namespace {

// Pairs of the largest payload in bytes and the choice up to it; neighbouring choices differ.
using Choices = std::vector<std::pair<std::size_t, std::string>>;
constexpr std::size_t kAnySize = std::size_t{1} << 50;

Choices choices_of(const Tuning& tuning, CollectiveKind kind, int ranks) {
  std::set<std::size_t> ends{kAnySize};
  if (tuning.flagged_payload > 0) ends.insert(tuning.flagged_payload);
  for (const AlgorithmRule& rule : tuning.rules) {
    if (rule.kind != kind) continue;
    ends.insert(rule.max_bytes);
    if (rule.min_bytes > 0) ends.insert(rule.min_bytes - 1);
  }
  Choices found;
  for (const std::size_t end : ends) {
    Operation operation;
    operation.kind = kind;
    operation.dtype = DataType::kUint8;
    operation.count = count_of(operation, end, ranks);
    const PeerSet widest = ranks <= kMaxMeshRanks ? PeerSet::kAll : PeerSet::kNear;
    std::string name(choose(tuning.rules, operation, ranks, widest).name);
    if (choose_protocol(tuning, operation, ranks, kMaxFlaggedBytes, widest) == Protocol::kLl) name += "/ll";
    if (!found.empty() && found.back().second == name)
      found.back().first = end;
    else
      found.emplace_back(end, std::move(name));
  }
  return found;
}

/// Returns the numbers of ranks at which the choice of an algorithm may change: all up to kFullMeshRanks, and
/// larger ones from which another rule applies. Powers of two and other numbers are treated separately.
std::set<int> rank_counts(const std::vector<AlgorithmRule>& rules) {
  std::set<int> counts;
  for (int ranks = 2; ranks <= kFullMeshRanks; ++ranks) counts.insert(ranks);
  for (const int ranks : {kFullMeshRanks + 1, 2 * kFullMeshRanks, kMaxMeshRanks + 1, 2 * kMaxMeshRanks})
    counts.insert(ranks);
  for (const AlgorithmRule& rule : rules) {
    counts.insert(rule.min_ranks);
    if (rule.max_ranks < std::numeric_limits<int>::max()) counts.insert(rule.max_ranks + 1);
  }
  return counts;
}

}  // namespace

std::map<std::string, std::string> choices_in_words(const Tuning& tuning) {
  std::map<std::string, std::string> facts;
  for (std::size_t kind = 0; kind < kCollectiveKinds.size(); ++kind) {
    std::string text;
    for (const int ranks : rank_counts(tuning.rules)) {
      text += (text.empty() ? "" : ";") + std::to_string(ranks) + ":";
      bool first = true;
      for (const auto& [end, name] : choices_of(tuning, static_cast<CollectiveKind>(kind), ranks)) {
        text += (first ? "" : ",") + (end == kAnySize ? std::string() : std::to_string(end)) + "/" + name;
        first = false;
      }
    }
    facts["algorithms." + std::string(kCollectiveKinds[kind])] = text;
  }
  return facts;
}

}  // namespace collbench::cpu
