#pragma once
// What the network interfaces of this process counted: those of its network namespace, which /proc/net/dev
// lists. /sys/class/net lists those of the namespace in which /sys was mounted, often the host's.
#include <cstdint>
#include <map>
#include <string>

namespace collbench::metrics {

/// Counters of one interface, since it came up.
struct InterfaceCounters {
  std::uint64_t received_bytes = 0, sent_bytes = 0;
  std::uint64_t troubled_packets = 0;  // errors and drops, both ways
};
/// Of all interfaces at one moment, by name.
using TrafficCounters = std::map<std::string, InterfaceCounters>;
/// @param text of /proc/net/dev; lines that are none are left out
TrafficCounters parse_traffic(const std::string& text);
/// Cheap enough to be read around each block; empty where /proc cannot be read.
TrafficCounters read_traffic();

}  // namespace collbench::metrics
