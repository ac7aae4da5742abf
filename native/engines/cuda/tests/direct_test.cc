// Tests of collectives by GPU kernels, on GPUs that the fake driver simulates in host memory. Kernels run as
// their twins; all other code is what real GPUs use.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "core/error.h"
#include "engines/tests/exercise.h"

using namespace collbench;

namespace {

const bool named = setenv("COLLBENCH_CUDA_LIBRARY", COLLBENCH_CUDA_FAKE, 1) == 0 &&
                   setenv("COLLBENCH_NVRTC_LIBRARY", COLLBENCH_NVRTC_FAKE, 1) == 0 &&
                   setenv("CUDA_FAKE_DEVICES", "8", 1) == 0;  // Set before any GPU is opened.

/// Sets an environment variable until its end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// Returns the operations that the engine supports.
std::vector<Operation> offered(int ranks, const std::vector<std::size_t>& counts, bool all_types) {
  const AxisLimits limits = find_engine(engines(), "cuda")->abilities().at(Ability::kCollectives);
  const auto has = [&](const char* axis, std::string_view name) {
    return std::ranges::find(limits.at(axis), name) != limits.at(axis).end();
  };
  std::vector<Operation> all = test::operations(ranks, counts, all_types);
  std::erase_if(all, [&](const Operation& one) {
    return !has("collective", name_of(one.kind)) || !has("dtype", name_of(one.dtype)) ||
           (reduces(one.kind) && !has("op", name_of(one.op)));
  });
  return all;
}

/// Runs the operations. @return descriptions of what was wrong
std::vector<std::string> run(const std::string& transport, int ranks,
                             const std::vector<Operation>& operations, const EngineSettings& settings = {},
                             const std::string& queue = "rc") {
  std::mutex mutex;
  std::vector<std::string> found;
  test::on_ranks(ranks, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    EngineOptions options;
    options.transport = transport;
    options.transport_options.token = "00112233445566778899aabbccddeeff";
    options.transport_options.queue = queue;
    options.settings = settings;
    options.local_rank =
        // The local rank as two agents on one machine would count it.
        settings.contains("gpus") ? 0 : bootstrap.rank();
    options.local_ranks = ranks;
    options.cancelled = cancelled;
    const auto engine = find_engine(engines(), "cuda")->create(bootstrap, options);
    // All ranks take the largest size of any rank, because memory moves when it grows.
    std::size_t most = 0;
    for (const Operation& one : operations)
      most = std::max(most, payload_bytes(one, ranks) * static_cast<std::size_t>(ranks) + 4096);
    engine->buffer(0, most);
    engine->buffer(1, most);
    for (const Operation& operation : operations) {
      const std::string line = test::exercise(*engine, bootstrap.rank(), ranks, operation, 2);
      const std::lock_guard lock(mutex);
      if (!line.empty() && found.size() < 5) found.push_back(line);
    }
    bootstrap.all_gather("done", "");
  });
  return found;
}

}  // namespace

TEST_CASE("every collective, type and operation is right over stores and over queues that kernels write") {
  REQUIRE(named);
  for (const char* transport : {"p2p", "ibgda"})
    for (const int ranks : {1, 2, 3}) {
      const bool all_types = ranks == 2 && std::string(transport) == "p2p";
      const auto operations = offered(ranks, {1, 1003}, all_types);
      REQUIRE(operations.size() > 10);
      for (const std::string& line : run(transport, ranks, operations)) FAIL_CHECK(line);
      if (ranks == 3 && std::string(transport) == "ibgda")
        for (const std::string& line : run(transport, ranks, operations, {}, "dc")) FAIL_CHECK(line);
    }
}

