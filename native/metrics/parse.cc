#include "metrics/parse.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace collbench::metrics {
namespace {

/// Calls `use` with each line of the text, without its newline.
template <typename Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Removes leading blanks and an unsigned number from the front of `text` and returns the number; nullopt if
/// there is none.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::string_view> value_of_key(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || trim(line.substr(0, colon)) != key) return std::nullopt;
  return trim(line.substr(colon + 1));
}

}  // namespace

std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view field) {
  std::optional<std::uint64_t> bytes;
  each_line(text, [&](std::string_view line) {
    auto value = value_of_key(line, field);
    if (!value || bytes) return;
    if (const auto kib = take_number(*value)) bytes = *kib * 1024;
  });
  return bytes;
}

std::optional<std::string> parse_assignment(std::string_view text, std::string_view name) {
  std::optional<std::string> found;
  each_line(text, [&](std::string_view line) {
    if (found || !line.starts_with(name) || line.size() <= name.size() || line[name.size()] != '=') return;
    std::string_view value = trim(line.substr(name.size() + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    found = std::string(value);
  });
  return found;
}

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  std::string arm_model;
  each_line(text, [&](std::string_view line) {
    if (value_of_key(line, "processor")) ++info.logical_cpus;
    if (const auto model = value_of_key(line, "model name"); model && info.model.empty()) info.model = *model;
    for (const std::string_view key : {"Model", "Hardware", "CPU part"})
      if (const auto value = value_of_key(line, key); value && arm_model.empty()) arm_model = *value;
    if (const auto flags = value_of_key(line, "flags"))
      info.hypervisor = info.hypervisor ||
                        (std::string(" ").append(*flags) + " ").find(" hypervisor ") != std::string::npos;
  });
  if (info.model.empty()) info.model = arm_model;
  return info;
}

std::optional<std::vector<int>> parse_list(std::string_view text) {
  constexpr std::uint64_t kMost = 65'535;
  text = trim(text);
  std::vector<int> numbers;
  while (!text.empty()) {
    const auto first = take_number(text);
    if (!first || *first > kMost) return std::nullopt;
    std::uint64_t last = *first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      const auto end = take_number(text);
      if (!end || *end < *first || *end > kMost) return std::nullopt;
      last = *end;
    }
    for (std::uint64_t number = *first; number <= last; ++number) numbers.push_back(static_cast<int>(number));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::string format_list(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i;
    while (end + 1 < ascending.size() && ascending[end + 1] == ascending[end] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(ascending[i]);
    if (end > i) text += "-" + std::to_string(ascending[end]);
    i = end + 1;
  }
  return text;
}

std::optional<std::string> hypervisor_name(std::string_view dmi_vendor, std::string_view dmi_product,
                                           bool hypervisor) {
  struct KnownVendor {
    std::string_view word, name;
  };
  static constexpr KnownVendor kKnown[] = {{"QEMU", "QEMU/KVM"},
                                           {"KVM", "KVM"},
                                           {"VMware", "VMware"},
                                           {"innotek", "VirtualBox"},
                                           {"Xen", "Xen"},
                                           {"Amazon EC2", "Amazon EC2"},
                                           {"Google", "Google Cloud"},
                                           {"Virtual Machine", "Hyper-V"},
                                           {"Firecracker", "Firecracker"}};
  if (!hypervisor) return std::nullopt;  // bare-metal cloud hosts have the same vendor names
  for (const KnownVendor& known : kKnown)
    if (dmi_vendor.find(known.word) != std::string_view::npos ||
        dmi_product.find(known.word) != std::string_view::npos)
      return std::string(known.name);
  return "virtual machine";
}

}  // namespace collbench::metrics
