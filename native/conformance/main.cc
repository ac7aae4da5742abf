// collbench-conformance INTERFACE [LIBRARY [GROUP]]: tests of an interface against a library, a line of JSON
// each. `collbench conformance` runs it.
#include <cstdio>
#include <string>

#include "conformance/mlx5/run.h"

int main(int argc, char** argv) {
  const std::string interface = argc > 1 ? argv[1] : "";
  const std::string library = argc > 2 ? argv[2] : "";
  if (interface == "mlx5") {
    collbench::conformance::mlx5::run_all(library, argc > 3 ? argv[3] : "");
    return 0;
  }
  std::fprintf(stderr, "usage: collbench-conformance mlx5 [LIBRARY [GROUP]]\n");
  return 1;
}
