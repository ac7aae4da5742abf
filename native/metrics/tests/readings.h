#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "metrics/sampler.h"

namespace collbench::metrics {

inline Roots fixture(const std::string& tree) {
  const std::string folder = std::string(COLLBENCH_METRICS_FIXTURES) + "/" + tree;
  return {folder + "/proc", folder + "/sys", "libnvidia-ml.so.none"};
}

/// One reading of one source, by channel.
struct Readings {
  std::map<std::string, double> values;
  std::map<std::string, std::string> absent;  // reason by source
  double at(const std::string& channel) const {
    const auto found = values.find(channel);
    return found == values.end() ? NAN : found->second;
  }
};
inline Readings read_once(const Roots& roots, const std::string& source) {
  SamplerOptions options;
  options.roots = roots;
  options.names = {source};
  Sampler sampler(options);
  std::vector<double> row(sampler.channels().size());
  sampler.read(row.data());
  Readings readings;
  for (std::size_t i = 0; i < row.size(); ++i) readings.values[sampler.channels()[i].name] = row[i];
  for (const SourceFailure& one : sampler.absent()) readings.absent[one.source] = one.reason;
  return readings;
}

}  // namespace collbench::metrics
