#pragma once
// The control paths, with threads as host, device and proxy. Each operation goes from the host's decision to
// start a kernel until it knows that a kernel saw the put completed.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "measure/trial.h"
#include "workloads/controlpath/actor.h"
#include "workloads/controlpath/lanes.h"

namespace collbench::controlpath {

enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel };
/// Who increments the counter of a triggered put: each thread of a block, one for its block, one for all.
enum class Granularity : std::uint8_t { kThread, kBlock, kKernel };

/// Threads of a block, as the counters of granularity `thread` count them.
inline constexpr std::uint32_t kBlockThreads = 32;

/// Parts of an operation, in the order in which they are told; see take().
enum class Step : std::uint8_t {
  kPost,
  kLaunch,
  kCompute,
  kHandover,
  kTrigger,
  kRing,
  kCompletion,
  kResume,
  kFinish,
  kSteps
};

class Initiator {
 public:
  Initiator(Engine& engine, Lanes& lanes, Path path, Granularity granularity);
  ~Initiator();

  /// One operation; `number` is what its kernel writes into the last 8 bytes of each put.
  void operate(std::uint64_t number);
  /// Adds the parts of the last operation: steps that the path has, total, doorbells, entries, launches,
  /// wakeups.
  void take(Columns& columns) const;

 private:
  void make_data();
  void post_and_ring();
  void trigger();
  void serve_proxy();
  void kernel();
  void kernel_of_stream();
  void next_kernel();
  void stream();
  void start(const std::function<void()>& job);
  void await(Actor& actor);
  void spend(Step step, std::int64_t& since);

  Engine& engine_;
  Lanes& lanes_;
  const Path path_;
  const Granularity granularity_;
  const std::uint32_t spins_;
  const std::function<void()> kernel_job_, next_job_, stream_job_, proxy_job_;
  std::uint64_t number_ = 0;
  std::atomic<std::uint64_t> counter_{0};             // triggered
  std::atomic<bool> request_{false}, answer_{false};  // proxy
  // Of the last operation; written by whoever has the turn.
  std::array<std::int64_t, static_cast<std::size_t>(Step::kSteps)> steps_{};
  std::int64_t since_ = 0, total_ns_ = 0;
  PutCounters counted_;
  std::int64_t launches_ = 0, wakeups_ = 0;
  std::optional<Actor> proxy_;
  std::optional<Actor> device_;  // ends first
};

}  // namespace collbench::controlpath
