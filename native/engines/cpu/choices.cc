// What the engine would take for which size, in words: for people who ask before anything runs.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives/collective.h"
#include "engines/cpu/reach.h"
#include "engines/cpu/tuning.h"
#include "transports/flagged_words.h"

namespace collbench::cpu {
namespace {

using Choices = std::vector<std::pair<std::size_t, std::string>>;  // up to so many bytes; neighbours differ
constexpr std::size_t kAnySize = std::size_t{1} << 50;

Choices choices_of(const Tuning& tuning, CollectiveKind kind, int ranks) {
  std::set<std::size_t> ends{kAnySize};
  if (tuning.flagged_payload > 0) ends.insert(tuning.flagged_payload);
  for (const Rule& rule : tuning.rules) {
    if (rule.kind != kind) continue;
    ends.insert(rule.most_bytes);
    if (rule.least_bytes > 0) ends.insert(rule.least_bytes - 1);
  }
  Choices found;
  for (const std::size_t end : ends) {
    Operation operation;
    operation.kind = kind;
    operation.dtype = DataType::kUint8;
    operation.count = count_of(operation, end, ranks);
    const Reach widest = ranks <= kMostMeshRanks ? Reach::kAll : Reach::kNear;
    std::string name(choose(tuning.rules, operation, ranks, widest).name);
    if (choose_protocol(tuning, operation, ranks, kMostFlaggedBytes, widest) == Protocol::kLl) name += "/ll";
    if (!found.empty() && found.back().second == name)
      found.back().first = end;
    else
      found.emplace_back(end, std::move(name));
  }
  return found;
}

/// All that connect all with all, and above those from which on another choice may be made: powers of two are
/// one thing, other numbers another.
std::set<int> rank_counts(const std::vector<Rule>& rules) {
  std::set<int> counts;
  for (int ranks = 2; ranks <= kFullMeshRanks; ++ranks) counts.insert(ranks);
  for (const int ranks : {kFullMeshRanks + 1, 2 * kFullMeshRanks, kMostMeshRanks + 1, 2 * kMostMeshRanks})
    counts.insert(ranks);
  for (const Rule& rule : rules) {
    counts.insert(rule.least_ranks);
    if (rule.most_ranks < std::numeric_limits<int>::max()) counts.insert(rule.most_ranks + 1);
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
