#pragma once
// The control paths, with threads as host, device and proxy.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "workloads/controlpath/actor.h"
#include "workloads/controlpath/initiator.h"
#include "workloads/controlpath/lanes.h"

namespace collbench::controlpath {

/// Threads of a block, as the counters of granularity `thread` count them.
inline constexpr std::uint32_t kBlockThreads = 32;

class ThreadInitiator final : public Initiator {
 public:
  ThreadInitiator(Engine& engine, Lanes& lanes, Path path, Granularity granularity);
  ~ThreadInitiator() override;

  void operate(std::uint64_t number) override;
  void take(Columns& columns) const override { account_.take(columns, path_, Device::kThreads); }

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
  void spend(Step step) { account_.spend(step, since_); }

  Engine& engine_;
  Lanes& lanes_;
  const Path path_;
  const Granularity granularity_;
  const std::uint32_t spins_;
  const std::function<void()> kernel_job_, next_job_, stream_job_, proxy_job_;
  std::uint64_t number_ = 0;
  std::atomic<std::uint64_t> counter_{0};             // triggered
  std::atomic<bool> request_{false}, answer_{false};  // proxy
  Account account_;                                   // written by whoever has the turn
  std::int64_t since_ = 0;
  std::optional<Actor> proxy_;
  std::optional<Actor> device_;  // ends first
};

}  // namespace collbench::controlpath
