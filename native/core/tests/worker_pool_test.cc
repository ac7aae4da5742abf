#include "core/worker_pool.h"

#include <doctest/doctest.h>

#include "core/clock.h"
#include "core/spin.h"

using namespace collbench;

namespace {

struct Work {
  std::atomic<int> slices{0};
  std::atomic<int> elsewhere{0};
  std::thread::id owner = std::this_thread::get_id();
  static void run(void* work, const std::array<std::uint64_t, 3>&) noexcept {
    auto& self = *static_cast<Work*>(work);
    self.slices.fetch_add(1);
    if (std::this_thread::get_id() != self.owner) self.elsewhere.fetch_add(1);
  }
};

/// Waits for the worker pool without running slices. Returns false after half a minute.
bool done_by_others(const WorkerPool::PendingSlices& open) {
  const std::int64_t deadline = now_ns() + 30'000'000'000;
  Spinner spinner(1'000);
  while (open.load() != 0 && now_ns() < deadline) spinner.step();
  return open.load() == 0;
}

}  // namespace

TEST_CASE("a worker pool runs every slice once") {
  WorkerPool worker_pool;
  Work work;
  WorkerPool::PendingSlices open{0};
  for (int i = 0; i < 5'000; ++i) worker_pool.submit({Work::run, &work, {}, &open}, 3);
  worker_pool.finish(open);
  CHECK(work.slices == 5'000);
}

TEST_CASE("a thread that was woken for nothing takes part again") {
  WorkerPool worker_pool;
  Work work;
  WorkerPool::PendingSlices open{0};
  for (int round = 0; round < 300; ++round) {
    worker_pool.submit({Work::run, &work, {}, &open}, 1);
    worker_pool.finish(open);  // The slice is usually done before the thread is awake.
    // Some pauses are long enough for the thread to go back to sleep.
    const std::int64_t until = now_ns() + (round % 3) * 150'000;
    while (now_ns() < until) yield_core();
  }
  work.elsewhere = 0;
  for (int round = 0; round < 100; ++round) {
    worker_pool.submit({Work::run, &work, {}, &open}, 1);
    REQUIRE(done_by_others(open));
  }
  CHECK(work.elsewhere == 100);
}
