#pragma once
// Counters of the network interfaces in this process's network namespace, from /proc/net/dev. (/sys/class/net
// lists the namespace in which /sys was mounted, often the host's.)
#include <cstdint>
#include <map>
#include <string>

namespace collbench::metrics {

/// Counters of one network interface since the kernel created it (not: since the last reading).
struct InterfaceCounters {
  std::uint64_t received_bytes = 0, sent_bytes = 0;
  std::uint64_t troubled_packets = 0;  // errors and drops, both directions
};
/// Counters of all network interfaces of this network namespace at one moment; the key is the interface name,
/// such as "eth0".
using TrafficCounters = std::map<std::string, InterfaceCounters>;
/// Returns the counters in `text`, the content of /proc/net/dev. Other lines than those of interfaces are
/// skipped.
TrafficCounters parse_traffic(const std::string& text);
/// Returns the current counters; empty if /proc cannot be read. It is fast enough to be called before and
/// after each block of measurements.
TrafficCounters read_traffic();

}  // namespace collbench::metrics
