#pragma once
#include <string>

namespace collbench::conformance::net {

struct PluginTarget {
  std::string path;  // path of the plugin
};

/// Runs the tests of NCCL's net plugin interface and prints a row for each.
/// @param only a group; "" = all
void run_all(const PluginTarget& target, const std::string& only);

}  // namespace collbench::conformance::net
