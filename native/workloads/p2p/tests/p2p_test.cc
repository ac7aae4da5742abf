#include <doctest/doctest.h>

#include <array>
#include <map>

#include "workloads/p2p/plan.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

WorkloadRequest request_of(const std::string& operation, const std::string& direction, std::int64_t window,
                           std::int64_t bytes) {
  return {"p2p", {{"operation", operation}, {"direction", direction}, {"window", window}, {"bytes", bytes}}};
}

// ThreadSanitizer makes four ranks that poll on few cores take minutes; two ranks have all possible races.
#ifdef __SANITIZE_THREAD__
constexpr std::array kRanks{2};
#else
constexpr std::array kRanks{2, 4};
#endif

struct Size {
  std::int64_t window, bytes;
};
constexpr Size kSizes[] = {{1, 0}, {1, 1}, {3, 7}, {70, 1003}, {2, 300'001}};

std::vector<WorkloadRequest> all_requests() {
  std::vector<WorkloadRequest> requests;
  for (const std::string_view kind : p2p::kKinds)
    for (const std::string_view direction : p2p::kDirections)
      for (const Size& size : kSizes)
        requests.push_back(request_of(std::string(kind), std::string(direction), size.window, size.bytes));
  return requests;
}

p2p::PairOptions shape_of(int kind, bool both_ways) {
  return {static_cast<p2p::PairOperation>(kind), both_ways, 3, 5};
}

}  // namespace

TEST_CASE("every message that one rank sends is one that its peer receives, in the same order") {
  for (const int ranks : {2, 4, 8})
    for (int kind = 0; kind < static_cast<int>(std::size(p2p::kKinds)); ++kind)
      for (const bool both_ways : {false, true}) {
        CAPTURE(p2p::kKinds[kind]);
        CAPTURE(ranks);
        using Flow = std::vector<std::pair<std::size_t, bool>>;
        // Bytes and whether they are data, by sender and receiver.
        std::map<std::pair<int, int>, Flow> sent, received;
        for (int rank = 0; rank < ranks; ++rank)
          for (const auto& lots : p2p::plan(shape_of(kind, both_ways), rank, ranks))
            for (const p2p::MessageBatch& lot : lots) {
              const bool sends = lot.direction == PeerMessage::Direction::kSend;
              Flow& flow = sends ? sent[{rank, lot.peer}] : received[{lot.peer, rank}];
              flow.insert(flow.end(), lot.count, {lot.bytes, lot.is_data});
            }
        CHECK(sent == received);
        CHECK_FALSE(sent.empty());
      }
}

TEST_CASE("where transfers are paired, each of one rank has its one at the peer") {
  for (int kind = 0; kind < static_cast<int>(p2p::PairOperation::kIncast); ++kind)
    for (const bool both_ways : {false, true}) {
      CAPTURE(p2p::kKinds[kind]);
      const p2p::TransferSteps mine = p2p::plan(shape_of(kind, both_ways), 0, 2, true);
      const p2p::TransferSteps other = p2p::plan(shape_of(kind, both_ways), 1, 2, true);
      REQUIRE(mine.size() == other.size());
      for (std::size_t step = 0; step < mine.size(); ++step) CHECK(mine[step].size() == other[step].size());
    }
}

TEST_CASE("lots of one buffer do not overlap") {
  const p2p::TransferSteps steps =
      p2p::plan(shape_of(static_cast<int>(p2p::PairOperation::kGet), true), 0, 2);
  CHECK(p2p::lengths_of(steps).send == 16 + 3 * p2p::kRequestBytes);
  CHECK(p2p::lengths_of(steps).recv == 16 + 3 * p2p::kRequestBytes);
  const p2p::TransferSteps many =
      p2p::plan(shape_of(static_cast<int>(p2p::PairOperation::kIncast), false), 0, 4);
  CHECK(p2p::lengths_of(many).recv == 3 * 15);
}

TEST_CASE("every operation moves the right bytes over every transport that can run here") {
  for (const std::string& transport : runnable_transports())
    for (const int ranks : kRanks) {
      CAPTURE(transport);
      CAPTURE(ranks);
      const ExerciseResult found = exercise("cpu", transport, ranks, all_requests());
      for (const std::string& line : found.complaints) FAIL_CHECK(line);
      CHECK(found.compared > 0);
    }
}

TEST_CASE("incast takes any number of ranks, and every sender's bytes are told apart") {
  for (const int ranks : {2, 3, 5}) {
    const ExerciseResult found = exercise("cpu", "socket", ranks, {request_of("incast", "uni", 3, 1003)});
    for (const std::string& line : found.complaints) FAIL_CHECK(line);
    CHECK(found.compared == (1U + 1 + 5) * static_cast<unsigned>(ranks - 1) * 3 * 1003);
  }
}

TEST_CASE("what was not moved is found, where it should have come") {
  const ExerciseResult found = exercise("cpu", "socket", 2, {request_of("put", "uni", 2, 100)}, false);
  CHECK(found.compared == (1 + 1 + 5) * 200);
  CHECK(found.wrong == found.compared);
  CHECK(found.complaints.at(0).find("rank 1") != std::string::npos);
  CHECK(found.complaints.at(0).find("poison") != std::string::npos);
}

TEST_CASE("ranks that were not connected from the beginning get their connections") {
  const ExerciseResult found = exercise("cpu", "socket", 18, {request_of("put", "uni", 2, 1003)});
  for (const std::string& line : found.complaints) FAIL_CHECK(line);
  CHECK(found.compared > 0);
}

TEST_CASE("what makes no pairs is refused, and more ranks than can be connected") {
  CHECK(refusal(request_of("put", "uni", 1, 8), 3) == "put needs pairs of ranks, not 3");
  CHECK(refusal(request_of("incast", "uni", 1, 8), 1) == "incast needs 2 ranks or more, not 1");
  CHECK(refusal(request_of("put", "uni", 0, 8)) == "axis window must be an integer from 1 to 65536, got 0");
  CHECK(refusal(request_of("put", "uni", 1, 8), 66).find("connects all with all up to 64 ranks") !=
        std::string::npos);
  CHECK(describe(request_of("put", "uni", 64, 4096)) == "put 4 KiB x 64");
}
