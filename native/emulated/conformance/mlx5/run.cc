#include "emulated/conformance/mlx5/run.h"

#include "emulated/conformance/mlx5/bench.h"
#include "emulated/conformance/runner.h"

namespace collbench::conformance::mlx5 {

void run_all(const std::string& path, const std::string& only) {
  const TestGroup<Mlx5Bench> groups[] = {{"device", device_tests}, {"memory", memory_tests},
                                         {"queues", queue_tests},  {"data", data_tests},
                                         {"errors", error_tests},  {"devx", devx_tests},
                                         {"dc", dc_tests},         {"processes", peer_tests, true}};
  run_groups<Mlx5Bench, std::string>(groups, path, only, serve_peer);
}

}  // namespace collbench::conformance::mlx5
