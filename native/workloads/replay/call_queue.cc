#include "workloads/replay/call_queue.h"

#include "core/clock.h"
#include "core/spin.h"

namespace collbench::replay {
namespace {

constexpr std::uint32_t kLooksPerStop = 256;

}  // namespace

CallQueue::CallQueue(Engine& engine, const std::vector<CollectiveCall>& calls, std::uint32_t spins)
    : engine_(engine), calls_(calls), spins_(spins), job_([this] { move_all(); }), actor_(spins) {}

template <class Done>
void CallQueue::await_until(Done done) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !done(); spinner.step())
    if (++looks % kLooksPerStop == 0) engine_.stop_if_cancelled();
}

void CallQueue::begin() {
  issued_.store(0, std::memory_order_relaxed);
  moved_.store(0, std::memory_order_relaxed);
  actor_.start(job_);
}

void CallQueue::wait() {
  const std::size_t wanted = issued_.load(std::memory_order_relaxed);
  await_until([&] { return moved_.load(std::memory_order_acquire) >= wanted || actor_.is_done(); });
  if (moved_.load(std::memory_order_acquire) < wanted) actor_.rethrow();
}

void CallQueue::end() {
  await_until([&] { return actor_.is_done(); });
  actor_.rethrow();
}

void CallQueue::move_all() {
  moving_ns_ = 0;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    await_until([&] { return issued_.load(std::memory_order_acquire) > i; });
    const std::int64_t began = now_ns();
    engine_.enqueue(calls_[i]);
    engine_.synchronize();
    moving_ns_ += now_ns() - began;
    moved_.store(i + 1, std::memory_order_release);
  }
}

}  // namespace collbench::replay
