#include "agent/traffic.h"

#include <algorithm>

#include "metrics/inventory.h"

namespace collbench::agent {
namespace {

/// Returns by how much a counter has grown. A smaller value than before means that the interface was created
/// again, so its counter started at zero.
std::uint64_t grown(std::uint64_t before, std::uint64_t now) { return now < before ? now : now - before; }

InterfaceCounters counters_of(const TrafficCounters& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? InterfaceCounters{} : found->second;
}

}  // namespace

std::vector<InterfaceTraffic> traffic_between(const TrafficCounters& begin,
                                              const TrafficCounters& before_last,
                                              const TrafficCounters& now) {
  std::vector<InterfaceTraffic> traffic;
  for (const auto& [name, counters] : now) {
    const InterfaceCounters at_begin = counters_of(begin, name);
    std::string state = metrics::read_small_file("/sys/class/net/" + name + "/operstate");
    state.erase(std::min(state.find('\n'), state.size()));
    InterfaceTraffic one{name, state, grown(at_begin.received_bytes, counters.received_bytes),
                         grown(at_begin.sent_bytes, counters.sent_bytes),
                         grown(at_begin.troubled_packets, counters.troubled_packets)};
    if (!before_last.empty()) {
      const InterfaceCounters before = counters_of(before_last, name);
      one.last_received_bytes = grown(before.received_bytes, counters.received_bytes);
      one.last_sent_bytes = grown(before.sent_bytes, counters.sent_bytes);
    }
    const bool quiet = one.received_bytes + one.sent_bytes == 0;
    if (!quiet || state == "down" || state == "lowerlayerdown") traffic.push_back(std::move(one));
  }
  return traffic;
}

}  // namespace collbench::agent
