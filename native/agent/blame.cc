#include "agent/blame.h"

#include <algorithm>

#include "core/error.h"

namespace collbench::agent {
namespace {

constexpr int kOwnError = 3;

/// Returns how well an error with this code explains why the other ranks ended, as ErrorCodeRow::explains:
/// 3 for an error of the rank itself and for an unknown code, less for a consequence of another rank's end.
int explains(const std::string& code) {
  for (const ErrorCodeRow& row : kErrorCodes)
    if (code == row.name) return row.explains;
  return kOwnError;
}

int explains(const RankEnd& end) {
  if (end.died) return kOwnError + 1;
  return end.code.empty() ? 0 : explains(end.code);
}

}  // namespace

bool is_consequence(const std::string& code) { return explains(code) < kOwnError; }

std::optional<std::size_t> first_cause(const std::vector<RankEnd>& ends) {
  const auto first = std::min_element(ends.begin(), ends.end(), [](const RankEnd& a, const RankEnd& b) {
    const int more = explains(a) - explains(b);
    return more != 0 ? more > 0 : a.raised_ns < b.raised_ns;
  });
  if (first == ends.end() || explains(*first) == 0) return std::nullopt;
  return static_cast<std::size_t>(first - ends.begin());
}

bool has_own_cause(const std::vector<RankEnd>& ends) {
  return std::any_of(ends.begin(), ends.end(), [](const RankEnd& end) { return explains(end) > 1; });
}

std::optional<std::size_t> likely_culprit(
    const std::vector<RankReport>& ranks, const std::string& states,
    const std::vector<std::pair<std::uint64_t, std::int64_t>>& progress) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (!ranks[i].alive) return i;
  for (const char stuck : {'T', 't', 'D'})
    if (const std::size_t i = states.find(stuck); i != std::string::npos) return i;
  const auto last = std::min_element(progress.begin(), progress.end());
  if (ranks.size() < 2 || std::count(progress.begin(), progress.end(), *last) > 1) return std::nullopt;
  return static_cast<std::size_t>(last - progress.begin());
}

}  // namespace collbench::agent
