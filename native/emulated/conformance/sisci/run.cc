#include "emulated/conformance/sisci/run.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "emulated/conformance/runner.h"
#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {

bool read_adapters(const std::string& text, SisciTarget* target) {
  char rest = 0;
  const int count = std::sscanf(text.c_str(), "%u,%u%c", &target->exporter, &target->importer, &rest);
  if (count == 1 && text.find_first_not_of("0123456789") == std::string::npos)
    target->importer = target->exporter;
  else if (count != 2)
    return false;
  return true;
}

void run_all(const SisciTarget& target, const std::string& only) {
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

}  // namespace collbench::conformance::sisci
