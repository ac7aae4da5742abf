#include "engines/nccl/fake/faults.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <vector>

namespace collbench::nccl_fake {
namespace {

/// One fault of NCCL_FAKE_FAULT, such as "hang:1:4", divided into name and numbers.
struct FaultWord {
  std::string name;
  std::vector<unsigned> numbers;
};

struct FaultRow {
  std::string_view name;
  std::size_t fewest, most;  // Range of how many numbers follow the name.
  void (*enter)(NcclFaults& faults, const std::vector<unsigned>& numbers);
};

constexpr unsigned kUsualEvery = 3;

constexpr FaultRow kRows[] = {
    {"fallback", 0, 0, [](NcclFaults& f, const auto&) { f.fallback = true; }},
    {"detour", 0, 0, [](NcclFaults& f, const auto&) { f.detour = true; }},
    {"drop", 0, 1, [](NcclFaults& f, const auto& n) { f.drop_every = n.empty() ? kUsualEvery : n[0]; }},
    {"bit-flip", 0, 1, [](NcclFaults& f, const auto& n) { f.flip_every = n.empty() ? kUsualEvery : n[0]; }},
    {"async-error", 1, 1, [](NcclFaults& f, const auto& n) { f.async_error_from = n[0]; }},
    {"hang", 2, 2,
     [](NcclFaults& f, const auto& n) {
       f.hang_rank = static_cast<int>(n[0]);
       f.hang_operation = n[1];
     }},
    {"die", 2, 2,
     [](NcclFaults& f, const auto& n) {
       f.die_rank = static_cast<int>(n[0]);
       f.die_operation = n[1];
     }},
};

std::optional<unsigned> number_of(const std::string& text) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// Divides a fault such as "hang:1:4" into name and numbers. Returns nullopt if a part after the name is not
/// a number.
std::optional<FaultWord> split_word(const std::string& text) {
  FaultWord word;
  std::istringstream parts(text + ":");
  std::getline(parts, word.name, ':');
  for (std::string part; std::getline(parts, part, ':');) {
    const auto number = number_of(part);
    if (!number) return std::nullopt;
    word.numbers.push_back(*number);
  }
  return word;
}

bool enter_word(const std::string& text, NcclFaults& faults) {
  const std::optional<FaultWord> word = split_word(text);
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const FaultRow& one) { return word && one.name == word->name; });
  if (row == std::end(kRows) || word->numbers.size() < row->fewest || word->numbers.size() > row->most)
    return false;
  // The last number counts operations, which begin at 1.
  if (!word->numbers.empty() && word->numbers.back() == 0) return false;
  row->enter(faults, word->numbers);
  return true;
}

}  // namespace

NcclFaults parse_faults(const std::string& text, std::string& problem) {
  NcclFaults faults;
  std::istringstream words(text.empty() ? text : text + ",");
  for (std::string word; std::getline(words, word, ',');)
    if (!enter_word(word, faults) && problem.empty()) problem = word.empty() ? "," : word;
  return faults;
}

}  // namespace collbench::nccl_fake
