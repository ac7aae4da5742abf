#include "workloads/axes.h"

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "core/text.h"

namespace collbench {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& wanted, const AxisValue& got) {
  throw Error(ErrorCode::kInvalidArgument,
              "axis " + std::string(name) + " must be " + wanted + ", got " + describe(got));
}

}  // namespace

std::string describe(const AxisValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + text->substr(0, 100) + '"';
  return "null";
}

std::string format_size(std::size_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  int unit = 0;
  for (; size >= 1024 && unit < 4; ++unit) size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", size, kUnits[unit]);
  return text;
}

const AxisValue& Axes::at(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end())
    throw Error(ErrorCode::kInvalidArgument, "axis " + std::string(name) + " is missing");
  return found->second;
}

void Axes::allow_only(std::span<const std::string_view> names) const {
  for (const auto& [name, value] : values_)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorCode::kInvalidArgument,
                  "there is no axis " + name.substr(0, 100) + " here; there are: " + join(names));
}

bool Axes::is_null(std::string_view name) const { return std::holds_alternative<std::monostate>(at(name)); }

bool Axes::flag(std::string_view name) const {
  const AxisValue& value = at(name);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  refuse(name, "true or false", value);
}

std::int64_t Axes::whole(std::string_view name, std::int64_t low, std::int64_t high) const {
  const AxisValue& value = at(name);
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < low || *number > high)
    refuse(name, "an integer from " + std::to_string(low) + " to " + std::to_string(high), value);
  return *number;
}

const std::string& Axes::word(std::string_view name) const {
  const AxisValue& value = at(name);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || text->empty()) refuse(name, "a word", value);
  return *text;
}

int Axes::choice(std::string_view name, std::span<const std::string_view> names) const {
  const AxisValue& value = at(name);
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto found = std::find(names.begin(), names.end(), *text);
    if (found != names.end()) return static_cast<int>(found - names.begin());
  }
  refuse(name, "one of " + join(names), value);
}

}  // namespace collbench
