#include "workloads/replay/mover.h"

#include "core/clock.h"
#include "core/spin.h"

namespace collbench::replay {
namespace {

constexpr std::uint32_t kLooksPerStop = 256;

}  // namespace

Mover::Mover(Engine& engine, const std::vector<Call>& calls, std::uint32_t spins)
    : engine_(engine), calls_(calls), spins_(spins), job_([this] { move_all(); }), actor_(spins) {}

template <class Done>
void Mover::await_until(Done done) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !done(); spinner.step())
    if (++looks % kLooksPerStop == 0) engine_.stop_if_cancelled();
}

void Mover::begin() {
  issued_.store(0, std::memory_order_relaxed);
  moved_.store(0, std::memory_order_relaxed);
  actor_.start(job_);
}

void Mover::wait() {
  const std::size_t wanted = issued_.load(std::memory_order_relaxed);
  await_until([&] { return moved_.load(std::memory_order_acquire) >= wanted || actor_.is_done(); });
  if (moved_.load(std::memory_order_acquire) < wanted) actor_.rethrow();
}

void Mover::end() {
  await_until([&] { return actor_.is_done(); });
  actor_.rethrow();
}

void Mover::move_all() {
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
