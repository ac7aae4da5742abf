#pragma once
// Parser for lists of settings: faults ("bit-flip:every=100,link-down") and parameters of a link model
// ("gbps=7.2,latency-us=1").
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/text.h"

namespace collbench::softcard {

/// A fault that users can switch on by name for tests, with its parameter and the function that sets it.
/// `fallback` is the parameter's default, `least` its minimum.
template <typename Faults>
struct Switch {
  std::string_view name;
  std::string_view parameter;  // name of its parameter; empty = none
  double fallback;             // value of the parameter if the text gives none
  double least;
  void (*apply)(Faults&, double);
};

template <typename Faults>
std::string allowed_switches(std::span<const Switch<Faults>> rows) {
  return join(rows, [](const Switch<Faults>& row) {
    return std::string(row.name) + (row.parameter.empty() ? "" : "[:" + std::string(row.parameter) + "=N]");
  });
}

/// Returns the number in `text` if it lies within [least, most]; nullopt if it does not or `text` is no
/// number.
inline std::optional<double> number_between(const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value < least || value > most)
    return std::nullopt;
  return value;
}

/// Removes the first item from a comma-separated list and returns it.
inline std::string next_item(std::string_view& list) {
  const std::size_t comma = list.find(',');
  std::string item(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return item;
}

/// Reads a list of faults, "name[:parameter=N],...", and sets them in `faults`; empty = none.
/// @param rows faults that exist
/// @returns false for an unknown fault or value; `problem` then lists what is allowed
template <typename Faults>
bool read_switches(std::string_view list, std::span<const Switch<Faults>> rows, Faults& faults,
                   std::string* problem) {
  while (!list.empty()) {
    const std::string item = next_item(list);
    if (item.empty()) continue;
    const std::size_t colon = item.find(':');
    const Switch<Faults>* found = nullptr;
    for (const auto& row : rows)
      if (item.substr(0, colon) == row.name) found = &row;
    if (found == nullptr) {
      *problem = "unknown fault '" + item + "'; allowed: " + allowed_switches(rows);
      return false;
    }
    std::optional<double> value = found->fallback;
    if (colon != std::string::npos) {
      const std::string parameter = item.substr(colon + 1);
      const std::string prefix = std::string(found->parameter) + "=";
      const bool named = !found->parameter.empty() && parameter.compare(0, prefix.size(), prefix) == 0;
      value = named ? number_between(parameter.substr(prefix.size()), found->least, 9e15) : std::nullopt;
    }
    if (!value) {
      *problem = "fault '" + item + "' is not understood; allowed: " + allowed_switches(rows);
      return false;
    }
    found->apply(faults, *value);
  }
  return true;
}

/// A parameter of a user-defined link model (`custom:gbps=7`): its name and the variable that receives it.
struct LinkParameter {
  std::string_view name;
  double* value;
};

/// Reads a list "name=N,..." of numbers from 0 to 3.6e9 into the parameters' variables; each parameter is
/// optional.
/// @returns false on an error; `problem` then lists what is allowed
bool read_link_parameters(std::string_view list, std::span<const LinkParameter> parameters,
                          std::string* problem);

}  // namespace collbench::softcard
