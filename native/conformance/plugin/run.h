#pragma once
#include <string>

namespace collbench::conformance::net {

struct Target {
  std::string path;  // path of the plugin
};

/// Runs the tests of NCCL's net plugin interface and prints a row for each.
/// @param only a group; "" = all
void run_all(const Target& target, const std::string& only);

}  // namespace collbench::conformance::net
