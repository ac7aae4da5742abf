#pragma once
// Text of /proc, /sys and /etc files to values. Pure functions: what a file does not say is absent or zero,
// never an error, because kernels differ in what they tell.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// Clock ticks since boot of one core (line `cpuN` of /proc/stat) or of all (`cpu`, core -1).
struct CpuTicks {
  int core = -1;
  /// user, nice, system, idle, iowait, irq, softirq, steal (proc(5)); older kernels leave the last ones 0.
  std::array<std::uint64_t, 8> ticks{};
  [[nodiscard]] std::uint64_t idle() const noexcept { return ticks[3] + ticks[4]; }
  [[nodiscard]] std::uint64_t total() const noexcept;
};
std::vector<CpuTicks> parse_proc_stat(std::string_view text);

/// One line of /proc/net/dev; counters since the interface came up.
struct InterfaceCounters {
  std::string name;
  std::uint64_t rx_bytes = 0, rx_packets = 0, rx_errors = 0, rx_dropped = 0;
  std::uint64_t tx_bytes = 0, tx_packets = 0, tx_errors = 0, tx_dropped = 0;
};
std::vector<InterfaceCounters> parse_net_dev(std::string_view text);

/// Bytes of one field of /proc/meminfo ("MemTotal"); the file counts KiB.
std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view field);

/// Accumulated stall time "some ... total=N" of a /proc/pressure file, microseconds.
std::optional<std::uint64_t> parse_pressure_some_us(std::string_view text);

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

/// Name of the hypervisor from DMI's vendor and product, "virtual machine" when only the CPU says so, else
/// nullopt.
std::optional<std::string> virtualization_of(std::string_view dmi_vendor, std::string_view dmi_product,
                                             bool hypervisor);

}  // namespace collbench::metrics
