// Runs operations in random order on every transport that can run here. COLLBENCH_FUZZ_SECONDS=600 makes the
// test longer, COLLBENCH_FUZZ_SEED repeats one round.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "core/clock.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "engines/tests/exercise.h"
#include "transports/registry.h"

using namespace collbench;

namespace {

constexpr std::uint64_t kFirstSeed = 20261127;
constexpr int kOperations = 24;  // Operations per round; one engine runs them one after the other.
#ifdef __SANITIZE_THREAD__
constexpr std::uint64_t kMaxRanks = 4;
#else
constexpr std::uint64_t kMaxRanks = 9;
#endif

struct Random {
  std::mt19937_64 engine;
  std::uint64_t below(std::uint64_t end) { return engine() % end; }
};

double seconds() {
  const char* text = std::getenv("COLLBENCH_FUZZ_SECONDS");
  return text == nullptr ? 1.0 : std::max(std::atof(text), 0.1);
}

std::size_t awkward_count(Random& random) {
  // Sizes at which chunks, slots and inline messages end, and one to either side.
  const std::size_t edge = std::size_t{1} << random.below(17);
  switch (random.below(4)) {
    case 0:
      return random.below(10);
    case 1:
      return edge + random.below(3) - 1;
    default:
      return random.below(2 * edge);
  }
}

Operation draw(Random& random, int ranks) {
  for (;;) {
    Operation operation;
    operation.kind = kCollectiveTable[random.below(std::size(kCollectiveTable))].kind;
    if (!can_run(operation.kind, ranks)) continue;
    operation.dtype = static_cast<DataType>(random.below(kHostDataTypeCount));
    if (reduces(operation.kind)) operation.op = static_cast<ReduceOp>(random.below(kHostReduceOpCount));
    if (has_root(operation.kind))
      operation.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    operation.in_place = has_in_place(operation.kind) && random.below(2) == 0;
    operation.count = awkward_count(random);
    return operation;
  }
}

struct Round {
  std::string transport;
  std::string algorithm;  // An empty text chooses for each size.
  std::string protocol;   // An empty text chooses the protocol, too.
  int channels;
  int ranks;
  std::vector<Operation> operations;
};

constexpr const char* kProtocols[] = {"", "simple", "ll"};
bool may_ll(const std::string& transport) { return transport == "shm" || transport == "sisci"; }

Round draw_round(std::uint64_t seed, const std::vector<std::string>& usable) {
  Random random{std::mt19937_64(seed)};
  Round round;
  round.transport = usable[random.below(usable.size())];
  round.ranks = 1 + static_cast<int>(random.below(kMaxRanks));
  const std::size_t algorithm = random.below(cpu::algorithms().size() + 1);
  if (algorithm > 0) round.algorithm = cpu::algorithms()[algorithm - 1].name;
  if (may_ll(round.transport)) round.protocol = kProtocols[random.below(std::size(kProtocols))];
  round.channels = 1 + static_cast<int>(random.below(3));
  for (int i = 0; i < kOperations; ++i) round.operations.push_back(draw(random, round.ranks));
  return round;
}

/// @return descriptions of what was wrong
std::vector<std::string> run(const Round& round, const TransportOptions& transport_options) {
  std::mutex mutex;
  std::vector<std::string> found;
  test::on_ranks(round.ranks, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    EngineOptions options;
    options.transport = round.transport;
    options.transport_options = transport_options;
    options.settings["algo"] = round.algorithm;
    if (!round.protocol.empty()) options.settings["proto"] = round.protocol;
    options.settings["channels"] = std::to_string(round.channels);
    options.cancelled = cancelled;
    const auto engine = find_engine(engines(), "cpu")->create(bootstrap, options);
    for (const Operation& operation : round.operations) {
      const std::string line = test::exercise(*engine, bootstrap.rank(), round.ranks, operation);
      const std::lock_guard lock(mutex);
      if (!line.empty() && found.size() < 5) found.push_back(line);
    }
    // No connection may be closed while another rank's last message is not acknowledged; agents wait in the
    // same way.
    bootstrap.all_gather("end of a round", "");
  });
  return found;
}

}  // namespace

TEST_CASE("random operations, one after the other, are right by every algorithm over every transport") {
  TransportOptions transport_options;
  transport_options.token = "00112233445566778899aabbccddeeff";
  std::vector<std::string> usable;
  for (const TransportEntry& entry : transports()) {
    const Availability availability = entry.probe(transport_options);
    if (availability.available)
      usable.emplace_back(entry.name);
    else
      MESSAGE(std::string(entry.name), " cannot run here: ", availability.reason);
  }
  REQUIRE_FALSE(usable.empty());
  const char* again = std::getenv("COLLBENCH_FUZZ_SEED");
  std::uint64_t seed = again == nullptr ? kFirstSeed : std::strtoull(again, nullptr, 10);
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(seconds() * 1e9);
  std::map<std::string, int> rounds;
  do {
    const Round round = draw_round(seed, usable);
    CAPTURE(seed);
    CAPTURE(round.transport);
    CAPTURE(round.ranks);
    CAPTURE(round.algorithm);
    CAPTURE(round.protocol);
    for (const std::string& line : run(round, transport_options)) FAIL_CHECK(line);
    ++rounds[round.transport];
    ++seed;
  } while (again == nullptr && now_ns() < until);
  for (const auto& [transport, count] : rounds)
    MESSAGE(transport, ": ", count, " rounds of ", kOperations, " operations");
}
