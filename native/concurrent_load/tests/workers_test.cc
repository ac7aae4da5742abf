// Tests of load threads: they work between start and stop, count by the flag, and always end.
#include "concurrent_load/workers.h"

#include <doctest/doctest.h>

#include <functional>

#include "core/error.h"
#include "core/spin.h"

using namespace collbench;
using namespace collbench::concurrent_load;

namespace {

/// Records the calls of a task.
struct TaskLog {
  std::atomic<std::uint64_t> slices{0}, pauses{0};
  std::atomic<bool> abandoned{false};
};

class LoggingTask final : public LoadTask {
 public:
  LoggingTask(TaskLog& log, std::function<void()> in_slice = {}, bool waits_in_pause = false)
      : log_(log), in_slice_(std::move(in_slice)), waits_in_pause_(waits_in_pause) {}
  std::uint64_t slice() override {
    if (in_slice_) in_slice_();
    log_.slices.fetch_add(1);
    return 3;
  }
  void pause() override {
    while (waits_in_pause_ && !log_.abandoned.load()) yield_core();
    log_.pauses.fetch_add(1);
  }
  void abandon() noexcept override { log_.abandoned.store(true); }

 private:
  TaskLog& log_;
  std::function<void()> in_slice_;
  const bool waits_in_pause_;
};

std::vector<std::unique_ptr<LoadTask>> works_of(std::unique_ptr<LoadTask> first,
                                                std::unique_ptr<LoadTask> second = nullptr) {
  std::vector<std::unique_ptr<LoadTask>> works;
  works.push_back(std::move(first));
  if (second) works.push_back(std::move(second));
  return works;
}

void await_slices(const TaskLog& log, std::uint64_t more) {
  for (const std::uint64_t from = log.slices.load(); log.slices.load() < from + more;) yield_core();
}

}  // namespace

TEST_CASE("units count by whether the workload was being timed; nothing works after stop") {
  TaskLog log;
  Workers workers(works_of(std::make_unique<LoggingTask>(log)), {});
  CHECK(log.slices.load() == 0);
  workers.start();
  await_slices(log, 5);
  workers.timing().store(1);
  await_slices(log, 5);
  workers.timing().store(0);
  await_slices(log, 5);
  workers.stop();
  const auto [timed, untimed] = workers.done();
  CHECK(timed >= 3);
  CHECK(untimed >= 3);
  CHECK(timed + untimed == 3 * log.slices.load());
  CHECK(log.pauses.load() == 1);
}

TEST_CASE("a start that is stopped at once is still ended by a pause") {
  TaskLog log;
  Workers workers(works_of(std::make_unique<LoggingTask>(log), std::make_unique<LoggingTask>(log)), {0});
  for (int turn = 0; turn < 50; ++turn) {
    workers.start();
    workers.stop();
  }
  CHECK(log.pauses.load() == 100);
}

TEST_CASE("what ends a worker is thrown by check and stop, and the others end") {
  TaskLog broken, sound;
  std::atomic<bool> thrown{false};
  Workers workers(works_of(std::make_unique<LoggingTask>(broken,
                                                         [&] {
                                                           thrown.store(true);
                                                           throw Error(ErrorCode::kConnectionLost,
                                                                       "the peer is gone");
                                                         }),
                           std::make_unique<LoggingTask>(sound, std::function<void()>(), true)),
                  {});
  workers.start();
  while (!thrown.load()) yield_core();
  CHECK_THROWS_WITH_AS(workers.stop(), "the peer is gone", Error);
  CHECK_THROWS_WITH_AS(workers.check(), "the peer is gone", Error);
  CHECK_THROWS_WITH_AS(workers.start(), "the peer is gone", Error);
}

TEST_CASE("threads end amid their work, and amid a pause that waits for a rank that is gone") {
  TaskLog working, waiting;
  {
    Workers workers(works_of(std::make_unique<LoggingTask>(working)), {});
    workers.start();
    await_slices(working, 1);
  }
  {
    Workers workers(works_of(std::make_unique<LoggingTask>(waiting, std::function<void()>(), true)), {});
    workers.start();
    await_slices(waiting, 1);
  }
  CHECK(waiting.abandoned.load());
  CHECK(waiting.pauses.load() == 1);
}

TEST_CASE("work that cannot be prepared is refused, with no thread left") {
  class Unprepared final : public LoadTask {
   public:
    void prepare() override { throw Error(ErrorCode::kInternal, "no memory"); }
    std::uint64_t slice() override { return 1; }
  };
  TaskLog log;
  CHECK_THROWS_WITH_AS(
      Workers(works_of(std::make_unique<LoggingTask>(log), std::make_unique<Unprepared>()), {}), "no memory",
      Error);
}
