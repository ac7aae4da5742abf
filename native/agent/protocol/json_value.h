#pragma once
// JSON helpers for native/agent/protocol only, because including the JSON library is slow to compile.
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace collbench {

/// Returns a value as JSON; null if it is absent.
template <typename T>
nlohmann::json nullable(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}
/// Returns a number as JSON; null for negative values, which mean "not known".
inline nlohmann::json nullable(std::int64_t value) {
  return value < 0 ? nlohmann::json() : nlohmann::json(value);
}

}  // namespace collbench

namespace collbench::agent {

using nlohmann::json;

/// Largest integer up to which JavaScript's number type represents all integers exactly.
inline constexpr std::int64_t kMaxExactInteger = (std::int64_t{1} << 53) - 1;

/// A JSON value and its path in the message, such as "launch.options.link". Every error has the path, the
/// value and the allowed values.
class JsonValue {
 public:
  JsonValue(const json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  /// Returns a field of this object. @throws Error(kProtocol) if it is missing
  [[nodiscard]] JsonValue at(const char* name) const {
    const json* found = field(name);
    if (found == nullptr) throw Error(ErrorCode::kProtocol, path_ + "." + name + " is missing");
    return {*found, path_ + "." + name};
  }
  /// Returns a field of this object; nullopt if it is missing or null.
  [[nodiscard]] std::optional<JsonValue> find(const char* name) const {
    const json* found = field(name);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return JsonValue(*found, path_ + "." + name);
  }

  [[nodiscard]] std::string text() const {
    if (!value_->is_string()) fail("a string");
    return value_->get<std::string>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) fail("true or false");
    return value_->get<bool>();
  }
  template <typename T>
  [[nodiscard]] T integer(std::int64_t low = -kMaxExactInteger, std::int64_t high = kMaxExactInteger) const {
    // JavaScript may send 1e9, which arrives as a double.
    double number = 0;
    if (value_->is_number()) number = value_->get<double>();
    if (!value_->is_number() || number != static_cast<double>(static_cast<std::int64_t>(number)) ||
        number < static_cast<double>(low) || number > static_cast<double>(high))
      fail("an integer from " + std::to_string(low) + " to " + std::to_string(high));
    return value_->is_number_integer() ? static_cast<T>(value_->get<std::int64_t>()) : static_cast<T>(number);
  }
  /// Returns the enumerator whose name this value is. @param names names of all enumerators, in their order
  /// @throws Error(kProtocol) for another value
  template <typename Enum, std::size_t count>
  [[nodiscard]] Enum choice(const std::string_view (&names)[count]) const {
    const auto* found = std::find(names, names + count, value_->is_string() ? text() : "");
    if (found != names + count) return static_cast<Enum>(found - names);
    fail("one of " + join(names));
  }
  /// Calls `read` with each element of this array and returns the results in a vector.
  /// @throws Error(kProtocol) if this is no array, or has fewer than `min` or more than `max` elements
  template <typename Read>
  [[nodiscard]] auto list(Read read, std::size_t min = 0,
                          std::size_t max = std::numeric_limits<std::size_t>::max()) const {
    if (!value_->is_array() || value_->size() < min)
      fail(min == 0 ? "a list" : "a list of at least " + std::to_string(min));
    if (value_->size() > max) fail("a list of at most " + std::to_string(max));
    std::vector<decltype(read(*this))> all;
    for (const json& one : *value_)
      all.push_back(read(JsonValue(one, path_ + "[" + std::to_string(all.size()) + "]")));
    return all;
  }
  /// Calls `read` with the value of each field of this object and returns the results by name of the field.
  /// @throws Error(kProtocol) if this is no object
  template <typename Read>
  [[nodiscard]] auto map(Read read) const {
    if (!value_->is_object()) fail("an object");
    std::map<std::string, decltype(read(*this))> all;
    for (const auto& item : value_->items())
      all.emplace(item.key(), read(JsonValue(item.value(), path_ + "." + item.key())));
    return all;
  }

  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error(ErrorCode::kProtocol,
                path_ + " must be " + wanted + ", got " +
                    value_->dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 100));
  }
  [[nodiscard]] const json& raw() const noexcept { return *value_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  [[nodiscard]] const json* field(const char* name) const {
    if (!value_->is_object()) fail("an object");
    const auto found = value_->find(name);
    return found == value_->end() ? nullptr : &*found;
  }

  const json* value_;
  std::string path_;
};

inline std::string dump_line(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}
inline json parse_line(const std::string& line) {
  json message = json::parse(line, nullptr, false);
  if (message.is_discarded() || !message.is_object())
    throw Error(ErrorCode::kProtocol, "not a JSON object: " + line.substr(0, 100));
  return message;
}

}  // namespace collbench::agent
