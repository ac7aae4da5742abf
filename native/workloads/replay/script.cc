#include "workloads/replay/script.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "core/error.h"
#include "workloads/collective/operation.h"

namespace collbench::replay {
namespace {

constexpr std::int64_t kLongestNs = 3600LL * 1'000'000'000;

/// Removes the first word of `line` and returns it; "" if there is none.
std::string_view take_word(std::string_view& line) {
  const std::size_t cut = line.find(' ');
  const std::string_view word = line.substr(0, cut);
  line.remove_prefix(cut == std::string_view::npos ? line.size() : cut + 1);
  return word;
}

class Line {
 public:
  Line(std::string_view text, std::size_t number) : text_(text), rest_(text), number_(number) {}

  std::string word() { return std::string(take_word(rest_)); }
  std::int64_t whole(std::int64_t most) {
    const std::string_view text = take_word(rest_);
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
      fail("'" + std::string(text.substr(0, 40)) + "' is no number from 0 to " + std::to_string(most));
    return value;
  }
  void end() const {
    if (!rest_.empty()) fail("'" + std::string(rest_.substr(0, 40)) + "' is too much");
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::kInvalidArgument, "line " + std::to_string(number_) + " of the script ('" +
                                                 std::string(text_.substr(0, 80)) + "'): " + why);
  }

 private:
  std::string_view text_, rest_;
  std::size_t number_;
};

AxisValue word_or_none(const std::string& word) { return word == "-" ? AxisValue{} : AxisValue{word}; }

/// Rounds the bytes of a call up, so that each part of the collective has whole elements. For an unknown
/// collective or type the number is returned unchanged; the caller rejects those later.
std::int64_t padded(const std::string& kind, const std::string& dtype, std::int64_t bytes, int ranks) {
  const auto place = [](const auto& names, const std::string& name) {
    return std::find(std::begin(names), std::end(names), name) - std::begin(names);
  };
  const auto kind_at = place(kCollectiveKinds, kind);
  const auto type_at = place(kDataTypeNames, dtype);
  if (kind_at == std::ssize(kCollectiveKinds) || type_at == std::ssize(kDataTypeNames)) return bytes;
  const auto unit = static_cast<std::int64_t>(parts_of(static_cast<CollectiveKind>(kind_at), ranks) *
                                              size_of(static_cast<DataType>(type_at)));
  return (bytes + unit - 1) / unit * unit;
}

/// Parses a division of all ranks into groups, size "x" stride: "4x1" of 8 ranks is 0-3 and 4-7, "2x4" is 0
/// and 4, 1 and 5, ...
/// @param line the line, for error messages
/// @param last its last word, the layout; empty = one group of all ranks
/// @param ranks number of all ranks; a multiple of size x stride
/// @throws Error(kInvalidArgument) if the layout is invalid or does not divide the ranks
GroupLayout group_of(const Line& line, std::string_view last, int ranks) {
  if (last.empty()) return {};
  const std::size_t cut = last.find('x');
  const auto whole = [&](std::string_view text) -> int {
    return static_cast<int>(Line(text, 0).whole(1 << 20));
  };
  const GroupLayout group = cut == std::string_view::npos
                                ? GroupLayout{}
                                : GroupLayout{whole(last.substr(0, cut)), whole(last.substr(cut + 1))};
  if (group.size < 2 || group.stride < 1)
    line.fail("'" + std::string(last.substr(0, 40)) + "' is no group, as 4x1");
  if (static_cast<std::int64_t>(ranks) % (static_cast<std::int64_t>(group.size) * group.stride) != 0)
    line.fail(std::to_string(ranks) + " ranks make no groups " + std::string(last));
  return group;
}

/// Parses a line "call COLLECTIVE DTYPE OP ROOT BYTES [LAYOUT]". Returns the operation, and the layout of the
/// groups of ranks that execute it (all ranks if the line has none).
std::pair<Operation, GroupLayout> call_of(Line& line, int all_ranks) {
  const std::string kind = line.word();
  const std::string dtype = line.word();
  const AxisValue op = word_or_none(line.word());
  const std::string root = line.word();
  const std::int64_t asked = line.whole(kMaxPayloadBytes);
  const GroupLayout group = group_of(line, line.word(), all_ranks);
  const int ranks = group.is_all() ? all_ranks : group.size;
  const std::int64_t bytes = padded(kind, dtype, asked, ranks);
  const auto at_root = root == "-" ? AxisValue{} : AxisValue{Line(root, 0).whole(1 << 20)};
  const auto operation = [&](bool in_place) {
    return operation_of(Axes({{"collective", kind},
                              {"dtype", dtype},
                              {"op", op},
                              {"root", at_root},
                              {"inPlace", in_place},
                              {"bytes", bytes}}),
                        ranks);
  };
  try {
    const Operation out_of_place = operation(false);
    return {has_in_place(out_of_place.kind) ? operation(true) : out_of_place, group};
  } catch (const Error& error) {
    line.fail(error.what());
  }
}

}  // namespace

Script parse(std::string_view text, int ranks) {
  Script script;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t cut = text.find('\n');
    Line line(text.substr(0, cut), number);
    text.remove_prefix(cut == std::string_view::npos ? text.size() : cut + 1);
    const std::string what = line.word();
    if (what == "compute") {
      script.items.push_back({ItemKind::kCompute, line.whole(kLongestNs), 0});
    } else if (what == "call") {
      script.items.push_back({ItemKind::kCall, 0, script.calls.size()});
      const auto [operation, group] = call_of(line, ranks);
      script.calls.push_back(operation);
      script.groups.push_back(group);
    } else if (what == "wait") {
      script.items.push_back({ItemKind::kWait, 0, 0});
    } else {
      line.fail("'" + what + "' is none of compute, call, wait");
    }
    line.end();
  }
  if (script.calls.empty()) throw Error(ErrorCode::kInvalidArgument, "the script of a job has no call");
  return script;
}

}  // namespace collbench::replay
