#include <doctest/doctest.h>

#include <array>
#include <mutex>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/tests/exercise.h"
#include "transports/registry.h"

using namespace collbench;

namespace {
constexpr const char* kToken = "00112233445566778899aabbccddeeff";

// Ranks that poll in one process take turns on few cores; with every access checked, seven of them take
// minutes.
#ifdef __SANITIZE_THREAD__
constexpr std::array kRanks{2, 3};
#else
constexpr std::array kRanks{1, 2, 4, 5};
#endif
}  // namespace

TEST_CASE("every transport that can run here carries all collectives by all algorithms") {
  for (const TransportEntry& entry : transports()) {
    TransportOptions transport_options;
    transport_options.token = kToken;
    const Availability availability = entry.probe(transport_options);
    if (!availability.available) {
      MESSAGE(std::string(entry.name), " cannot run here: ", availability.reason);
      continue;
    }
    for (const int ranks : kRanks)
      for (const cpu::AlgorithmRow& algorithm : cpu::algorithms()) {
        CAPTURE(entry.name);
        CAPTURE(ranks);
        CAPTURE(algorithm.name);
        std::mutex mutex;
        std::vector<std::string> found;
        test::on_ranks(ranks, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
          EngineOptions options;
          options.transport = entry.name;
          options.transport_options = transport_options;
          options.settings["algo"] = algorithm.name;
          options.cancelled = cancelled;
          const auto engine = find_engine(engines(), "cpu")->create(bootstrap, options);
          for (const Operation& operation : test::operations(ranks, {0, 1, 1003, 70'001}, false)) {
            if (engine->algorithm_of(operation) != algorithm.name) continue;
            const std::string line = test::exercise(*engine, bootstrap.rank(), ranks, operation, 1);
            const std::lock_guard lock(mutex);
            if (!line.empty() && found.size() < 5) found.push_back(line);
          }
          bootstrap.all_gather("end of the operations", "");  // until then others need its connections
        });
        for (const std::string& line : found) FAIL_CHECK(line);
      }
  }
}
