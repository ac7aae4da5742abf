#pragma once
// Words of an engine's settings, read alike by all engines that have some.
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

/// One word and what was given for it.
struct SettingWord {
  std::string_view engine;
  const std::string& word;
  const std::string& value;

  /// @throws Error(kInvalidArgument) naming engine, word, value and what is allowed
  [[noreturn]] void refuse(const std::string& allowed) const;
  /// As refuse() where it is none of lowest to highest. @param part of the value
  [[nodiscard]] long number(std::string_view part, long lowest, long highest) const;
  [[nodiscard]] long number(long lowest, long highest) const { return number(value, lowest, highest); }
  /// True for the second of two words, which are all that is allowed.
  [[nodiscard]] bool is_second(std::string_view first, std::string_view second) const;
  [[nodiscard]] bool is_on() const { return is_second("0", "1"); }
  /// "0,2,3"; "" = none.
  [[nodiscard]] std::vector<int> gpus() const;
  /// As refuse() where one stands there twice.
  void require_once(const std::vector<int>& gpus, const std::string& way_out = "") const;
};

/// Parts between separators, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace collbench
