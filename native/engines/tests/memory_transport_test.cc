#include "engines/tests/memory_transport.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/error.h"
#include "engines/cpu/engine.h"
#include "engines/cpu/peer_set.h"
#include "engines/tests/exercise.h"

using namespace collbench;
using test::exercise;
using test::on_ranks;

namespace {

/// Returns a tuning so small that a few hundred elements use many chunks, pieces and slots.
cpu::Tuning tiny_tuning() {
  cpu::Tuning tuning;
  tuning.rules = {{CollectiveKind::kAllreduce, 2, 256, cpu::Algorithm::kDirect}};
  tuning.chunks.direct = 128;
  tuning.chunks.largest = 192;
  tuning.chunks.smallest = 64;
  tuning.spins = 0;  // Threads of a test share the cores with others.
  return tuning;
}

std::vector<std::string> complaints(int ranks, const std::string& algorithm,
                                    const std::vector<Operation>& list,
                                    const cpu::Tuning& tuning = tiny_tuning()) {
  test::MemoryHub hub;
  std::mutex mutex;
  std::vector<std::string> found;
  on_ranks(ranks, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    cpu::CpuEngine engine(bootstrap, std::make_unique<test::MemoryTransport>(hub), algorithm, cancelled,
                          tuning);
    for (const Operation& operation : list) {
      if (!algorithm.empty() && engine.algorithm_of(operation) != algorithm) continue;
      const std::string line = exercise(engine, bootstrap.rank(), ranks, operation);
      const std::lock_guard lock(mutex);
      if (!line.empty() && found.size() < 5) found.push_back(line);
    }
  });
  return found;
}

// ThreadSanitizer makes ranks that share few cores take minutes; other builds test all of them.
#ifdef __SANITIZE_THREAD__
constexpr int kMaxRanks = 4;
#else
constexpr int kMaxRanks = 9;
#endif

}  // namespace

TEST_CASE(
    "all collectives, types and ops are right with 1, 2, 3, 4 and 7 ranks, odd and empty counts, both "
    "algorithms") {
  for (const int ranks : {1, 2, 3, 4, 7})
    for (const char* algorithm : {"ring", "direct"}) {
      if (ranks > kMaxRanks) continue;
      CAPTURE(ranks);
      CAPTURE(algorithm);
      const auto found = complaints(ranks, algorithm, test::operations(ranks, {0, 1, 13, 301}, true));
      for (const std::string& line : found) FAIL_CHECK(line);
    }
}

TEST_CASE("all algorithms are right with 2 to 9 ranks, and counts that are less than those") {
  for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
    for (int ranks = 2; ranks <= kMaxRanks; ++ranks) {
      CAPTURE(ranks);
      CAPTURE(algorithm.name);
      const auto found = complaints(ranks, std::string(algorithm.name),
                                    test::operations(ranks, {0, 1, 3, 13, 301}, ranks == 5));
      for (const std::string& line : found) FAIL_CHECK(line);
    }
}

TEST_CASE("every collective of every algorithm is right where its vector is two and a half pieces long") {
  cpu::Tuning tuning = tiny_tuning();
  tuning.largest_piece = 480;
  // Counts are whole cache lines and others, for types of 8 bytes and of 1.
  const std::vector<std::size_t> counts{2 * 60 + 30, 2 * 480 + 240};
  for (const cpu::AlgorithmRow& algorithm : cpu::algorithms())
    for (const int ranks : {2, 3, 4})
      for (const int channels : {1, 2}) {
        if (ranks > kMaxRanks) continue;
        tuning.channels = channels;
        CAPTURE(ranks);
        CAPTURE(channels);
        CAPTURE(algorithm.name);
        const auto found = complaints(ranks, std::string(algorithm.name),
                                      test::operations(ranks, counts, channels == 1 && ranks == 4), tuning);
        for (const std::string& line : found) FAIL_CHECK(line);
      }
}

TEST_CASE("parts of the ranks are right where each is longer than a chunk, and than a piece of up to 1 MiB") {
  for (const cpu::AlgorithmRow& algorithm : cpu::algorithms()) {
    std::vector<Operation> list;
    for (const CollectiveRow& row : kCollectiveTable) {
      Operation& operation = list.emplace_back();
      operation.kind = row.kind;
      operation.dtype = DataType::kInt32;
      // Larger pieces would need too much memory; the code is the same.
      operation.count = std::clamp(algorithm.piece_bytes, std::size_t{64} << 10, std::size_t{1} << 20) * 5 /
                        2 / sizeof(std::int32_t);
    }
    CAPTURE(algorithm.name);
    for (const std::string& line : complaints(2, std::string(algorithm.name), list, cpu::Tuning()))
      FAIL_CHECK(line);
  }
}

