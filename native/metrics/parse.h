#pragma once
// Text of /proc, /sys and /etc files to values. Pure functions: what a file does not say is absent or zero,
// never an error, because kernels differ in what they tell.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// Bytes of one field of /proc/meminfo ("MemTotal"); the file counts KiB.
std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view field);

/// Value of NAME=value or NAME="value" (os-release); quotes are taken off.
std::optional<std::string> parse_assignment(std::string_view text, std::string_view name);

struct CpuInfo {
  std::string model;        // "model name" (x86), else "Model"/"Hardware"/"CPU part" (arm), else ""
  int logical_cpus = 0;     // lines "processor"
  bool hypervisor = false;  // flag of CPUID leaf 1: we are a guest
};
CpuInfo parse_cpuinfo(std::string_view text);

/// Number of CPUs or nodes in a kernel list like "0-3,8"; 0 for text that is no list.
int count_of_list(std::string_view text);

/// Numbers of such a list, ascending and each once; nullopt for text that is none, or that goes beyond 65535.
/// "" is the empty list.
std::optional<std::vector<int>> numbers_of_list(std::string_view text);
/// The list as the kernel writes it: "0-3,8".
std::string list_of_numbers(const std::vector<int>& ascending);

/// Name of the hypervisor from DMI's vendor and product, "virtual machine" when only the CPU says so, else
/// nullopt.
std::optional<std::string> virtualization_of(std::string_view dmi_vendor, std::string_view dmi_product,
                                             bool hypervisor);

}  // namespace collbench::metrics
