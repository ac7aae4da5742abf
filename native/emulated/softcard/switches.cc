#include "emulated/softcard/switches.h"

#include "core/text.h"

namespace collbench::softcard {

bool read_link_parameters(std::string_view list, std::span<const LinkParameter> parameters,
                          std::string* problem) {
  // An hour of latency exceeds any link and keeps the arithmetic in nanoseconds from overflowing.
  constexpr double kMaxValue = 3.6e9;
  while (!list.empty()) {
    const std::string item = next_item(list);
    const std::size_t equals = item.find('=');
    const auto value =
        number_between(equals == std::string::npos ? "" : item.substr(equals + 1), 0, kMaxValue);
    if (!value) {
      *problem = "link model parameter '" + item + "' needs a number >= 0, such as gbps=7.2";
      return false;
    }
    double* target = nullptr;
    for (const LinkParameter& row : parameters)
      if (item.substr(0, equals) == row.name) target = row.value;
    if (target == nullptr) {
      *problem = "unknown link model parameter '" + item.substr(0, equals) +
                 "'; allowed: " + join(parameters, &LinkParameter::name);
      return false;
    }
    *target = *value;
  }
  return true;
}

}  // namespace collbench::softcard
