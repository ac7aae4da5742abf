#include "softntb/faults.h"

#include <cmath>
#include <cstdlib>
#include <functional>

namespace collbench::softntb {
namespace {

struct Switch {
  std::string_view name;
  std::string_view parameter;  // empty = takes none
  double fallback;             // the parameter's value when it is not given
  double least;
  void (*apply)(Faults&, double);
};

std::uint64_t count(double value) { return static_cast<std::uint64_t>(value); }

constexpr Switch kSwitches[] = {
    {"no-iommu", "", 0, 0, [](Faults& f, double) { f.no_iommu = true; }},
    {"bit-flip", "every", 1, 1, [](Faults& f, double v) { f.bit_flip.set(count(v)); }},
    {"lost-interrupt", "every", 1, 1, [](Faults& f, double v) { f.lost_interrupt.set(count(v)); }},
    {"link-down", "after-bytes", 0, 0, [](Faults& f, double v) { f.link_down_after_bytes = count(v); }},
    {"slow-link", "factor", 10, 1, [](Faults& f, double v) { f.slow_factor = v; }},
    {"no-segments", "after", 0, 0, [](Faults& f, double v) { f.segments_allowed = count(v); }},
    {"retriable", "every", 2, 1, [](Faults& f, double v) { f.retriable.set(count(v)); }},
};

std::string allowed_switches() {
  std::string text;
  for (const Switch& row : kSwitches) {
    if (!text.empty()) text += ", ";
    text += row.name;
    if (!row.parameter.empty()) text += "[:" + std::string(row.parameter) + "=N]";
  }
  return text;
}

bool apply(Faults& faults, const std::string& item, std::string* problem) {
  const std::size_t colon = item.find(':');
  const std::string name = item.substr(0, colon);
  for (const Switch& row : kSwitches) {
    if (name != row.name) continue;
    double value = row.fallback;
    if (colon != std::string::npos) {
      const std::string parameter = item.substr(colon + 1);
      const std::string prefix = std::string(row.parameter) + "=";
      char* end = nullptr;
      const bool named = !row.parameter.empty() && parameter.compare(0, prefix.size(), prefix) == 0;
      const std::string number = named ? parameter.substr(prefix.size()) : "";
      value = std::strtod(number.c_str(), &end);
      if (number.empty() || *end != '\0' || !std::isfinite(value) || value < row.least || value > 9e15) {
        *problem = "fault '" + item + "' is not understood; allowed: " + allowed_switches();
        return false;
      }
    }
    row.apply(faults, value);
    return true;
  }
  *problem = "unknown fault '" + item + "'; allowed: " + allowed_switches();
  return false;
}

}  // namespace

std::unique_ptr<Faults> parse_faults(std::string_view text, std::string* problem) {
  auto faults = std::make_unique<Faults>();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string item(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (!item.empty() && !apply(*faults, item, problem)) return nullptr;
  }
  return faults;
}

}  // namespace collbench::softntb
