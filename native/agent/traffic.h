#pragma once
// Network traffic of this machine around a failure.
#include <cstdint>
#include <string>
#include <vector>

#include "metrics/interface_counters.h"

namespace collbench::agent {

using metrics::InterfaceCounters;
using metrics::parse_traffic;
using metrics::read_traffic;
using metrics::TrafficCounters;

struct TransferredBytes {
  std::uint64_t received_bytes = 0, sent_bytes = 0;
};
struct InterfaceTraffic {
  std::string name, state;  // State is the kernel's operstate: up, down, unknown.
  /// Bytes that the interface moved since the block began; if the ranks were still connecting, since the
  /// launch began.
  TransferredBytes since_begin;
  TransferredBytes last;               // Traffic in the second after the deadline.
  std::uint64_t troubled_packets = 0;  // Lost or damaged packets since the begin.
};
/// Returns the traffic of those interfaces that moved bytes since `begin` or are down, sorted by name.
/// @param before_last counters one second before `now`; equal to `now` if that second was not watched
std::vector<InterfaceTraffic> traffic_between(const TrafficCounters& begin,
                                              const TrafficCounters& before_last, const TrafficCounters& now);

}  // namespace collbench::agent
