// Parses the table that `collbench tune` has measured.
#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "engines/cpu/tuning.h"
#include "engines/setting_words.h"

namespace collbench::cpu {
namespace {

constexpr std::size_t kParts = 5;  // Transport, collective, ranks, bytes, algorithm; a protocol may follow.

/// Parses a range such as "4-7" into `least` and `most`. @returns false if it is not a range of two numbers
template <typename Number>
bool read_range(std::string_view text, Number* least, Number* most) {
  const char* const end = text.data() + text.size();
  const auto [dash, first] = std::from_chars(text.data(), end, *least);
  if (first != std::errc() || dash == end || *dash != '-') return false;
  const auto [rest, second] = std::from_chars(dash + 1, end, *most);
  return second == std::errc() && rest == end && *least <= *most;
}

bool read_rule(const std::vector<std::string_view>& parts, AlgorithmRule* rule) {
  if (parts.size() != kParts && parts.size() != kParts + 1) return false;
  const auto kind = std::find(kCollectiveKinds.begin(), kCollectiveKinds.end(), parts[1]);
  const AlgorithmRow* row = find_algorithm(parts[4]);
  if (kind == kCollectiveKinds.end() || row == nullptr) return false;
  rule->kind = static_cast<CollectiveKind>(kind - kCollectiveKinds.begin());
  rule->algorithm = row->algorithm;
  if (parts.size() > kParts) {
    rule->protocol = find_protocol(parts[kParts]);
    if (!rule->protocol) return false;
  }
  return read_range(parts[2], &rule->min_ranks, &rule->max_ranks) &&
         read_range(parts[3], &rule->min_bytes, &rule->max_bytes);
}

}  // namespace

std::vector<AlgorithmRule> measured_rules(const std::string& table, std::string_view transport) {
  std::vector<AlgorithmRule> rules;
  if (table.empty()) return rules;
  for (const std::string_view word : split(table, ',')) {
    AlgorithmRule rule;
    const std::vector<std::string_view> parts = split(word, '/');
    if (!read_rule(parts, &rule))
      throw Error(ErrorCode::kInvalidArgument,
                  "tuning table: \"" + std::string(word) +
                      "\" is no rule; a rule is transport/collective/ranks/bytes/algorithm, as "
                      "socket/allreduce/4-7/8-65536/direct, or with a protocol behind, as "
                      "shm/broadcast/2-3/8-64/direct/ll");
    if (parts[0] == transport) rules.push_back(rule);
  }
  return rules;
}

}  // namespace collbench::cpu
