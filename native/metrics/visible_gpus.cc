#include "metrics/visible_gpus.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

namespace collbench::metrics {

std::vector<unsigned> visible_gpus(const char* listed, unsigned count,
                                   const std::function<std::string(unsigned)>& uuid_of) {
  std::vector<unsigned> all(count);
  std::iota(all.begin(), all.end(), 0U);
  if (listed == nullptr || std::string_view(listed).find("MIG-") != std::string_view::npos) return all;
  const auto number_of = [&](std::string_view word) -> std::optional<unsigned> {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size())
      return number < count ? std::optional(number) : std::nullopt;
    if (!word.starts_with("GPU-")) return std::nullopt;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](unsigned gpu) { return uuid_of(gpu).starts_with(word); });
    return found == all.end() ? std::nullopt : std::optional(*found);
  };
  std::vector<unsigned> found;
  for (std::string_view rest = listed; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, comma);
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    while (word.ends_with(' ')) word.remove_suffix(1);
    const std::optional<unsigned> number = number_of(word);
    if (!number) break;
    found.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace collbench::metrics
