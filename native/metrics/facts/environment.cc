#include "metrics/facts/environment.h"

#include <algorithm>
#include <regex>

namespace collbench::facts {

bool is_recorded(const std::string& name, const std::string& value) {
  static const std::regex secret_name(kSecretName, std::regex::ECMAScript | std::regex::icase);
  static const std::regex secret_value(kSecretValue);
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::any_of(std::begin(kRecordedPrefixes), std::end(kRecordedPrefixes), begins) &&
         !std::regex_search(name, secret_name) &&
         !std::regex_search(value.substr(0, kMostValueBytes), secret_value);
}

}  // namespace collbench::facts
