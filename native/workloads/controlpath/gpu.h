#pragma once
// Control paths with a GPU as the device. The GPU's times come back in reports, in ns of its clock.
#include <functional>
#include <memory>
#include <optional>

#include "core/clock.h"
#include "workloads/controlpath/gpu_clock.h"
#include "workloads/controlpath/gpu_kernels.h"
#include "workloads/controlpath/helper_thread.h"
#include "workloads/controlpath/initiator.h"
#include "workloads/controlpath/mailbox.h"
#include "workloads/controlpath/put_queues.h"

namespace collbench::controlpath {

/// Control path of an operation, and which threads of its kernel act: `granularity` says who counts triggered
/// puts, `scope` who writes queue entries.
struct GpuShape {
  Path path;
  Granularity granularity;
  Scope scope;
};

class GpuInitiator final : public Initiator {
 public:
  /// @param lanes queues for the puts @param shape control path and which threads act
  /// @param counter 8 bytes of device memory, in which kernels count triggered puts
  GpuInitiator(Engine& engine, PutQueues& lanes, const GpuShape& shape, std::byte* counter);
  ~GpuInitiator() override;

  void prepare() override { clock_.compare(); }
  void operate(std::uint64_t number) override;
  void take(OperationColumns& columns) const override;

 private:
  void go_host_path();
  void go_stream_path();
  void go_proxy_path();
  void go_device_path();
  void start(DeviceJob job);
  void start_next();
  void await();
  void post();
  void put_by_host(std::int64_t& since);
  void ring_all_in_stream();
  void await_all_in_stream();
  void serve_proxy();
  void adopt(const DeviceReport& report);
  void add_time(OperationStep step) { step_times_.add_time(step, since_); }
  /// Improves the estimate of the clock offset, from the fact that the kernel of `report` ran after the host
  /// time since_ and before now.
  void bound(const DeviceReport& report) { clock_.bound(since_, report.begin, report.end, now_ns()); }
  [[nodiscard]] std::int64_t at(std::uint64_t device_ns) const noexcept { return clock_.host_ns(device_ns); }

  Engine& engine_;
  DevicePort& device_;
  PutQueues& lanes_;
  const GpuShape shape_;
  const std::function<void()> proxy_job_;
  SharedMailbox box_;
  GpuClock clock_;
  PutArgs args_{};
  StepTimes step_times_;
  std::int64_t since_ = 0;
  /// Host times of the last operation in CLOCK_MONOTONIC ns: when the proxy thread was woken, and when it
  /// answered the kernel.
  std::int64_t woken_ns_ = 0, answered_ns_ = 0;
  std::optional<HelperThread> proxy_;  // Destroyed first.
};

}  // namespace collbench::controlpath
