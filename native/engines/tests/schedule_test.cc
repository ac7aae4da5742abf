#include "engines/cpu/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "core/error.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/peer_set.h"
#include "engines/cpu/tuning.h"
#include "engines/tests/exercise.h"

using namespace collbench;
using cpu::Schedule;
using cpu::ScheduleStep;

namespace {

/// Returns the lengths of messages that `rank` sends to `peer`, or receives from it, in order.
std::vector<std::size_t> lengths(const Schedule& schedule, ScheduleStep::StepKind kind, int peer) {
  std::vector<std::size_t> found;
  for (const ScheduleStep& step : schedule.steps())
    if (step.kind == kind && step.peer == peer) found.push_back(step.elements);
  return found;
}

std::vector<Schedule> schedules_of(const cpu::AlgorithmRow& row, const Operation& operation, int ranks,
                                   const cpu::ChunkTuning& chunks = {}) {
  std::vector<Schedule> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    row.plan(operation, rank, ranks, chunks, all[static_cast<std::size_t>(rank)]);
  return all;
}

std::size_t sent(const Schedule& schedule) {
  std::size_t elements = 0;
  for (const ScheduleStep& step : schedule.steps())
    if (step.kind == ScheduleStep::StepKind::kSend) elements += step.elements;
  return elements;
}

std::size_t messages(const Schedule& schedule) {
  return static_cast<std::size_t>(
      std::count_if(schedule.steps().begin(), schedule.steps().end(),
                    [](const ScheduleStep& step) { return step.kind == ScheduleStep::StepKind::kSend; }));
}

const cpu::AlgorithmRow& row(std::string_view name) { return *cpu::find_algorithm(name); }

/// Chunks so short that a few hundred elements use each slot several times.
const cpu::ChunkTuning kShortChunks{.largest = 192, .smallest = 64, .direct = 128};

/// Scratch memory that a step reads or writes, while the message may still be under way.
struct ScratchUse {
  std::size_t at, end;
  std::size_t number;  // Position among the sends or receives of the schedule.
  [[nodiscard]] bool overlaps(const cpu::BufferPosition& place, std::size_t elements) const {
    return place.space == cpu::BufferSpace::kScratch && place.at < end && at < place.at + elements;
  }
};

/// Returns true if a message arrives in scratch memory, or a result is written there, only after each message
/// that was sent from there has left and each that arrived there has been waited for.
bool scratch_is_reused_in_time(const Schedule& schedule) {
  std::vector<ScratchUse> sent, received;
  std::vector<std::size_t> sends_before;  // By receive: sends that are complete before it starts.
  std::size_t sends = 0, drained = 0, awaited = 0;
  const auto is_free = [](const std::vector<ScratchUse>& uses, std::size_t complete,
                          const cpu::BufferPosition& place, std::size_t elements) {
    return std::none_of(uses.begin(), uses.end(), [&](const ScratchUse& use) {
      return use.number >= complete && use.overlaps(place, elements);
    });
  };
  for (const ScheduleStep& step : schedule.steps()) {
    const auto note = [&](std::vector<ScratchUse>& uses, const cpu::BufferPosition& place,
                          std::size_t number) {
      if (place.space == cpu::BufferSpace::kScratch)
        uses.push_back({place.at, place.at + step.elements, number});
    };
    switch (step.kind) {
      case ScheduleStep::StepKind::kSend:
        if (!is_free(received, awaited, step.from, step.elements)) return false;
        note(sent, step.from, sends++);
        break;
      case ScheduleStep::StepKind::kReceive:
        if (!is_free(sent, std::max(drained, step.completed), step.to, step.elements) ||
            !is_free(received, awaited, step.to, step.elements))
          return false;
        note(received, step.to, sends_before.size());
        sends_before.push_back(step.completed);
        break;
      case ScheduleStep::StepKind::kAwait:
        for (; awaited < step.completed; ++awaited) drained = std::max(drained, sends_before[awaited]);
        break;
      case ScheduleStep::StepKind::kDrain:
        drained = std::max(drained, step.completed);
        break;
      default:
        if (!is_free(sent, drained, step.to, step.elements) ||
            !is_free(received, awaited, step.to, step.elements) ||
            !is_free(received, awaited, step.from, step.elements) ||
            !is_free(received, awaited, step.with, step.elements))
          return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("what a rank sends to another is what that one receives from it, in this order") {
  for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
    for (int ranks = 2; ranks <= 17; ++ranks)
      for (const Operation& operation : test::operations(ranks, {1, 2, 5, 1003}, false)) {
        if (!algorithm.takes(operation, ranks)) continue;
        const auto all = schedules_of(algorithm, operation, ranks, kShortChunks);
        std::map<std::pair<int, int>, bool> alike;
        for (int from = 0; from < ranks; ++from)
          for (int to = 0; to < ranks; ++to)
            alike[{from, to}] =
                lengths(all[static_cast<std::size_t>(from)], ScheduleStep::StepKind::kSend, to) ==
                lengths(all[static_cast<std::size_t>(to)], ScheduleStep::StepKind::kReceive, from);
        INFO(algorithm.name, " ", name_of(operation.kind), " ranks ", ranks, " count ", operation.count);
        CHECK(std::all_of(alike.begin(), alike.end(), [](const auto& pair) { return pair.second; }));
      }
}

TEST_CASE("scratch memory is used again only when the messages in it are complete") {
  for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
    for (const int ranks : {2, 3, 4, 5, 8, 9})
      for (const Operation& operation : test::operations(ranks, {1, 5, 1003, 100'003}, false)) {
        if (operation.dtype != DataType::kFloat32 || !algorithm.takes(operation, ranks)) continue;
        // Only trees have chunks of a fixed size, so only they need vectors that long.
        if (operation.count > 1003 && algorithm.name != "double-binary-tree") continue;
        INFO(algorithm.name, " ", name_of(operation.kind), " ranks ", ranks, " count ", operation.count);
        for (const Schedule& schedule : schedules_of(algorithm, operation, ranks, kShortChunks))
          CHECK(scratch_is_reused_in_time(schedule));
      }
}

TEST_CASE("recursive doubling sends log2(n) messages; ranks beyond a power of two cost the others two more") {
  Operation operation;
  operation.count = 100;
  for (int ranks = 2; ranks <= 33; ++ranks) {
    const auto all = schedules_of(row("recursive-doubling"), operation, ranks);
    const bool is_even = std::has_single_bit(static_cast<unsigned>(ranks));
    const auto exchanges = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1);
    for (const Schedule& schedule : all) CHECK(messages(schedule) <= exchanges + (is_even ? 0 : 1));
  }
}

TEST_CASE("a ring's allreduce sends 2(n-1)/n of the vector per rank, the least there is") {
  Operation operation;
  operation.count = 7000;
  for (const Schedule& schedule : schedules_of(row("ring"), operation, 7))
    CHECK(sent(schedule) == 2 * 6 * 1000);
}

TEST_CASE("halving and doubling sends 2(n-1)/n of the vector, as a ring does, in 2 log2(n) messages") {
  Operation operation;
  operation.count = 8000;
  for (const Schedule& schedule : schedules_of(row("halving-doubling"), operation, 8)) {
    CHECK(sent(schedule) == 2 * 7 * 1000);
    CHECK(messages(schedule) == 6);
  }
}

TEST_CASE("a reducescatter by halving sends (n-1)/n of the vector, as a ring does, in log2(n) messages") {
  Operation operation;
  operation.kind = CollectiveKind::kReducescatter;
  operation.count = 1000;
  for (const Schedule& schedule : schedules_of(row("halving-doubling"), operation, 8)) {
    CHECK(sent(schedule) == 7 * 1000);
    CHECK(messages(schedule) == 3);
  }
  CHECK_FALSE(row("halving-doubling").takes(operation, 6));
}

TEST_CASE("Bruck's and binomial algorithms send at most one message for each bit of the number of ranks") {
  Operation operation;
  operation.count = 10;
  for (int ranks = 2; ranks <= 17; ++ranks) {
    const auto levels = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    for (const auto& [name, kind] : {std::pair{"bruck", CollectiveKind::kAlltoall},
                                     {"bruck", CollectiveKind::kAllgather},
                                     {"binomial", CollectiveKind::kBroadcast},
                                     {"binomial", CollectiveKind::kReduce}}) {
      operation.kind = kind;
      for (const Schedule& schedule : schedules_of(row(name), operation, ranks))
        CHECK(messages(schedule) <= levels);
    }
  }
}

TEST_CASE("two trees: no rank sends more than twice the vector, or than it once in a broadcast") {
  Operation operation;
  operation.count = 100'000;
  for (int ranks = 2; ranks <= 17; ++ranks)
    for (const Schedule& schedule : schedules_of(row("double-binary-tree"), operation, ranks))
      CHECK(sent(schedule) <= 2 * operation.count);
  operation.kind = CollectiveKind::kBroadcast;
  for (int ranks = 2; ranks <= 17; ++ranks)
    for (const Schedule& schedule : schedules_of(row("double-binary-tree"), operation, ranks))
      CHECK(sent(schedule) <= operation.count);
}

TEST_CASE("no algorithm sends beyond its reach, which takes few connections where it is near") {
  const auto sends_within = [](const cpu::AlgorithmRow& algorithm, const Operation& operation, int ranks) {
    const auto all = schedules_of(algorithm, operation, ranks);
    const cpu::PeerSet peer_set = cpu::peer_set_of(algorithm, operation);
    for (int rank = 0; rank < ranks; ++rank)
      for (const ScheduleStep& step : all[static_cast<std::size_t>(rank)].steps())
        if (step.kind == ScheduleStep::StepKind::kSend &&
            !cpu::contains_peer(peer_set, rank, step.peer, ranks))
          return false;
    return true;
  };
  for (const int ranks : {2, 3, 6, 17, 18, 24, 31, 32, 33, 48, 63, 64, 65, 100, 256}) {
    CAPTURE(ranks);
    for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
      for (const CollectiveRow& kind : kCollectiveTable)
        for (const int root : {0, 1, ranks - 1}) {
          Operation operation;
          operation.kind = kind.kind;
          operation.count = 200'000 / static_cast<std::size_t>(ranks);
          operation.root = has_root(kind.kind) ? root : 0;
          if (!algorithm.takes(operation, ranks)) continue;
          if (algorithm.name == "direct" && root > 0) continue;
          CAPTURE(algorithm.name);
          CHECK(sends_within(algorithm, operation, ranks));
        }
    int near = 0;
    for (int to = 0; to < ranks; ++to)
      near += cpu::contains_peer(cpu::PeerSet::kNear, ranks / 3, to, ranks) ? 1 : 0;
    CHECK(near <= 4 * std::bit_width(static_cast<unsigned>(ranks)));
    for (int to = 0; to < ranks; ++to)
      if (cpu::contains_peer(cpu::PeerSet::kRing, 0, to, ranks))
        CHECK(cpu::contains_peer(cpu::PeerSet::kNear, 0, to, ranks));
  }
}

TEST_CASE("every algorithm names where it is from, and takes something") {
  for (const cpu::AlgorithmRow& algorithm : cpu::algorithms()) {
    CHECK_FALSE(algorithm.paper.empty());
    const auto all = test::operations(4, {8}, false);
    CHECK(std::any_of(all.begin(), all.end(), [&](const Operation& one) { return algorithm.takes(one, 4); }));
    CHECK(cpu::find_algorithm(algorithm.name) == &algorithm);
  }
  CHECK(cpu::find_algorithm("tree") == nullptr);
}

TEST_CASE("with connections to a few, what ranks only move goes by way of others") {
  Operation operation;
  operation.count = 1'000'000;
  operation.kind = CollectiveKind::kAlltoall;
  const auto chosen = [&](cpu::PeerSet widest) { return cpu::choose({}, operation, 100, widest).name; };
  CHECK(chosen(cpu::PeerSet::kAll) == "direct");
  CHECK(chosen(cpu::PeerSet::kNear) == "bruck");
  operation.kind = CollectiveKind::kSendrecv;
  CHECK(chosen(cpu::PeerSet::kRing) == "direct");
  operation.kind = CollectiveKind::kAllgather;
  CHECK(chosen(cpu::PeerSet::kRing) == "ring");
}

TEST_CASE("a table that was measured decides before what is built in, within its ranks and sizes alone") {
  const auto rules = cpu::measured_rules(
      "socket/allreduce/4-7/8-65536/direct,sisci/allreduce/2-16/8-8/ring,socket/reduce/2-3/8-64/binomial",
      "socket");
  REQUIRE(rules.size() == 2);
  const auto chosen = [&](std::size_t elements, int ranks) {
    const Operation operation{
        CollectiveKind::kAllreduce, DataType::kFloat32, ReduceOp::kSum, 0, false, elements};
    return cpu::choose(rules, operation, ranks).algorithm;
  };
  CHECK(chosen(2, 4) == cpu::Algorithm::kDirect);
  CHECK(chosen(65536 / 4, 7) == cpu::Algorithm::kDirect);
  CHECK(chosen(65536 / 4 + 1, 7) == cpu::Algorithm::kRing);
  CHECK(chosen(1, 4) == cpu::Algorithm::kRing);
  CHECK(chosen(2, 3) == cpu::Algorithm::kRing);
  CHECK(chosen(2, 8) == cpu::Algorithm::kRing);
  CHECK(cpu::measured_rules("", "socket").empty());
  for (const char* wrong : {"socket/allreduce/2-4/8-9/ring/ll128", "socket/allreduce/2-4/8-9/ring/ll/ll",
                            "socket", "socket/allreduce/4/8-9/ring", "socket/allreduce/7-4/8-9/ring",
                            "socket/allreduce/2-4/8-9/none", "socket/x/2-4/8-9/ring", ","})
    CHECK_THROWS_AS(cpu::measured_rules(wrong, "socket"), Error);
}

TEST_CASE(
    "small payloads go by ll, unless a table or --proto says otherwise; longer than flags carry, none does") {
  using cpu::Protocol;
  cpu::Tuning tuning = cpu::tuning_of("shm");
  const auto chosen = [&](std::size_t bytes) {
    const Operation operation{CollectiveKind::kAllreduce, DataType::kUint8, ReduceOp::kSum, 0, false, bytes};
    return cpu::choose_protocol(tuning, operation, 2, 2048);
  };
  CHECK(chosen(tuning.flagged_payload) == Protocol::kLl);
  CHECK(chosen(tuning.flagged_payload + 1) == Protocol::kSimple);
  tuning.rules =
      cpu::measured_rules("shm/allreduce/2-2/8-8/ring/simple,shm/allreduce/2-2/9-4096/ring/ll", "shm");
  CHECK(chosen(8) == Protocol::kSimple);
  CHECK(chosen(2048) == Protocol::kLl);
  CHECK(chosen(2049) == Protocol::kSimple);
  tuning.protocol = Protocol::kLl;
  CHECK(chosen(8) == Protocol::kLl);
  CHECK(chosen(2049) == Protocol::kSimple);
}
