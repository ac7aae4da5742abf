#include "workloads/controlpath/helper_thread.h"

#include <utility>

#include "core/clock.h"
#include "core/cores.h"
#include "core/spin.h"

namespace collbench::controlpath {
namespace {

// Time for which a helper thread polls. Between blocks it has nothing to do for long; then it polls only now
// and then.
constexpr std::int64_t kSearchNs = 20'000'000;

}  // namespace

HelperThread::HelperThread(std::uint32_t spins) : spins_(spins), thread_([this] { run(); }) {}

HelperThread::~HelperThread() {
  stopping_.store(true, std::memory_order_release);
  thread_.join();
}

void HelperThread::start(const std::function<void()>& job) {
  job_ = &job;
  asked_.fetch_add(1, std::memory_order_release);
}

bool HelperThread::is_done() const noexcept {
  return done_.load(std::memory_order_acquire) == asked_.load(std::memory_order_relaxed);
}

void HelperThread::rethrow() {
  if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
}

void HelperThread::run() {
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
