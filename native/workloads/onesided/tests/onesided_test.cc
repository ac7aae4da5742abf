#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "engines/engine.h"
#include "workloads/registry.h"
#include "workloads/workload.h"

namespace collbench {
WorkloadEntry onesided_workload();
}

using namespace collbench;

namespace {

/// Engine whose operations complete at once, in memory of this process.
class DirectMemoryEngine final : public Engine {
 public:
  void* buffer(int index, std::size_t bytes) override {
    auto& memory = memory_.at(static_cast<std::size_t>(index));
    if (memory.size() < bytes) memory.resize(bytes);
    return memory.data();
  }
  void one_sided(const OneSided& work) override {
    started.push_back(work.kind);
    if (deaf) return;
    const std::size_t bytes = work.bytes * static_cast<std::size_t>(work.callers);
    const std::size_t index = work.remote == memory_[0].data() ? 0 : 1;
    std::byte* const there = peer->memory_.at(index).data();
    if (work.kind == OneSided::Action::kFetchAdd) {
      for (std::size_t at = 0; at < bytes; at += 8) {
        std::uint64_t sum = 0;
        std::memcpy(&sum, there + at, 8);
        sum += static_cast<std::uint64_t>(work.repeats);
        std::memcpy(there + at, &sum, 8);
      }
    } else if (work.kind == OneSided::Action::kGet || work.kind == OneSided::Action::kLoad) {
      std::memcpy(work.local, there, bytes);
    } else if (bytes > 0) {  // A signal alone has no bytes.
      std::memcpy(there, work.local, bytes);
    }
  }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  [[nodiscard]] DeviceProperties device() const override { return {}; }

  DirectMemoryEngine* peer = nullptr;
  bool deaf = false;  // True if operations do nothing.
  std::vector<OneSided::Action> started;

 private:
  std::array<std::vector<std::byte>, 2> memory_;
};

struct Counts {
  std::uint64_t compared = 0, wrong = 0;
};

/// Two ranks of this process.
struct EnginePair {
  explicit EnginePair(const Axes& axes, bool deaf = false) {
    for (int rank = 0; rank < 2; ++rank) {
      engines[rank].peer = &engines[1 - rank];
      engines[rank].deaf = deaf;
      WorkloadContext context{engines[rank]};
      context.rank = rank;
      context.ranks = 2;
      ranks[rank] = onesided_workload().create(context, axes);
    }
  }
  DirectMemoryEngine engines[2];
  std::unique_ptr<Workload> ranks[2];
};

Axes axes_of(const std::string& operation, std::int64_t callers, std::int64_t bytes,
             const std::string& mover = "nvshmem", const std::string& scope = "warp") {
  return {{"operation", operation},    {"mover", mover}, {"scope", scope}, {"callers", callers},
          {"window", std::int64_t{1}}, {"bytes", bytes}};
}

Counts measured(const std::string& operation, std::int64_t callers, std::int64_t bytes, bool deaf = false) {
  EnginePair pair(axes_of(operation, callers, bytes), deaf);
  auto& ranks = pair.ranks;
  Counts counts;
  for (std::uint64_t iteration = 1; iteration <= 3; ++iteration) {
    for (auto& rank : ranks) rank->prepare(iteration, 2, 2);
    for (auto& rank : ranks) rank->run(2);
    for (auto& rank : ranks) {
      rank->wait();
      const Verification found = rank->verify(iteration);
      counts.compared += found.compared;
      counts.wrong += found.wrong;
    }
  }
  return counts;
}

std::string refusal(const Axes& axes) {
  try {
    const EnginePair pair(axes);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("what arrives is verified on the rank where it does, both for a round trip") {
  for (const char* operation : {"device-put", "device-get", "device-p", "device-g"}) {
    CAPTURE(operation);
    const Counts counts = measured(operation, 3, 64);
    CHECK(counts.compared == 3 * 3 * 64);
    CHECK(counts.wrong == 0);
  }
  CHECK(measured("device-signal", 3, 64).compared == 2 * 3 * 3 * 64);
  CHECK(measured("device-signal", 3, 64).wrong == 0);
}

TEST_CASE("sums are those of all callers, repeats and units") {
  const Counts counts = measured("device-fetch-add", 5, 8);
  CHECK(counts.compared == 3 * 5);
  CHECK(counts.wrong == 0);
}

TEST_CASE("a signal of no bytes moves nothing that could be verified, and neither is refused") {
  CHECK(measured("device-signal", 1, 0).compared == 0);
  CHECK(measured("device-put", 1, 0).compared == 0);
}

TEST_CASE("operations that do nothing are caught") {
  for (const char* operation : {"device-put", "device-get", "device-p", "device-g", "device-signal"})
    CHECK(measured(operation, 2, 64, true).wrong > 0);
  CHECK(measured("device-fetch-add", 2, 8, true).wrong == 6);
}

TEST_CASE("the rank whose memory it is waits for a word behind the last operation, or answers each") {
  using Action = OneSided::Action;
  EnginePair puts(axes_of("device-put", 2, 64));
  for (auto& rank : puts.ranks) rank->run(2);
  CHECK(puts.engines[0].started == std::vector{Action::kPut, Action::kPut, Action::kNotify});
  CHECK(puts.engines[1].started == std::vector{Action::kAwait});
  EnginePair signals(axes_of("device-signal", 2, 64));
  for (auto& rank : signals.ranks) rank->run(1);
  for (const DirectMemoryEngine& engine : signals.engines)
    CHECK(engine.started == std::vector{Action::kPutSignal});
}

TEST_CASE("words are of 8 bytes") {
  CHECK(refusal(axes_of("device-p", 1, 12)) == "device-p takes whole words of 8 bytes, not 12");
  CHECK(refusal(axes_of("device-g", 1, 4)) == "device-g takes whole words of 8 bytes, not 4");
  CHECK(refusal(axes_of("device-fetch-add", 1, 16)) == "device-fetch-add takes 8 bytes, not 16");
}

TEST_CASE("movers of whole copies are for blocks, and all but the library's calls for puts and gets") {
  CHECK(refusal(axes_of("device-put", 1, 64, "copy-engine", "block")) == "accepted");
  CHECK(refusal(axes_of("device-get", 1, 64, "vector", "thread")) == "accepted");
  CHECK(refusal(axes_of("device-put", 1, 64, "bulk", "warp")) ==
        "device-put takes mover bulk with scope block alone");
  CHECK(refusal(axes_of("device-p", 1, 64, "vector")) == "device-p takes mover nvshmem alone");
}
