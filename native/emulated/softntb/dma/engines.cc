#include "emulated/softntb/dma/engines.h"

#include <algorithm>
#include <charconv>

namespace collbench::softntb {

std::optional<int> parse_engines(std::string_view text, std::string* problem) {
  if (text.empty()) return -1;
  int count = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count >= 0 && count <= kMaxEngines)
    return count;
  *problem = "SOFTNTB_ENGINES must be a number from 0 to " + std::to_string(kMaxEngines) + ", got '" +
             std::string(text) + "'";
  return std::nullopt;
}

int engines_that_fit(int cores, const FabricUsers& users) noexcept {
  constexpr int kFewCores = 4;
  constexpr int kUsefulEngines = 4;  // more would exceed one process's memory bandwidth
  if (cores <= kFewCores) return 0;
  return std::clamp((cores - users.adapters) / (2 * std::max(users.processes, 1)), 0, kUsefulEngines);
}

}  // namespace collbench::softntb
