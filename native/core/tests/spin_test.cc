// Tests of waits on a core that other programs use.
#include "core/spin.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/cores.h"

using namespace collbench;

namespace {

/// Threads that compute without end on the calling thread's CPU, to which they and the caller are bound.
class BusyCpu {
 public:
  BusyCpu() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    // New threads inherit the binding.
    for (int n = 0; n < 2; ++n)
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) cpu_relax();
      });
  }
  ~BusyCpu() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }
  BusyCpu(const BusyCpu&) = delete;
  BusyCpu& operator=(const BusyCpu&) = delete;

 private:
  cpu_set_t before_{};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("a thread that yields to programs that always compute sleeps instead after a while") {
  const BusyCpu busy;
  while (!yield_core()) {
  }
  Spinner spinner(Spinner::kSharedCoreSpins);
  while (!spinner.sleeps()) spinner.step();
}

TEST_CASE("a wait with more ranks than hardware threads sleeps after 64 yields at the latest") {
  Spinner spinner(0);
  int steps = 0;
  for (; !spinner.sleeps(); ++steps) spinner.step();
  CHECK(steps <= 64);
}
