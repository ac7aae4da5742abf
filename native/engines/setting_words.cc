#include "engines/setting_words.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"

namespace collbench {
namespace {
constexpr long kMaxGpu = 1023;
}

void SettingWord::refuse(const std::string& allowed) const {
  throw Error(ErrorCode::kInvalidArgument,
              std::string(engine) + ": setting " + word + " is \"" + value + "\"; allowed: " + allowed);
}

long SettingWord::number(std::string_view part, long lowest, long highest) const {
  long read = 0;
  const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), read);
  if (failed != std::errc{} || end != part.data() + part.size() || read < lowest || read > highest)
    SettingWord{engine, word, std::string(part)}.refuse(std::to_string(lowest) + " to " +
                                                        std::to_string(highest));
  return read;
}

bool SettingWord::is_second(std::string_view first, std::string_view second) const {
  if (value != first && value != second) refuse(std::string(first) + ", " + std::string(second));
  return value == second;
}

std::vector<int> SettingWord::gpus() const {
  std::vector<int> found;
  if (!value.empty())
    for (const auto part : split(value, ',')) found.push_back(static_cast<int>(number(part, 0, kMaxGpu)));
  return found;
}

void SettingWord::require_once(const std::vector<int>& gpus, const std::string& way_out) const {
  auto sorted = gpus;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  refuse("each GPU once (GPU " + std::to_string(*twice) + " stands there twice" +
         (way_out.empty() ? "" : "; " + way_out) + ")");
}

}  // namespace collbench
