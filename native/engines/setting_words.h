#pragma once
// Parsing of setting values, shared by all engines.
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace collbench {

/// One setting of an engine, such as "gpus" = "0,2": its name (`word`) and its value as text, with functions
/// that parse the value.
struct SettingWord {
  std::string_view engine;
  const std::string& word;
  const std::string& value;

  /// Reports that the value is not allowed.
  /// @param allowed what is allowed, as text: "one of 0, 1"
  /// @throws Error(kInvalidArgument) always, naming engine, setting, value and what is allowed
  [[noreturn]] void refuse(const std::string& allowed) const;
  /// Parses an integer.
  /// @param part the value or a part of it
  /// @throws Error(kInvalidArgument) if it is not an integer from `lowest` to `highest`
  [[nodiscard]] long number(std::string_view part, long lowest, long highest) const;
  [[nodiscard]] long number(long lowest, long highest) const { return number(value, lowest, highest); }
  /// Parses a setting with two values: returns true for `second`, false for `first`.
  /// @throws Error(kInvalidArgument) for any other value
  [[nodiscard]] bool is_second(std::string_view first, std::string_view second) const;
  [[nodiscard]] bool is_on() const { return is_second("0", "1"); }
  /// Parses a list of GPU numbers (0 to 1023) such as "0,2,3"; "" gives an empty list. Repeated numbers are
  /// kept.
  /// @throws Error(kInvalidArgument) for any other text
  [[nodiscard]] std::vector<int> gpus() const;
  /// Checks that no GPU is listed twice.
  /// @param gpus result of gpus()
  /// @param way_out advice for the error message
  /// @throws Error(kInvalidArgument) if one is
  void require_once(const std::vector<int>& gpus, const std::string& way_out = "") const;
};

}  // namespace collbench
