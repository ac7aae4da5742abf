#pragma once
#include <string>

namespace collbench::conformance::net {

struct PluginTarget {
  std::string path;  // path of the plugin
};

/// Runs the tests of NCCL's net plugin interface and prints a result for each.
/// @param only name of a single group of tests; "" = all
void run_all(const PluginTarget& target, const std::string& only);

}  // namespace collbench::conformance::net
