#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/channel_parts.h"
#include "engines/cpu/peer_set.h"
#include "engines/tests/exercise.h"
#include "transports/counters.h"
#include "transports/flagged_words.h"
#include "transports/ibgda/wire.h"
#include "transports/registry.h"
#include "transports/shm/wire.h"
#include "transports/sisci/wire.h"
#include "transports/socket/connection.h"
#include "transports/socket/wire.h"

using namespace collbench;

namespace {
/// Largest limit that is tested with more than two ranks, to save time.
constexpr std::size_t kMaxBytesOfMany = std::size_t{32} << 10;
constexpr const char* kToken = "00112233445566778899aabbccddeeff";

// Ranks that poll in one process take turns on few cores; with ThreadSanitizer, seven of them take minutes.
// With AddressSanitizer fewer numbers of ranks suffice, because their schedules use the same code.
#ifdef __SANITIZE_THREAD__
constexpr std::array kRanks{2, 3};
constexpr std::array kSmallRanks{2, 3};
constexpr std::array kChannelRanks{2};  // Each rank has three threads.
const std::vector<std::size_t> kCounts{1, 70'001};
constexpr bool kAllTypes = false;
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::array kRanks{1, 2, 5};
constexpr std::array kSmallRanks{2, 5};
constexpr std::array kChannelRanks{2};
const std::vector<std::size_t> kCounts{0, 1, 70'001};
constexpr bool kAllTypes = false;
#else
constexpr std::array kRanks{1, 2, 4, 5};
constexpr std::array kSmallRanks{2, 3, 5};
constexpr std::array kChannelRanks{2, 3};
const std::vector<std::size_t> kCounts{0, 1, 1003, 70'001};
constexpr bool kAllTypes = true;
#endif

/// Checks operations with one algorithm and number of ranks; "" chooses the protocol.
void check(const TransportEntry& entry, const TransportOptions& transport_options, int ranks,
           const cpu::AlgorithmRow& algorithm, const std::string& protocol,
           const std::vector<Operation>& operations, int channels = 1) {
  CAPTURE(entry.name);
  CAPTURE(channels);
  CAPTURE(ranks);
  CAPTURE(algorithm.name);
  CAPTURE(protocol);
  std::mutex mutex;
  std::vector<std::string> found;
  const auto note = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    if (!line.empty() && found.size() < 5) found.push_back(line);
  };
  test::on_ranks(ranks, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    EngineOptions options;
    options.transport = entry.name;
    options.transport_options = transport_options;
    options.settings["algo"] = algorithm.name;
    if (!protocol.empty()) options.settings["proto"] = protocol;
    if (channels > 1) options.settings["channels"] = std::to_string(channels);
    options.cancelled = cancelled;
    // Ranks share the cores with other tests; soak_test.cc tests ranks that spin.
    options.spins = 0;
    const auto engine = find_engine(engines(), "cpu")->create(bootstrap, options);
    for (const Operation& operation : operations) {
      if (engine->algorithm_of(operation) != algorithm.name) continue;
      const TransportCounters before = engine->counters();
      note(test::exercise(*engine, bootstrap.rank(), ranks, operation, 1));
      // Messages that should carry flags carry them completely, and no others do.
      const TransportCounters after = engine->counters();
      const std::uint64_t flagged = after.flagged_sent - before.flagged_sent;
      const bool is_ll = engine->protocol_of(operation) == "ll";
      if (flagged != (is_ll ? after.messages_sent - before.messages_sent : 0))
        note(std::to_string(flagged) + " messages carry flags where the protocol is said to be " +
             engine->protocol_of(operation));
    }
    bootstrap.all_gather("end of the operations", "");  // Until this exchange others need its connections.
  });
  for (const std::string& line : found) FAIL_CHECK(line);
}

#ifndef __SANITIZE_THREAD__
/// Message sizes at which a transport changes its method: eager, in fragments, with one copy.
struct TransportLimits {
  std::string_view transport;
  std::vector<std::size_t> bytes;
};
const TransportLimits kLimits[] = {
    {"socket", {socket::kInlineBytes, socket::kFirstReadBytes, socket::kStripeBytes, socket::kChunkBytes}},
    {"sisci",
     {kMaxFlaggedBytes, sisci::kInlineBytes, sisci::kPioFragmentBytes, sisci::kStagingBytes,
      sisci::kDmaPieceBytes}},
    {"ibgda", {ibgda::kInlineBytes}},
    {"shm",
     {kMaxFlaggedBytes, shm::kSlotBytes, shm::kSingleCopyBytes, shm::kSlots * shm::kSlotBytes,
      shm::kChunkBytes}},
};

/// Returns operations whose messages are just below, at and above the limit, and 2.5 times as long; for whole
/// vectors and for parts of that size per rank.
std::vector<Operation> operations_at(std::size_t limit, int ranks) {
  std::vector<Operation> list;
  for (const CollectiveRow& row : kCollectiveTable)
    for (const std::size_t bytes : {limit - 1, limit, limit + 1, limit * 5 / 2})
      for (const std::size_t parts : {1, ranks}) {
        // The `count` of such collectives is one part already.
        if (parts > 1 && !cpu::is_splittable(row.kind)) continue;
        if (!can_run(row.kind, ranks)) continue;
        Operation& operation = list.emplace_back();
        operation.kind = row.kind;
        operation.dtype = DataType::kUint8;
        operation.count = bytes * parts;
      }
  return list;
}
#endif

/// Returns the transports that can run here.
std::vector<const TransportEntry*> usable(const TransportOptions& options) {
  std::vector<const TransportEntry*> found;
  for (const TransportEntry& entry : transports()) {
    const Availability availability = entry.probe(options);
    if (availability.available)
      found.push_back(&entry);
    else
      MESSAGE(std::string(entry.name), " cannot run here: ", availability.reason);
  }
  return found;
}

TransportOptions usual_options() {
  TransportOptions options;
  options.token = kToken;
  return options;
}

}  // namespace

TEST_CASE("every transport that can run here carries all collectives by all algorithms") {
  const TransportOptions options = usual_options();
  for (const TransportEntry* entry : usable(options))
    for (const int ranks : kRanks)
      for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
        check(*entry, options, ranks, algorithm, "", test::operations(ranks, kCounts, false));
}

TEST_CASE("both protocols carry small operations by all algorithms, and are counted") {
  const TransportOptions options = usual_options();
  for (const TransportEntry* entry : usable(options)) {
    if (entry->create(options)->devices().at(0).flagged_bytes == 0) continue;
    for (const int ranks : kSmallRanks)
      for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
        for (const char* protocol : {"simple", "ll"})
          check(*entry, options, ranks, algorithm, protocol,
                test::operations(ranks, {1, 7, 513}, kAllTypes && ranks == kSmallRanks.front()));
  }
}

#ifndef __SANITIZE_THREAD__
TEST_CASE("every algorithm is right at each size from which a transport carries messages in another way") {
  TransportOptions options = usual_options();
  options.streams = 2;  // The socket transport then splits long messages.
  for (const TransportEntry* entry : usable(options)) {
    const auto* const limits = std::find_if(std::begin(kLimits), std::end(kLimits),
                                            [&](const auto& row) { return row.transport == entry->name; });
    CAPTURE(entry->name);
    REQUIRE(limits != std::end(kLimits));
    for (const int ranks : {2, 3})
      for (const cpu::AlgorithmRow& algorithm : cpu::algorithms()) {
        std::vector<Operation> list;
        for (const std::size_t limit : limits->bytes) {
          if (ranks > 2 && limit > kMaxBytesOfMany) continue;
          for (const Operation& one : operations_at(limit, ranks)) list.push_back(one);
        }
        check(*entry, options, ranks, algorithm, "", list);
      }
  }
}

TEST_CASE("above the full mesh, what ranks tell each other to connect is not counted as an operation") {
  constexpr int kMany = cpu::kFullMeshRanks + 1;
  for (const TransportEntry* entry : usable(usual_options())) {
    if (std::string_view(entry->name) != "shm") continue;
    std::array<TransportCounters, kMany> moved;
    test::on_ranks(kMany, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
      EngineOptions options;
      options.transport = entry->name;
      options.transport_options = usual_options();
      options.settings["algo"] = "direct";
      options.cancelled = cancelled;
      const auto engine = find_engine(engines(), "cpu")->create(bootstrap, options);
      Operation operation;
      operation.kind = CollectiveKind::kBroadcast;
      operation.dtype = DataType::kInt32;
      operation.count = 3;
      const TransportCounters before = engine->counters();
      CHECK(test::exercise(*engine, bootstrap.rank(), kMany, operation, 1).empty());
      moved[static_cast<std::size_t>(bootstrap.rank())] = engine->counters() - before;
      bootstrap.all_gather("end of the operations", "");
    });
    CHECK(moved[0].bytes_sent == 12 * (kMany - 1));
    CHECK(moved[0].messages_sent == kMany - 1);
    for (std::size_t rank = 1; rank < kMany; ++rank) {
      CHECK(moved[rank].bytes_sent == 0);
      CHECK(moved[rank].bytes_received == 12);
    }
  }
}
#endif

TEST_CASE("several channels move the parts of a vector at the same time, and the rest as one does") {
  const TransportOptions options = usual_options();
  for (const TransportEntry* entry : usable(options))
    for (const int ranks : kChannelRanks)
      for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
        check(*entry, options, ranks, algorithm, "", test::operations(ranks, {70'001}, false), 3);
}

TEST_CASE("what a transport cannot is refused in words, and so is a protocol that there is none of") {
  const auto refused = [](const std::string& transport, const std::string& protocol) {
    std::string said;
    test::on_ranks(1, [&](Bootstrap& bootstrap, const std::function<bool()>&) {
      EngineOptions options;
      options.transport = transport;
      options.transport_options = usual_options();
      options.settings["proto"] = protocol;
      try {
        find_engine(engines(), "cpu")->create(bootstrap, options);
      } catch (const Error& error) {
        said = error.what();
      }
    });
    return said;
  };
  CHECK(refused("socket", "ll").find("transports shm and sisci") != std::string::npos);
  CHECK(refused("shm", "ll128").find("\"ll128\" is not known to the cpu engine; use simple or ll") !=
        std::string::npos);
  CHECK(refused("socket", "simple").empty());
}
