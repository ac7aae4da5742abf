#pragma once
// Parsers for text of /proc, /sys and /etc. Pure functions: a value missing in the text is absent or zero and
// never an error, because kernels report different fields.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// Bytes of one field of /proc/meminfo ("MemTotal"); the file counts KiB.
std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view field);

/// Value of NAME=value or NAME="value" (os-release), without the quotes.
std::optional<std::string> parse_assignment(std::string_view text, std::string_view name);

struct CpuInfo {
  std::string model;  // "model name" (x86); otherwise "Model", "Hardware" or "CPU part" (arm); otherwise ""
  int logical_cpus = 0;     // number of "processor" lines
  bool hypervisor = false;  // CPUID leaf 1 flag: this machine is a guest
};
CpuInfo parse_cpuinfo(std::string_view text);

/// Number of CPUs or nodes in a kernel list like "0-3,8"; 0 for text that is not a list.
int count_in_list(std::string_view text);

/// Numbers of such a list, ascending, without duplicates. nullopt for text that is not a list or has a number
/// above 65535; "" is the empty list.
std::optional<std::vector<int>> parse_list(std::string_view text);
/// The list in the kernel's form: "0-3,8".
std::string format_list(const std::vector<int>& ascending);

/// Name of the hypervisor from DMI's vendor and product; "virtual machine" if only the CPU reports one;
/// otherwise nullopt.
std::optional<std::string> hypervisor_name(std::string_view dmi_vendor, std::string_view dmi_product,
                                           bool hypervisor);

}  // namespace collbench::metrics
