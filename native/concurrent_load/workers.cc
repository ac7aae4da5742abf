#include "concurrent_load/workers.h"

#include <pthread.h>
#include <sched.h>

#include <utility>

#include "core/cores.h"

namespace collbench::concurrent_load {
namespace {

/// Binds the calling thread to a CPU; a negative number allows any CPU of the launcher. If the kernel
/// refuses, as in some containers, the thread stays unbound.
void bind_worker(int core) noexcept {
  if (core < 0) return use_any_core();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

}  // namespace

Workers::Workers(std::vector<std::unique_ptr<LoadTask>> works, const std::vector<int>& cores) {
  busy_ = works.size();
  for (auto& work : works) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->work = std::move(work);
  }
  try {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const int core = cores.empty() ? -1 : cores[i % cores.size()];
      workers_[i]->thread = std::thread([this, i, core] { serve(*workers_[i], core); });
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  } catch (...) {
    end();
    throw;
  }
}

Workers::~Workers() { end(); }

void Workers::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    state_.store(State::kLeaving);
  }
  changed_.notify_all();
  for (auto& worker : workers_) worker->work->abandon();
  for (auto& worker : workers_)
    if (worker->thread.joinable()) worker->thread.join();
}

void Workers::start() {
  check();
  {
    const std::lock_guard lock(mutex_);
    busy_ = workers_.size();
    ++starts_;
    state_.store(State::kWorking);
  }
  changed_.notify_all();
}

void Workers::stop() {
  {
    std::unique_lock lock(mutex_);
    state_.store(State::kParked);
    changed_.wait(lock, [this] { return busy_ == 0 || failure_ != nullptr; });
  }
  check();
}

void Workers::check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

Workers::UnitCounts Workers::done() const {
  UnitCounts sum;
  for (const auto& worker : workers_) {
    sum.untimed += worker->done[0].load(std::memory_order_relaxed);
    sum.timed += worker->done[1].load(std::memory_order_relaxed);
  }
  return sum;
}

LoadTask::TransferCounts Workers::moved() const {
  LoadTask::TransferCounts sum;
  for (const auto& worker : workers_) {
    const LoadTask::TransferCounts one = worker->work->moved();
    sum.bytes_sent += one.bytes_sent;
    sum.bytes_received += one.bytes_received;
    sum.messages_sent += one.messages_sent;
    sum.messages_received += one.messages_received;
  }
  return sum;
}

void Workers::serve(Worker& worker, int core) noexcept {
  bind_worker(core);
  try {
    worker.work->prepare();
    // Workers must see every start, however short: other ranks may wait for the pause that ends it.
    for (std::uint64_t seen = 0;; ++seen) {
      {
        std::unique_lock lock(mutex_);
        --busy_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return starts_ > seen || state_.load() == State::kLeaving; });
        if (state_.load() == State::kLeaving) return;
      }
      work_until_paused(worker);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    --busy_;
    changed_.notify_all();
  }
}

void Workers::work_until_paused(Worker& worker) {
  while (state_.load(std::memory_order_relaxed) == State::kWorking) {
    const std::uint64_t units = worker.work->slice();
    if (units == 0) continue;
    const std::size_t timed = timing_.load(std::memory_order_relaxed) != 0 ? 1 : 0;
    auto& done = worker.done[timed];
    done.store(done.load(std::memory_order_relaxed) + units, std::memory_order_relaxed);
  }
  worker.work->pause();
}

}  // namespace collbench::concurrent_load
