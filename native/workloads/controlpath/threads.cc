#include "workloads/controlpath/threads.h"

#include <cstring>

#include "core/clock.h"
#include "core/spin.h"

namespace collbench::controlpath {
namespace {

constexpr int kActors = 4;  // host, device, proxy, and the target's rank

}  // namespace

ThreadInitiator::ThreadInitiator(Engine& engine, Lanes& lanes, Path path, Granularity granularity)
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
  ++account_.launches;
  device_->start(job);
}

/// Until the actor has ended: a wake-up of the host.
void ThreadInitiator::await(Actor& actor) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !actor.is_done(); spinner.step())
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  ++account_.wakeups;
  actor.rethrow();
}

void ThreadInitiator::operate(std::uint64_t number) {
  // The whole is measured by stamps of its own: what no step has is unattributed.
  const std::int64_t begin = now_ns();
  number_ = number;
  account_ = Account();
  const PutCounters before = lanes_.counters();
  since_ = now_ns();
  if (path_ == Path::kStream || path_ == Path::kTriggered) {
    for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.write(group);
    spend(Step::kPost);
  }
  if (path_ == Path::kProxy) proxy_->start(proxy_job_);
  start(path_ == Path::kStream ? stream_job_ : kernel_job_);
  if (path_ == Path::kStream) ++account_.launches;  // two kernels in one stream
  await(*device_);
  if (path_ == Path::kHost) {
    spend(Step::kHandover);
    post_and_ring();
    lanes_.await_completion();
    spend(Step::kCompletion);
    start(next_job_);
    await(*device_);
  }
  spend(Step::kFinish);
  if (path_ == Path::kProxy) {
    while (!proxy_->is_done()) cpu_relax();  // it has only to return
    ++account_.wakeups;
    proxy_->rethrow();
  }
  const PutCounters after = lanes_.counters();
  account_.counted = {after.entries - before.entries, after.doorbells - before.doorbells,
                      after.completions - before.completions};
  account_.total_ns = now_ns() - begin;
}

/// What a kernel computes: the number of the operation, last in each put.
void ThreadInitiator::make_data() {
  const Load& load = lanes_.load();
  for (std::uint32_t q = 0; q < load.queues; ++q)
    for (std::uint32_t n = 0; n < load.puts; ++n)
      std::memcpy(lanes_.source(q, n) + load.bytes - sizeof number_, &number_, sizeof number_);
}

void ThreadInitiator::post_and_ring() {
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) {
    lanes_.write(group);
    spend(Step::kPost);
    lanes_.ring(group);
    spend(Step::kRing);
  }
}

/// Each put counts; whoever brings the counter to a threshold rings for the entries registered up to there.
void ThreadInitiator::trigger() {
  const Load& load = lanes_.load();
  if (granularity_ == Granularity::kKernel) {
    counter_.fetch_add(1, std::memory_order_acq_rel);
    spend(Step::kTrigger);
    lanes_.ring(load.groups() - 1);
    return spend(Step::kRing);
  }
  const std::uint32_t threads = granularity_ == Granularity::kThread ? kBlockThreads : 1;
  const std::uint64_t threshold = std::uint64_t{load.batch} * threads;
  for (std::uint32_t put = 0; put < load.puts; ++put)
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      const std::uint64_t count = counter_.fetch_add(1, std::memory_order_acq_rel) + 1;
      if (count % threshold != 0) continue;
      spend(Step::kTrigger);
      lanes_.ring(put / load.batch);
      spend(Step::kRing);
    }
}

void ThreadInitiator::kernel() {
  spend(Step::kLaunch);
  make_data();
  spend(Step::kCompute);
  switch (path_) {
    case Path::kHost:
      return;
    case Path::kProxy: {
      request_.store(true, std::memory_order_release);
      std::uint32_t looks = 0;
      for (Spinner spinner(spins_); !answer_.load(std::memory_order_acquire); spinner.step())
        if (++looks % 256 == 0) engine_.stop_if_cancelled();
      answer_.store(false, std::memory_order_relaxed);
      return spend(Step::kResume);
    }
    case Path::kTriggered:
      counter_.store(0, std::memory_order_relaxed);
      trigger();
      break;
    default:
      post_and_ring();
  }
  lanes_.await_completion();
  spend(Step::kCompletion);
}

/// The kernel behind the put, which may use what came of it.
void ThreadInitiator::next_kernel() { spend(Step::kResume); }

/// Stream order: kernel, write to the doorbell, wait for the completion, next kernel. The host has queued all
/// of it.
void ThreadInitiator::stream() {
  kernel_of_stream();
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.ring(group);
  spend(Step::kRing);
  lanes_.await_completion();
  spend(Step::kCompletion);
  next_kernel();
}

void ThreadInitiator::kernel_of_stream() {
  spend(Step::kLaunch);
  make_data();
  spend(Step::kCompute);
}

void ThreadInitiator::serve_proxy() {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !request_.load(std::memory_order_acquire); spinner.step())
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  request_.store(false, std::memory_order_relaxed);
  spend(Step::kHandover);
  try {
    post_and_ring();
    lanes_.await_completion();
  } catch (...) {
    answer_.store(true, std::memory_order_release);  // the kernel must not wait for ever
    throw;
  }
  spend(Step::kCompletion);
  answer_.store(true, std::memory_order_release);
}

}  // namespace collbench::controlpath