TEST_CASE("vectors of more chunks than two trees have slots for are right") {
  for (int ranks = 2; ranks <= 5 && ranks <= kMaxRanks; ++ranks) {
    std::vector<Operation> list;
    for (const CollectiveKind kind :
         {CollectiveKind::kAllreduce, CollectiveKind::kBroadcast, CollectiveKind::kReduce})
      for (const bool in_place : {false, true}) {
        Operation& operation = list.emplace_back();
        operation.kind = kind;
        operation.count = 300'007;
        operation.in_place = in_place;
        operation.root = has_root(kind) ? ranks / 2 : 0;
      }
    CAPTURE(ranks);
    for (const std::string& line : complaints(ranks, "double-binary-tree", list)) FAIL_CHECK(line);
  }
}

TEST_CASE("what ranks only move is right without a word, too") {
  for (const int ranks : {2, 4, 7}) {
    const auto found = complaints(ranks, "", test::operations(ranks, {0, 1, 97}, false));
    for (const std::string& line : found) FAIL_CHECK(line);
  }
}

TEST_CASE("what an algorithm does not take goes as if nothing was asked for") {
  static test::MemoryHub hub;
  on_ranks(3, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    cpu::CpuEngine engine(bootstrap, std::make_unique<test::MemoryTransport>(hub), "recursive-doubling",
                          cancelled, tiny_tuning());
    Operation operation;
    operation.kind = CollectiveKind::kReducescatter;
    operation.count = 10;
    const std::string line = exercise(engine, bootstrap.rank(), 3, operation);
    if (!line.empty()) throw Error(ErrorCode::kInternal, line);
    if (engine.algorithm_of(operation) != "ring") throw Error(ErrorCode::kInternal, "not the ring");
  });
}

TEST_CASE("above the full mesh ranks connect as algorithms need it, and all are right") {
  for (const int ranks : {cpu::kFullMeshRanks + 1, cpu::kFullMeshRanks + 6})
    for (const cpu::AlgorithmRow& algorithm : cpu::algorithms()) {
      CAPTURE(ranks);
      CAPTURE(algorithm.name);
      std::vector<Operation> list;
      for (const Operation& operation : test::operations(ranks, {100}, false))
        if (operation.op == ReduceOp::kSum && operation.dtype == DataType::kFloat32)
          list.push_back(operation);
      const auto found = complaints(ranks, std::string(algorithm.name), list);
      for (const std::string& line : found) FAIL_CHECK(line);
    }
}

TEST_CASE("beyond the largest mesh what takes it is refused before anything moves") {
  const int ranks = cpu::kMaxMeshRanks + 1;
  Operation gather;
  gather.kind = CollectiveKind::kGather;
  gather.count = 3;
  test::MemoryHub hub;
  std::vector<std::unique_ptr<cpu::CpuEngine>> engines(static_cast<std::size_t>(ranks));
  const auto engine_of = [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled,
                             const char* algorithm) -> cpu::CpuEngine& {
    auto& engine = engines[static_cast<std::size_t>(bootstrap.rank())];
    engine = std::make_unique<cpu::CpuEngine>(bootstrap, std::make_unique<test::MemoryTransport>(hub),
                                              algorithm, cancelled, tiny_tuning());
    return *engine;
  };
  CHECK_THROWS_WITH_AS(on_ranks(ranks,
                                [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
                                  cpu::CpuEngine& engine = engine_of(bootstrap, cancelled, "");
                                  bootstrap.all_gather("connected", "");
                                  exercise(engine, bootstrap.rank(), ranks, gather);
                                }),
                       doctest::Contains("gather of 65 ranks takes more connections"), Error);
  CHECK_THROWS_WITH_AS(on_ranks(ranks,
                                [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
                                  engine_of(bootstrap, cancelled, "direct");
                                }),
                       doctest::Contains("all with all up to 64 ranks"), Error);
}

TEST_CASE("the algorithm follows the size, and a forced one is kept") {
  on_ranks(2, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    static test::MemoryHub hub;
    Operation small, large;
    small.count = 64;  // 256 bytes.
    large.count = 65;
    for (const std::string algorithm : {"", "ring", "direct"}) {
      cpu::CpuEngine engine(bootstrap, std::make_unique<test::MemoryTransport>(hub), algorithm, cancelled,
                            tiny_tuning());
      const bool right =
          algorithm.empty()
              ? engine.algorithm_of(small) == "direct" && engine.algorithm_of(large) == "ring"
              : engine.algorithm_of(small) == algorithm && engine.algorithm_of(large) == algorithm;
      if (!right) throw Error(ErrorCode::kInternal, "wrong choice with algorithm \"" + algorithm + "\"");
    }
  });
}

