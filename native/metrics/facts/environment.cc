#include "metrics/facts/environment.h"

#include <regex.h>

#include <algorithm>
#include <stdexcept>

#include "metrics/facts/generated/recorded_environment.h"

namespace collbench::facts {

namespace {

/// A compiled POSIX regular expression. (std::regex is not used, because the compiler needs several seconds
/// for it.)
class Pattern {
 public:
  explicit Pattern(const char* text, int flags = 0) {
    if (regcomp(&compiled_, text, REG_EXTENDED | REG_NOSUB | flags) != 0)
      throw std::logic_error(std::string("no regular expression: ") + text);
  }
  ~Pattern() { regfree(&compiled_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  [[nodiscard]] bool occurs_in(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_;
};

bool is_secret_name(const std::string& name) {
  static const Pattern secret(kSecretName, REG_ICASE);
  static const Pattern parameter(kOpenMpiParameter, REG_ICASE);
  static const Pattern recorded_parameter(kRecordedOpenMpiParameter, REG_ICASE);
  return secret.occurs_in(name) || (parameter.occurs_in(name) && !recorded_parameter.occurs_in(name));
}

bool is_secret_value(const std::string& value) {
  static const Pattern secret(kSecretValue);
  static const Pattern key_like[] = {Pattern(kKeyLikeValue[0]), Pattern(kKeyLikeValue[1]),
                                     Pattern(kKeyLikeValue[2])};
  static_assert(std::size(key_like) == std::size(kKeyLikeValue));
  return secret.occurs_in(value) ||
         std::all_of(std::begin(key_like), std::end(key_like),
                     [&](const Pattern& pattern) { return pattern.occurs_in(value); });
}

}  // namespace

bool is_recorded(const std::string& name, const std::string& value) {
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::any_of(std::begin(kRecordedPrefixes), std::end(kRecordedPrefixes), begins) &&
         !is_secret_name(name) && !is_secret_value(value.substr(0, kMaxValueBytes));
}

}  // namespace collbench::facts
