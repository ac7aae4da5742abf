#pragma once
// What went through the network interfaces of this machine while something broke.
#include <cstdint>
#include <string>
#include <vector>

#include "metrics/interface_counters.h"

namespace collbench::agent {

using metrics::InterfaceCounters;
using metrics::parse_traffic;
using metrics::read_traffic;
using metrics::TrafficCounters;

struct Moved {
  std::uint64_t received_bytes = 0, sent_bytes = 0;
};
struct InterfaceTraffic {
  std::string name, state;             // operstate: up, down, unknown
  Moved since_begin;                   // of the block, or of the launch while it connects
  Moved last;                          // in the second after the deadline
  std::uint64_t troubled_packets = 0;  // lost or damaged, since the begin
};
/// Interfaces that moved anything since the begin, or that are down, by name.
/// @param before_last equal to `now` where no last second was watched
std::vector<InterfaceTraffic> traffic_between(const TrafficCounters& begin,
                                              const TrafficCounters& before_last, const TrafficCounters& now);

}  // namespace collbench::agent
