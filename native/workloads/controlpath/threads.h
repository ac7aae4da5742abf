#pragma once
// Control paths with threads as host, device and proxy.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "workloads/controlpath/helper_thread.h"
#include "workloads/controlpath/initiator.h"
#include "workloads/controlpath/put_queues.h"

namespace collbench::controlpath {

/// Number of times per put that the CPU thread which plays the GPU increments the counter of triggered puts,
/// with granularity kThread: as often as the threads of a GPU block would.
inline constexpr std::uint32_t kBlockThreads = 32;

class ThreadInitiator final : public Initiator {
 public:
  ThreadInitiator(Engine& engine, PutQueues& lanes, Path path, Granularity granularity);
  ~ThreadInitiator() override;

  void operate(std::uint64_t number) override;
  void take(OperationColumns& columns) const override {
    step_times_.take(columns, path_, DeviceKind::kThreads);
  }

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
  void await(HelperThread& actor);
  void add_time(OperationStep step) { step_times_.add_time(step, since_); }

  Engine& engine_;
  PutQueues& lanes_;
  const Path path_;
  const Granularity granularity_;
  const std::uint32_t spins_;
  const std::function<void()> kernel_job_, next_job_, stream_job_, proxy_job_;
  std::uint64_t number_ = 0;
  std::atomic<std::uint64_t> counter_{0};             // Counter of triggered puts.
  std::atomic<bool> request_{false}, answer_{false};  // Flags between device and proxy.
  StepTimes step_times_;                              // Written by whoever acts.
  std::int64_t since_ = 0;
  std::optional<HelperThread> proxy_;
  std::optional<HelperThread> device_;  // Destroyed first.
};

}  // namespace collbench::controlpath
