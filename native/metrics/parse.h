#pragma once
// Parsers for text of /proc, /sys and /etc. Pure functions: a value missing in the text is absent or zero and
// never an error, because kernels report different fields.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// Returns a field of /proc/meminfo ("MemTotal") in bytes; the file itself counts KiB. nullopt if it is
/// missing.
std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view field);

/// Returns the value in the first line NAME=value or NAME="value" (as in os-release), without the quotes,
/// which may be single; nullopt if there is no such line.
std::optional<std::string> parse_assignment(std::string_view text, std::string_view name);

struct CpuInfo {
  std::string model;  // "model name" (x86); otherwise "Model", "Hardware" or "CPU part" (arm); otherwise ""
  int logical_cpus = 0;     // number of "processor" lines
  bool hypervisor = false;  // CPUID leaf 1 flag: this machine is a guest
};
/// Returns model and number of the CPUs from `text`, the content of /proc/cpuinfo.
CpuInfo parse_cpuinfo(std::string_view text);

/// Returns the numbers of a list in the kernel's form ("0-3,8"), ascending and without duplicates; "" gives
/// no numbers. nullopt for text that is not a list or has a number above 65535.
std::optional<std::vector<int>> parse_list(std::string_view text);
/// Returns the numbers as a list in the kernel's form: "0-3,8".
std::string format_list(const std::vector<int>& ascending);

/// Returns the hypervisor's name, from the vendor and product that the firmware (DMI) reports; "virtual
/// machine" if these name none that is known. nullopt if the CPU reports no hypervisor, whatever the firmware
/// says: cloud hosts without one have the same vendor names.
std::optional<std::string> hypervisor_name(std::string_view dmi_vendor, std::string_view dmi_product,
                                           bool hypervisor);

}  // namespace collbench::metrics