TEST_CASE("buffers grow, keep their size and can be given back between calls") {
  on_ranks(2, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    static test::MemoryHub hub;
    cpu::CpuEngine engine(bootstrap, std::make_unique<test::MemoryTransport>(hub), "ring", cancelled,
                          tiny_tuning());
    Operation operation;
    for (const std::size_t count : {10UL, 20'000UL, 10UL}) {
      operation.count = count;
      const std::string line = exercise(engine, bootstrap.rank(), 2, operation);
      if (!line.empty()) throw Error(ErrorCode::kInternal, line);
      engine.release_buffers();
    }
    if (engine.buffer(0, 1) != engine.buffer(0, 60'000))
      throw Error(ErrorCode::kInternal, "the buffer shrank");
  });
}

TEST_CASE("memory that is not the engine's is refused with the reason") {
  CHECK_THROWS_WITH_AS(on_ranks(2,
                                [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
                                  static test::MemoryHub hub;
                                  cpu::CpuEngine engine(bootstrap,
                                                        std::make_unique<test::MemoryTransport>(hub), "ring",
                                                        cancelled, tiny_tuning());
                                  std::vector<float> foreign(1000);
                                  Operation operation;
                                  operation.count = 1000;
                                  engine.enqueue({operation, foreign.data(), foreign.data()});
                                }),
                       doctest::Contains("does not lie in memory from Engine::buffer()"), Error);
}

TEST_CASE("ranks that run different operations are told so") {
  for (const char* algorithm : {"ring", "direct", "recursive-doubling"}) {
    test::MemoryHub hub;
    // Engines must live until all ranks are through, because the transport reads from the sender's memory.
    std::vector<std::unique_ptr<cpu::CpuEngine>> engines(2);
    CHECK_THROWS_AS(on_ranks(2,
                             [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
                               auto& engine = engines[static_cast<std::size_t>(bootstrap.rank())];
                               engine = std::make_unique<cpu::CpuEngine>(
                                   bootstrap, std::make_unique<test::MemoryTransport>(hub), algorithm,
                                   cancelled, tiny_tuning());
                               Operation operation;
                               operation.count = bootstrap.rank() == 0 ? 30 : 10;
                               exercise(*engine, bootstrap.rank(), 2, operation, 1);
                             }),
                    Error);
  }
}

TEST_CASE("a rank that never comes does not keep the others for ever: cancelling ends the wait") {
  test::MemoryHub hub;
  std::vector<std::unique_ptr<cpu::CpuEngine>> engines(3);
  std::atomic<bool> stop{false};
  std::atomic<int> cancelled_ranks{0};
  on_ranks(3, [&](Bootstrap& bootstrap, const std::function<bool()>&) {
    auto& engine = engines[static_cast<std::size_t>(bootstrap.rank())];
    engine = std::make_unique<cpu::CpuEngine>(
        bootstrap, std::make_unique<test::MemoryTransport>(hub), "", [&] { return stop.load(); },
        tiny_tuning());
    bootstrap.all_gather("connected", "");
    if (bootstrap.rank() == 2) {
      stop = true;
      return;
    }
    Operation operation;
    operation.count = 10;
    try {
      exercise(*engine, bootstrap.rank(), 3, operation);
    } catch (const Error& e) {
      cancelled_ranks += e.code() == ErrorCode::kCancelled;
    }
  });
  CHECK(cancelled_ranks == 2);
}

TEST_CASE("unknown names are refused with what is known") {
  on_ranks(1, [&](Bootstrap& bootstrap, const std::function<bool()>&) {
    EngineOptions options;
    options.transport = "carrier-pigeon";
    CHECK_THROWS_WITH_AS(find_engine(engines(), "cpu")->create(bootstrap, options),
                         doctest::Contains("known are socket"), Error);
    options.transport = "socket";
    options.transport_options.token = "0123456789abcdef0123456789abcdef";
    options.algorithm = "tree";
    CHECK_THROWS_WITH_AS(find_engine(engines(), "cpu")->create(bootstrap, options),
                         doctest::Contains("use direct, ring, recursive-doubling"), Error);
  });
  CHECK(find_engine(engines(), "gpu") == nullptr);
}
