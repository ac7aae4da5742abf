#include "metrics/interface_counters.h"

#include <array>
#include <sstream>

#include "metrics/inventory.h"

namespace collbench::metrics {

TrafficCounters parse_traffic(const std::string& text) {
  TrafficCounters counters;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.rfind(':');  // from the end, because an alias has a colon in its name
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ');
    // The numbers are received bytes, packets, errors, drops and four more; then the same for sent.
    std::istringstream numbers(line.substr(colon + 1));
    std::array<std::uint64_t, 12> all{};
    for (std::uint64_t& one : all) numbers >> one;
    if (!numbers) continue;
    counters[line.substr(begin, colon - begin)] = {all[0], all[8], all[2] + all[3] + all[10] + all[11]};
  }
  return counters;
}

TrafficCounters read_traffic() { return parse_traffic(read_small_file("/proc/net/dev")); }

}  // namespace collbench::metrics
