#include "workloads/controlpath/actor.h"

#include <utility>

#include "core/clock.h"
#include "core/cores.h"
#include "core/spin.h"

namespace collbench::controlpath {
namespace {

// Between blocks of a trial an actor has nothing to do for long: then it only looks now and then.
constexpr std::int64_t kSearchNs = 20'000'000;

}  // namespace

Actor::Actor(std::uint32_t spins) : spins_(spins), thread_([this] { run(); }) {}

Actor::~Actor() {
  stopping_.store(true, std::memory_order_release);
  thread_.join();
}

void Actor::start(const std::function<void()>& job) {
  job_ = &job;
  asked_.fetch_add(1, std::memory_order_release);
}

bool Actor::is_done() const noexcept {
  return done_.load(std::memory_order_acquire) == asked_.load(std::memory_order_relaxed);
}

void Actor::rethrow() {
  if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
}

void Actor::run() {
  use_any_core();
  std::uint32_t seen = 0;
  while (!stopping_.load(std::memory_order_acquire)) {
    const std::int64_t since = now_ns();
    std::uint32_t looks = 0;
    for (Spinner spinner(spins_); asked_.load(std::memory_order_acquire) == seen; spinner.step()) {
      if (stopping_.load(std::memory_order_relaxed)) return;
      if (++looks % 64 == 0 && now_ns() - since > kSearchNs) {
        const timespec nap{0, 1'000'000};
        nanosleep(&nap, nullptr);
      }
    }
    ++seen;
    try {
      (*job_)();
    } catch (...) {
      error_ = std::current_exception();
    }
    done_.store(seen, std::memory_order_release);
  }
}

}  // namespace collbench::controlpath
