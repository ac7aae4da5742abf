#pragma once
// Parsers for words of kernel text. They are strict: a number needs a blank or the line's end behind it, and
// a line needs its newline. So a torn or garbled field gives no number instead of a wrong one.
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace collbench::metrics {

/// NaN, the value for a number that the kernel does not report.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

/// Calls `use` with each line of the text, without its newline. A last line without newline is left out,
/// because it may be incomplete.
template <typename Use>
void each_whole_line(std::string_view text, Use use) {
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    use(text.substr(0, end));
}

inline std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Removes the next word from the front of `line`, with the blanks and tabs before it, and returns the word;
/// empty at the line's end.
inline std::string_view take_word(std::string_view& line) noexcept {
  line = without_blanks(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

/// Returns the number if the whole word is an unsigned number; nullopt for other text and above 2^64 - 1.
inline std::optional<std::uint64_t> whole_number(std::string_view word) noexcept {
  std::uint64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

/// Removes the next word from the front of `line` and returns it as a number; kAbsent if it is not an
/// unsigned number. Above 2^53 rounded to the nearest double.
inline double take_value(std::string_view& line) noexcept {
  const auto number = whole_number(take_word(line));
  return number ? static_cast<double>(*number) : kAbsent;
}

}  // namespace collbench::metrics
