#pragma once
// Network traffic of this machine around a failure.
#include <vector>

#include "agent/protocol/generated/messages.h"
#include "metrics/inventory.h"

namespace collbench::agent {

using metrics::InterfaceCounters;
using metrics::parse_traffic;
using metrics::read_traffic;
using metrics::TrafficCounters;

/// Returns the traffic of those interfaces that moved bytes since `begin` or are down, sorted by name: since
/// `begin`, and since `before_last`.
/// @param before_last counters about one second before `now`; empty if that second was not watched
std::vector<InterfaceTraffic> traffic_between(const TrafficCounters& begin,
                                              const TrafficCounters& before_last, const TrafficCounters& now);

}  // namespace collbench::agent
