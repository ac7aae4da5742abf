#include "workloads/controlpath/paths.h"

#include <cstring>
#include <string_view>

#include "core/clock.h"
#include "core/spin.h"

namespace collbench::controlpath {
namespace {

constexpr std::string_view kStepNames[] = {"post", "launch",     "compute", "handover", "trigger",
                                           "ring", "completion", "resume",  "finish"};
constexpr int kActors = 4;  // host, device, proxy, and the target's rank

bool has_step(Path path, Step step) noexcept {
  switch (step) {
    case Step::kHandover:
      return path == Path::kHost || path == Path::kProxy;
    case Step::kTrigger:
      return path == Path::kTriggered;
    case Step::kResume:
      return path == Path::kHost || path == Path::kStream || path == Path::kProxy;
    default:
      return true;
  }
}

}  // namespace

Initiator::Initiator(Engine& engine, Lanes& lanes, Path path, Granularity granularity)
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

Initiator::~Initiator() = default;

void Initiator::spend(Step step, std::int64_t& since) {
  const std::int64_t now = now_ns();
  steps_[static_cast<std::size_t>(step)] += now - since;
  since = now;
}

void Initiator::start(const std::function<void()>& job) {
  ++launches_;
  device_->start(job);
}

/// Until the actor has ended: a wake-up of the host.
void Initiator::await(Actor& actor) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !actor.is_done(); spinner.step())
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  ++wakeups_;
  actor.rethrow();
}

void Initiator::operate(std::uint64_t number) {
  // The whole is measured by stamps of its own: what no step has is unattributed.
  const std::int64_t begin = now_ns();
  number_ = number;
  steps_.fill(0);
  launches_ = wakeups_ = 0;
  const PutCounters before = lanes_.counters();
  since_ = now_ns();
  if (path_ == Path::kStream || path_ == Path::kTriggered) {
    for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.write(group);
    spend(Step::kPost, since_);
  }
  if (path_ == Path::kProxy) proxy_->start(proxy_job_);
  start(path_ == Path::kStream ? stream_job_ : kernel_job_);
  if (path_ == Path::kStream) ++launches_;  // two kernels in one stream
  await(*device_);
  if (path_ == Path::kHost) {
    spend(Step::kHandover, since_);
    post_and_ring();
    lanes_.await_completion();
    spend(Step::kCompletion, since_);
    start(next_job_);
    await(*device_);
  }
  spend(Step::kFinish, since_);
  if (path_ == Path::kProxy) {
    while (!proxy_->is_done()) cpu_relax();  // it has only to return
    ++wakeups_;
    proxy_->rethrow();
  }
  const PutCounters after = lanes_.counters();
  counted_ = {after.entries - before.entries, after.doorbells - before.doorbells,
              after.completions - before.completions};
  total_ns_ = now_ns() - begin;
}

/// What a kernel computes: the number of the operation, last in each put.
void Initiator::make_data() {
  const Load& load = lanes_.load();
  for (std::uint32_t q = 0; q < load.queues; ++q)
    for (std::uint32_t n = 0; n < load.puts; ++n)
      std::memcpy(lanes_.source(q, n) + load.bytes - sizeof number_, &number_, sizeof number_);
}

void Initiator::post_and_ring() {
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) {
    lanes_.write(group);
    spend(Step::kPost, since_);
    lanes_.ring(group);
    spend(Step::kRing, since_);
  }
}

/// Each put counts; whoever brings the counter to a threshold rings for the entries registered up to there.
void Initiator::trigger() {
  const Load& load = lanes_.load();
  if (granularity_ == Granularity::kKernel) {
    counter_.fetch_add(1, std::memory_order_acq_rel);
    spend(Step::kTrigger, since_);
    lanes_.ring(load.groups() - 1);
    return spend(Step::kRing, since_);
  }
  const std::uint32_t threads = granularity_ == Granularity::kThread ? kBlockThreads : 1;
  const std::uint64_t threshold = std::uint64_t{load.batch} * threads;
  for (std::uint32_t put = 0; put < load.puts; ++put)
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      const std::uint64_t count = counter_.fetch_add(1, std::memory_order_acq_rel) + 1;
      if (count % threshold != 0) continue;
      spend(Step::kTrigger, since_);
      lanes_.ring(put / load.batch);
      spend(Step::kRing, since_);
    }
}

void Initiator::kernel() {
  spend(Step::kLaunch, since_);
  make_data();
  spend(Step::kCompute, since_);
  switch (path_) {
    case Path::kHost:
      return;
    case Path::kProxy: {
      request_.store(true, std::memory_order_release);
      std::uint32_t looks = 0;
      for (Spinner spinner(spins_); !answer_.load(std::memory_order_acquire); spinner.step())
        if (++looks % 256 == 0) engine_.stop_if_cancelled();
      answer_.store(false, std::memory_order_relaxed);
      return spend(Step::kResume, since_);
    }
    case Path::kTriggered:
      counter_.store(0, std::memory_order_relaxed);
      trigger();
      break;
    default:
      post_and_ring();
  }
  lanes_.await_completion();
  spend(Step::kCompletion, since_);
}

/// The kernel behind the put, which may use what came of it.
void Initiator::next_kernel() { spend(Step::kResume, since_); }

/// Stream order: kernel, write to the doorbell, wait for the completion, next kernel. The host has queued all
/// of it.
void Initiator::stream() {
  kernel_of_stream();
  for (std::uint32_t group = 0; group < lanes_.load().groups(); ++group) lanes_.ring(group);
  spend(Step::kRing, since_);
  lanes_.await_completion();
  spend(Step::kCompletion, since_);
  next_kernel();
}

void Initiator::kernel_of_stream() {
  spend(Step::kLaunch, since_);
  make_data();
  spend(Step::kCompute, since_);
}

void Initiator::serve_proxy() {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !request_.load(std::memory_order_acquire); spinner.step())
    if (++looks % 256 == 0) engine_.stop_if_cancelled();
  request_.store(false, std::memory_order_relaxed);
  spend(Step::kHandover, since_);
  try {
    post_and_ring();
    lanes_.await_completion();
  } catch (...) {
    answer_.store(true, std::memory_order_release);  // the kernel must not wait for ever
    throw;
  }
  spend(Step::kCompletion, since_);
  answer_.store(true, std::memory_order_release);
}

void Initiator::take(Columns& columns) const {
  for (std::size_t n = 0; n < steps_.size(); ++n)
    if (has_step(path_, static_cast<Step>(n))) columns[std::string(kStepNames[n])].push_back(steps_[n]);
  columns["total"].push_back(total_ns_);
  columns["doorbells"].push_back(static_cast<std::int64_t>(counted_.doorbells));
  columns["entries"].push_back(static_cast<std::int64_t>(counted_.entries));
  columns["launches"].push_back(launches_);
  columns["wakeups"].push_back(wakeups_);
}

}  // namespace collbench::controlpath
