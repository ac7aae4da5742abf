#include "emulated/conformance/plugin/run.h"

#include <unistd.h>

#include <cstdlib>

#include "emulated/conformance/plugin/bench.h"
#include "emulated/conformance/runner.h"

namespace collbench::conformance::net {

void run_all(const PluginTarget& target, const std::string& only) {
  // Token for collbench's own plugin, which separates two runs of one user.
  setenv("COLLBENCH_SISCI_TOKEN", ("conformance" + std::to_string(getpid())).c_str(), 0);
  const TestGroup<PluginBench> groups[] = {{"load", load_tests, false, true},
                                           {"table", table_tests},
                                           {"init", init_tests},
                                           {"connect", connect_tests},
                                           {"data", data_tests},
                                           {"processes", process_tests, true},
                                           {"close", close_tests},
                                           {"growth", growth_tests},
                                           {"cost", cost_tests}};
  run_groups<PluginBench, PluginTarget>(groups, target, only, serve_peer);
}

}  // namespace collbench::conformance::net
