// collbench-conformance INTERFACE [LIBRARY [GROUP [ADAPTERS]]]: tests a library against an interface and
// prints one line of JSON per test. `collbench conformance` runs it.
#include <cstdio>
#include <string>

#include "emulated/conformance/mlx5/run.h"
#include "emulated/conformance/plugin/run.h"
#include "emulated/conformance/sisci/run.h"

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
