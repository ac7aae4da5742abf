#include "metrics/sampler_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "core/clock.h"
#include "core/error.h"

namespace collbench::metrics {
namespace {

constexpr std::size_t kRingBytes = 1 << 19;
constexpr std::size_t kMinRows = 64, kMaxRows = 4096;

std::size_t rows_for(std::size_t columns) {
  return std::clamp(kRingBytes / (sizeof(double) * std::max<std::size_t>(columns, 1)), kMinRows, kMaxRows);
}

timespec to_timespec(std::int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

SamplerThread::SamplerThread(Sampler& sampler, Options options)
    : sampler_(sampler),
      options_(std::move(options)),
      ring_(rows_for(sampler.channels().size()), sampler.channels().size()),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
  if (timer_ < 0) throw system_error(ErrorCode::kInternal, "making the sampler's timer", errno);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // signals are for threads that expect them
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(timer_);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SamplerThread::~SamplerThread() {
  stop();
  close(timer_);
}

void SamplerThread::run() {
  prctl(PR_SET_NAME, "sampler");  // prctl, because pthread_setname_np is newer than the oldest supported libc
  std::int64_t due = now_ns();
  tick(due, true);
  const itimerspec periodic{to_timespec(options_.interval_ns), to_timespec(due + options_.interval_ns)};
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &periodic, nullptr);
  while (!stopping_.load(std::memory_order_acquire)) {
    std::uint64_t expired = 0;
    // interrupted by a signal
    if (::read(timer_, &expired, sizeof expired) != static_cast<ssize_t>(sizeof expired)) continue;
    if (stopping_.load(std::memory_order_acquire)) break;
    due += static_cast<std::int64_t>(expired) * options_.interval_ns;
    summary_.missed_ticks += expired - 1;
    tick(due, false);
  }
  tick(now_ns(), true);
  summary_.cpu_ns = thread_cpu_ns();
}

void SamplerThread::tick(std::int64_t due_ns, bool whole) {
  RowRing::Row* row = ring_.free_row();
  if (row == nullptr) {
    ++summary_.missed_ticks;
    return;
  }
  const Sampler::Reading reading = sampler_.read(row->values, whole);
  row->start_ns = reading.start_ns;
  row->cost_ns = reading.cost_ns;
  ring_.publish();
  ++summary_.ticks;
  summary_.jitter_ns.add(reading.start_ns - due_ns);
  if (4 * ring_.waiting() >= 3 * ring_.capacity() && !told_filling_.exchange(true) && options_.on_filling)
    options_.on_filling();
}

void SamplerThread::release(std::size_t rows) noexcept {
  ring_.release(rows);
  told_filling_.store(false);
}

void SamplerThread::keep_off(const std::vector<int>& cores) noexcept {
  if (!thread_.joinable()) return;
  cpu_set_t mine, others;
  CPU_ZERO(&mine);
  // Affinity of the process, which the calling thread still has.
  if (sched_getaffinity(getpid(), sizeof mine, &mine) != 0) return;
  others = mine;
  for (const int core : cores)
    if (core >= 0 && core < CPU_SETSIZE) CPU_CLR(static_cast<std::size_t>(core), &others);
  pthread_setaffinity_np(thread_.native_handle(), sizeof others, CPU_COUNT(&others) > 0 ? &others : &mine);
}

void SamplerThread::stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  // The thread may be arming its timer at this moment; a timer that fires repeatedly wakes it in any case.
  const itimerspec at_once{to_timespec(1'000'000), to_timespec(1)};
  timerfd_settime(timer_, 0, &at_once, nullptr);
  thread_.join();
}

}  // namespace collbench::metrics