TEST_CASE("long vectors take two hops and many blocks") {
  for (const auto& [transport, queue] : {std::pair{"p2p", "rc"}, {"ibgda", "rc"}, {"ibgda", "dc"}})
    for (const int ranks : {2, 3}) {
      Operation operation;
      operation.kind = CollectiveKind::kAllreduce;
      operation.dtype = DataType::kFloat32;
      std::vector<Operation> all;
      for (const std::size_t count : {65'537, 300'001}) {
        operation.count = count;
        for (const bool in_place : {false, true}) {
          operation.in_place = in_place;
          all.push_back(operation);
        }
      }
      for (const std::string& line : run(transport, ranks, all, {}, queue)) FAIL_CHECK(line);
    }
}

TEST_CASE("operations of all kinds, sizes, grids and algorithms follow one another") {
  // Packets of one algorithm lie where those of another were, with other numbers and from other blocks.
  for (const char* algorithm : {"", "one-shot", "two-shot", "loads", "staged", "packets", "direct"})
    for (const int ranks : {2, 3, 5}) {
      std::vector<Operation> all = offered(ranks, {1, 37, 4096}, false);
      std::vector<Operation> mixed;
      for (std::size_t i = 0; i < all.size(); i += 7) {
        mixed.push_back(all[i]);
        mixed.push_back(all[all.size() - 1 - i]);
      }
      EngineSettings settings;
      if (*algorithm != 0)
        settings = {{"algo", algorithm}, {"blocks", ranks == 3 ? "5" : "2"}, {"packet", "1024"}};
      for (const std::string& line : run("p2p", ranks, mixed, settings))
        FAIL_CHECK(std::string(algorithm), ": ", line);
    }
}

TEST_CASE("a transport that kernels cannot use is refused") {
  CHECK_THROWS_WITH_AS(run("socket", 2, {}), doctest::Contains("it has p2p and ibgda"), Error);
}

TEST_CASE("two ranks on one GPU are refused unless they are to share it") {
  Operation operation;
  operation.kind = CollectiveKind::kAllgather;
  operation.dtype = DataType::kFloat32;
  operation.count = 100;
  CHECK_THROWS_WITH_AS(run("p2p", 2, {operation}, {{"gpus", "0"}}),
                       doctest::Contains("ranks 0 and 1 both have GPU 0000:01:00.0"), Error);
  for (const char* transport : {"p2p", "ibgda"})
    CHECK(run(transport, 2, {operation}, {{"gpus", "0"}, {"shareGpu", "1"}}).empty());
}

TEST_CASE("kernels of ranks that use one GPU at once have room together") {
  Operation operation;
  operation.kind = CollectiveKind::kAllreduce;
  operation.dtype = DataType::kFloat32;
  operation.count = std::size_t{4} << 20;
  const EngineSettings shared{{"gpus", "0"}, {"shareGpu", "1"}};
  const auto with_blocks = [&](const char* blocks) {
    EngineSettings settings = shared;
    settings["blocks"] = blocks;
    return settings;
  };
  {
    const Variable mps("CUDA_FAKE_MPS", "1");
    // The fake GPU has 132 multiprocessors.
    CHECK(run("p2p", 2, {operation}, with_blocks("66")).empty());
    CHECK_THROWS_WITH_AS(run("p2p", 2, {operation}, with_blocks("67")), doctest::Contains("up to 66"), Error);
    CHECK_THROWS_WITH_AS(run("p2p", 3, {operation}, with_blocks("66")), doctest::Contains("up to 44"), Error);
    CHECK(run("p2p", 2, {operation}, shared).empty());
  }
  CHECK(run("p2p", 2, {operation}, with_blocks("128")).empty());
}

TEST_CASE("an environment in which no operations can be queued is refused") {
  Operation operation;
  operation.kind = CollectiveKind::kAllgather;
  operation.dtype = DataType::kFloat32;
  operation.count = 100;
  {
    const Variable blocking("CUDA_LAUNCH_BLOCKING", "1");
    CHECK_THROWS_WITH_AS(run("p2p", 2, {operation}), doctest::Contains("unset CUDA_LAUNCH_BLOCKING"), Error);
  }
  const Variable off("CUDA_LAUNCH_BLOCKING", "0");
  CHECK(run("p2p", 2, {operation}).empty());
}
