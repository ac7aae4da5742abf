#pragma once
// The axes of one measurement as `measure` carries them: names and plain values, checked by their workload.
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace collbench {

/// monostate = null: the axis means nothing here.
using AxisValue = std::variant<std::monostate, bool, std::int64_t, std::string>;

/// All getters throw Error(kInvalidArgument) naming the axis, what it holds and what is allowed.
class Axes {
 public:
  Axes() = default;
  Axes(std::initializer_list<std::pair<const std::string, AxisValue>> values) : values_(values) {}
  explicit Axes(std::map<std::string, AxisValue> values) : values_(std::move(values)) {}

  /// An axis that is not understood would be measured as if it were not there.
  void allow_only(std::span<const std::string_view> names) const;
  [[nodiscard]] bool is_null(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t whole(std::string_view name, std::int64_t low, std::int64_t high) const;
  /// Text that is no empty string.
  [[nodiscard]] const std::string& word(std::string_view name) const;
  /// @returns the place of the value in `names`
  [[nodiscard]] int choice(std::string_view name, std::span<const std::string_view> names) const;
  [[nodiscard]] const std::map<std::string, AxisValue>& values() const noexcept { return values_; }
  bool operator==(const Axes&) const = default;

 private:
  [[nodiscard]] const AxisValue& at(std::string_view name) const;
  std::map<std::string, AxisValue> values_;
};

/// As it would stand in JSON.
std::string in_words(const AxisValue& value);
/// "64 MiB", "1.5 KiB".
std::string size_in_words(std::size_t bytes);

}  // namespace collbench
