#pragma once
// Axes of one measurement as the `measure` message carries them: names with plain values, checked by the
// workload.
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace collbench {

/// Value of one axis (parameter of a workload, such as `dtype`). monostate (null in JSON) means that the axis
/// has no meaning for this request, such as `op` for a broadcast.
using AxisValue = std::variant<std::monostate, bool, std::int64_t, std::string>;

/// The axes (parameters) of one workload request, by name. All getters throw Error(kInvalidArgument) if a
/// value is missing or not allowed; the message has the axis, its value and the allowed values.
class Axes {
 public:
  Axes() = default;
  Axes(std::initializer_list<std::pair<const std::string, AxisValue>> values) : values_(values) {}
  explicit Axes(std::map<std::string, AxisValue> values) : values_(std::move(values)) {}

  /// Throws Error(kInvalidArgument) if the request has axes that are not in `names`; they would otherwise be
  /// ignored silently.
  void allow_only(std::span<const std::string_view> names) const;
  [[nodiscard]] bool is_null(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  /// Returns the whole number of an axis; it must be from `low` to `high`.
  [[nodiscard]] std::int64_t whole(std::string_view name, std::int64_t low, std::int64_t high) const;
  /// Returns the text value of an axis; it must not be empty.
  [[nodiscard]] const std::string& word(std::string_view name) const;
  /// Returns the position of the axis's value in `names`. @throws Error(kInvalidArgument) if the value is not
  /// in the list
  [[nodiscard]] int choice(std::string_view name, std::span<const std::string_view> names) const;
  [[nodiscard]] const std::map<std::string, AxisValue>& values() const noexcept { return values_; }
  bool operator==(const Axes&) const = default;

 private:
  [[nodiscard]] const AxisValue& at(std::string_view name) const;
  std::map<std::string, AxisValue> values_;
};

/// Returns an axis value in JSON notation, for messages: null, true, 8 or "float32". A text is cut after 100
/// characters.
std::string describe(const AxisValue& value);
/// Returns a number of bytes as text: "64 MiB", "1.5 KiB".
std::string format_size(std::size_t bytes);

}  // namespace collbench
