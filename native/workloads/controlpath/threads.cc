#include "workloads/controlpath/threads.h"

#include <cstring>

#include "core/clock.h"
#include "core/spin.h"

namespace collbench::controlpath {
namespace {

constexpr int kActors = 4;  // Threads that wait: host, device, proxy, and the target's rank.

}  // namespace

ThreadInitiator::ThreadInitiator(Engine& engine, PutQueues& lanes, Path path, Granularity granularity)
    : engine_(engine),
      lanes_(lanes),
      path_(path),
      granularity_(granularity),
      spins_(spins_for(kActors)),
      kernel_job_([this] { kernel(); }),
      next_job_([this] { next_kernel(); }),
      stream_job_([this] { stream(); }),
      proxy_job_([this] { serve_proxy(); }) {
  if (path_ == Path::kProxy) proxy_.emplace(spins_);
  device_.emplace(spins_);
}

ThreadInitiator::~ThreadInitiator() = default;

void ThreadInitiator::start(const std::function<void()>& job) {
  ++step_times_.launches;
  device_->start(job);
}

/// Waits until the thread that plays the device has ended its job, and counts one wake-up of the host.
void ThreadInitiator::await(HelperThread& actor) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !actor.is_done(); spinner.step())
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  ++step_times_.wakeups;
  actor.rethrow();
}

void ThreadInitiator::operate(std::uint64_t number) {
  // The total has its own time stamps; time outside all steps counts as unattributed.
  const std::int64_t begin = now_ns();
  number_ = number;
  step_times_ = StepTimes();
  const PutCounters before = lanes_.counters();
  since_ = now_ns();
  if (path_ == Path::kStream || path_ == Path::kTriggered) {
    for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.write(group);
    add_time(OperationStep::kPost);
  }
  if (path_ == Path::kProxy) proxy_->start(proxy_job_);
  start(path_ == Path::kStream ? stream_job_ : kernel_job_);
  if (path_ == Path::kStream) ++step_times_.launches;  // The stream has two kernels.
  await(*device_);
  if (path_ == Path::kHost) {
    add_time(OperationStep::kHandover);
    post_and_ring();
    lanes_.await_completion();
    add_time(OperationStep::kCompletion);
    start(next_job_);
    await(*device_);
  }
  add_time(OperationStep::kFinish);
  if (path_ == Path::kProxy) {
    while (!proxy_->is_done()) cpu_relax();  // The proxy has only to return.
    ++step_times_.wakeups;
    proxy_->rethrow();
  }
  const PutCounters after = lanes_.counters();
  step_times_.counted = {after.entries - before.entries, after.doorbells - before.doorbells,
                         after.completions - before.completions};
  step_times_.total_ns = now_ns() - begin;
}

/// Imitates the kernel's computation: writes the operation's number into the last bytes of each put.
void ThreadInitiator::make_data() {
  const PutLoad& load = lanes_.load();
  for (std::uint32_t q = 0; q < load.queues; ++q)
    for (std::uint32_t n = 0; n < load.puts; ++n)
      std::memcpy(lanes_.source(q, n) + load.bytes - sizeof number_, &number_, sizeof number_);
}

void ThreadInitiator::post_and_ring() {
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) {
    lanes_.write(group);
    add_time(OperationStep::kPost);
    lanes_.ring(group);
    add_time(OperationStep::kRing);
  }
}

/// Increments a counter for each put, as triggered operations of a network adapter would. The increment that
/// completes a group rings the doorbells of the group. With granularity kKernel, one increment rings for all.
void ThreadInitiator::trigger() {
  const PutLoad& load = lanes_.load();
  if (granularity_ == Granularity::kKernel) {
    counter_.fetch_add(1, std::memory_order_acq_rel);
    add_time(OperationStep::kTrigger);
    lanes_.ring(load.groups() - 1);
    return add_time(OperationStep::kRing);
  }
  const std::uint32_t threads = granularity_ == Granularity::kThread ? kBlockThreads : 1;
  const std::uint64_t threshold = std::uint64_t{load.batch} * threads;
  for (std::uint32_t put = 0; put < load.puts; ++put)
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      const std::uint64_t count = counter_.fetch_add(1, std::memory_order_acq_rel) + 1;
      if (count % threshold != 0) continue;
      add_time(OperationStep::kTrigger);
      lanes_.ring(put / load.batch);
      add_time(OperationStep::kRing);
    }
}

void ThreadInitiator::kernel() {
  add_time(OperationStep::kLaunch);
  make_data();
  add_time(OperationStep::kCompute);
  switch (path_) {
    case Path::kHost:
      return;
    case Path::kProxy: {
      request_.store(true, std::memory_order_release);
      std::uint32_t looks = 0;
      for (Spinner spinner(spins_); !answer_.load(std::memory_order_acquire); spinner.step())
        if (++looks % 256 == 0) engine_.stop_if_cancelled();
      answer_.store(false, std::memory_order_relaxed);
      return add_time(OperationStep::kResume);
    }
    case Path::kTriggered:
      counter_.store(0, std::memory_order_relaxed);
      trigger();
      break;
    default:
      post_and_ring();
  }
  lanes_.await_completion();
  add_time(OperationStep::kCompletion);
}

/// Imitates the second kernel of an operation, which needs the completed puts; only its start is timed.
void ThreadInitiator::next_kernel() { add_time(OperationStep::kResume); }

/// Imitates the device's stream, in which the host has queued everything: kernel, doorbell, wait for the
/// completion, second kernel.
void ThreadInitiator::stream() {
  kernel_of_stream();
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.ring(group);
  add_time(OperationStep::kRing);
  lanes_.await_completion();
  add_time(OperationStep::kCompletion);
  next_kernel();
}

void ThreadInitiator::kernel_of_stream() {
  add_time(OperationStep::kLaunch);
  make_data();
  add_time(OperationStep::kCompute);
}

void ThreadInitiator::serve_proxy() {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !request_.load(std::memory_order_acquire); spinner.step())
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  request_.store(false, std::memory_order_relaxed);
  add_time(OperationStep::kHandover);
  try {
    post_and_ring();
    lanes_.await_completion();
  } catch (...) {
    answer_.store(true, std::memory_order_release);  // Otherwise the kernel would wait for ever.
    throw;
  }
  add_time(OperationStep::kCompletion);
  answer_.store(true, std::memory_order_release);
}

}  // namespace collbench::controlpath
