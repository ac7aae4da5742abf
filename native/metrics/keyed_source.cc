#include "metrics/keyed_source.h"

#include <cmath>

#include "core/error.h"
#include "metrics/text.h"

namespace collbench::metrics {

void read_keyed(std::string_view text, std::span<const KeyedValue> keys, double* values) noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = kAbsent;
  std::size_t expected = 0, found = 0;
  each_whole_line(text, [&](std::string_view line) {
    if (found == keys.size()) return;
    const std::string_view word = take_word(line);
    // The kernel keeps the order of its lines: starting at the expected key, the first comparison nearly
    // always matches.
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t at = (expected + i) % keys.size();
      if (keys[at].key != word) continue;
      if (std::isnan(values[at])) {
        values[at] = take_value(line) * keys[at].scale;
        ++found;
      }
      expected = at + 1;
      return;
    }
  });
}

KeyedSource::KeyedSource(const std::string& path, std::span<const KeyedValue> keys)
    : path_(path), file_(path) {
  const auto text = file_.read();
  if (!text) throw system_error(ErrorCode::kUnavailable, path_, file_.error());
  std::vector<double> values(keys.size());
  read_keyed(*text, keys, values.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (std::isnan(values[i])) continue;
    keys_.push_back(keys[i]);
    if (keys[i].cumulative)
      add_counter(keys[i].channel, keys[i].unit);
    else
      add_gauge(keys[i].channel, keys[i].unit);
  }
  if (keys_.empty()) throw Error(ErrorCode::kUnavailable, path_ + " has none of the fields that are read");
}

void KeyedSource::read(double* values) {
  const auto text = file_.read();
  if (!text) fail(path_.c_str(), file_.error());
  read_keyed(text.value_or(std::string_view{}), keys_, values);
}

}  // namespace collbench::metrics
