#pragma once
// JSON helpers for protocol*.cc only, because including the JSON library is slow to compile.
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/error.h"
#include "transports/transport.h"

namespace collbench::agent {

using nlohmann::json;

/// Largest integer up to which JavaScript's number type represents all integers exactly.
inline constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;

/// Set that collects the names of all fields that are read, such as "launch.options.link"; null = names are
/// not collected. For tests.
inline thread_local std::set<std::string>* fields_asked = nullptr;

/// Reads the fields of one JSON object with their types. Every error has the name of the field, its value and
/// the allowed values.
class JsonFields {
 public:
  JsonFields(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) fail("", "an object", object);
  }

  const json& at(const char* name) const {
    record_field(name);
    const auto found = object_.find(name);
    if (found == object_.end()) throw Error(ErrorCode::kProtocol, where(name) + " is missing");
    return *found;
  }
  [[nodiscard]] bool has(const char* name) const {
    record_field(name);
    return object_.contains(name) && !object_[name].is_null();
  }
  JsonFields object(const char* name) const { return JsonFields(at(name), where(name)); }

  std::string text(const char* name) const {
    const json& value = at(name);
    if (!value.is_string()) fail(name, "a string", value);
    return value.get<std::string>();
  }
  std::string text_or(const char* name, const std::string& fallback) const {
    return has(name) ? text(name) : fallback;
  }
  bool boolean(const char* name) const {
    const json& value = at(name);
    if (!value.is_boolean()) fail(name, "true or false", value);
    return value.get<bool>();
  }
  template <typename T>
  T integer(const char* name, std::int64_t low, std::int64_t high) const {
    const json& value = at(name);
    // JavaScript may send 1e9, which arrives as a double.
    double number = 0;
    if (value.is_number()) number = value.get<double>();
    if (!value.is_number() || number != static_cast<double>(static_cast<std::int64_t>(number)) ||
        number < static_cast<double>(low) || number > static_cast<double>(high))
      fail(name, "an integer from " + std::to_string(low) + " to " + std::to_string(high), value);
    return value.is_number_integer() ? static_cast<T>(value.get<std::int64_t>()) : static_cast<T>(number);
  }
  template <typename T>
  T natural(const char* name) const {
    const auto high =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()), kMaxExactInteger);
    return integer<T>(name, 0, static_cast<std::int64_t>(high));
  }

  [[nodiscard]] std::string where(const std::string& name) const {
    return path_ + (name.empty() ? "" : "." + name);
  }
  [[noreturn]] void fail(const std::string& name, const std::string& wanted, const json& got) const {
    throw Error(ErrorCode::kProtocol,
                where(name) + " must be " + wanted + ", got " +
                    got.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 100));
  }
  const json& raw() const { return object_; }

 private:
  void record_field(const char* name) const {
    if (fields_asked != nullptr) fields_asked->insert(where(name));
  }

  const json& object_;
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
inline const char* medium_name(Medium medium) { return kMediumNames[static_cast<int>(medium)]; }
inline Medium medium_of(const std::string& name) {
  for (const Medium medium : {Medium::kEmulated, Medium::kUnknown})
    if (name == medium_name(medium)) return medium;
  return Medium::kHardware;
}
/// Returns a number as JSON; null for negative values, which mean "not known".
inline json known(std::int64_t value) { return value < 0 ? json() : json(value); }

}  // namespace collbench::agent
