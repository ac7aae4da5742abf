#pragma once
// Pieces of kernel text. Strict on purpose: a number counts only when a blank or the line's end follows it,
// and a line only with its newline, so that a torn or garbled field is no number instead of a wrong one.
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace collbench::metrics {

/// A value that is not there.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

/// Calls `use` with each line that ends in a newline, without it.
template <typename Use>
void each_whole_line(std::string_view text, Use use) {
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    use(text.substr(0, end));
}

inline std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Takes the next word off the front of a line; empty at its end.
inline std::string_view take_word(std::string_view& line) noexcept {
  line = without_blanks(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

/// The whole word as an unsigned number, else nullopt (also past 2^64 - 1).
inline std::optional<std::uint64_t> whole_number(std::string_view word) noexcept {
  std::uint64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

/// The next word of the line as an unsigned number; kAbsent when it is none. Above 2^53 to the nearest
/// double.
inline double take_value(std::string_view& line) noexcept {
  const auto number = whole_number(take_word(line));
  return number ? static_cast<double>(*number) : kAbsent;
}

}  // namespace collbench::metrics
