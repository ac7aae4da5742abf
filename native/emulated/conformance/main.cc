// collbench-conformance INTERFACE [LIBRARY [GROUP [ADAPTERS]]]: tests a library against an interface and
// prints one line of JSON per test. `collbench conformance` runs it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "emulated/conformance/mlx5/bench.h"
#include "emulated/conformance/plugin/bench.h"
#include "emulated/conformance/runner.h"
#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance {

namespace mlx5 {
/// Runs the tests of the verbs and mlx5 interfaces and prints a result for each.
/// @param path libraries to test, as in VerbsLibrary::open
/// @param only name of a single group of tests; "" = all
static void run_all(const std::string& path, const std::string& only) {
  const TestGroup<Mlx5Bench> groups[] = {{"device", device_tests}, {"memory", memory_tests},
                                         {"queues", queue_tests},  {"data", data_tests},
                                         {"errors", error_tests},  {"devx", devx_tests},
                                         {"dc", dc_tests},         {"processes", peer_tests, true}};
  run_groups<Mlx5Bench, std::string>(groups, path, only, serve_peer);
}
}  // namespace mlx5

namespace net {
/// Runs the tests of NCCL's net plugin interface and prints a result for each.
/// @param only name of a single group of tests to run besides "load"; "" = all
static void run_all(const PluginTarget& target, const std::string& only) {
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
}  // namespace net

namespace sisci {
/// Runs the tests of the SISCI API and prints a result for each.
/// @param only name of a single group of tests; "" = all
static void run_all(const SisciTarget& target, const std::string& only) {
  // Separates two runs of one user in softntb.
  setenv("SOFTNTB_FABRIC", ("conformance" + std::to_string(getpid())).c_str(), 0);
  const TestGroup<SisciBench> groups[] = {
      {"session", session_tests},
      {"queries", query_tests},
      {"segments", segment_tests},
      {"memory", memory_tests},
      {"connect", connect_tests},
      {"events", event_tests},
      {"maps", map_tests},
      {"pio", pio_tests},
      {"dma", dma_tests},
      {"dma-refuse", dma_error_tests},
      {"interrupts", interrupt_tests},
      {"data-ints", data_interrupt_tests},
      {"processes", peer_tests, true},
  };
  run_groups<SisciBench, SisciTarget>(groups, target, only, serve_peer);
}
}  // namespace sisci

}  // namespace collbench::conformance

int main(int argc, char** argv) {
  using namespace collbench::conformance;
  const auto argument = [&](int index) { return std::string(argc > index ? argv[index] : ""); };
  const std::string interface = argument(1);
  if (interface == "mlx5" && argc <= 4) {
    mlx5::run_all(argument(2), argument(3));
    return 0;
  }
  if (interface == "plugin" && (argc == 3 || argc == 4)) {
    net::run_all({argument(2)}, argument(3));
    return 0;
  }
  sisci::SisciTarget target{argument(2)};
  if (interface == "sisci" && argc <= 5 && (argc < 5 || sisci::read_adapters(argument(4), &target))) {
    sisci::run_all(target, argument(3));
    return 0;
  }
  std::fprintf(stderr,
               "usage: collbench-conformance mlx5 [LIBRARY [GROUP]]\n"
               "       collbench-conformance plugin LIBRARY [GROUP]\n"
               "       collbench-conformance sisci [LIBRARY [GROUP [EXPORTER,IMPORTER]]]\n");
  return 1;
}
