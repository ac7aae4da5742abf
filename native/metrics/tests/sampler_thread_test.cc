#include "metrics/sampler_thread.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <future>

#include "core/clock.h"

using namespace collbench;
using namespace collbench::metrics;

namespace {

/// Waits until there are that many rows; assumes nothing about time.
void wait_for_rows(const SamplerThread& thread, std::size_t rows) {
  while (thread.rows().waiting() < rows) usleep(200);
}

SamplerOptions only(const char* name, std::int64_t interval_ns = 0) {
  SamplerOptions options;
  options.names = {name};
  options.interval_ns = interval_ns;
  return options;
}

}  // namespace

TEST_CASE("histogram: exact below 16, at most an eighth too high above, never above the largest") {
  Histogram histogram;
  CHECK(histogram.quantile(0.5) == 0);
  for (int i = 0; i < 10; ++i) histogram.add(i);
  CHECK(histogram.quantile(0.5) == 4);
  CHECK(histogram.quantile(1) == 9);
  Histogram wide;
  for (std::int64_t i = 1; i <= 100'000; ++i) wide.add(i * 1000);
  CHECK(wide.quantile(0.5) >= 50'000'000);
  CHECK(wide.quantile(0.5) <= 56'250'000);
  CHECK(wide.quantile(0.99) >= 99'000'000);
  CHECK(wide.quantile(1) == 100'000'000);
  wide.add(INT64_MAX);
  wide.add(-5);
  CHECK(wide.max() == INT64_MAX);
  CHECK(wide.count() == 100'002);
}

TEST_CASE("rows come in order with the time of each reading, from before the start to after the stop") {
  Sampler sampler(only("cpu"));  // no interval: every row reads all sources
  const auto before = now_ns();
  SamplerThread thread(sampler, {1'000'000, nullptr});
  wait_for_rows(thread, 5);
  thread.stop();
  const auto after = now_ns();
  const std::size_t rows = thread.rows().waiting();
  CHECK(rows >= 6);
  CHECK(thread.summary().ticks == rows);
  CHECK(thread.summary().jitter_ns.count() == rows);
  CHECK(thread.summary().cpu_ns > 0);
  std::int64_t last = before;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto& row = thread.rows().at(i);
    CHECK(row.start_ns >= last);
    last = row.start_ns + row.cost_ns;
    CHECK(row.values[0] >= 0);
  }
  CHECK(last <= after);
}

TEST_CASE("a full ring loses nothing that it holds, says that it fills, and counts what it missed") {
  Sampler sampler(only("ranks"));  // no channels, so the ring has its greatest length
  std::promise<void> filling;
  SamplerThread thread(sampler, {100'000, [&] { filling.set_value(); }});
  filling.get_future().wait();
  wait_for_rows(thread, thread.rows().capacity());
  const auto first = thread.rows().at(0).start_ns;
  wait_for_rows(thread, thread.rows().capacity());
  CHECK(thread.rows().at(0).start_ns == first);
  thread.stop();
  CHECK(thread.summary().missed_ticks > 0);  // at least the last reading found the ring full
  CHECK(thread.summary().ticks == thread.rows().capacity());
}

TEST_CASE("slow sources sit out ticks and are whole at the first and the last one") {
  Sampler sampler(only("memory", 1'000'000));
  const std::uint32_t every = sampler.channels().at(0).every_ticks;
  REQUIRE(every > 1);
  SamplerThread thread(sampler, {1'000'000, nullptr});
  wait_for_rows(thread, 2 * every);
  thread.stop();
  const auto& rows = thread.rows();
  const auto read_at = [&](std::size_t i) { return !std::isnan(rows.at(i).values[0]); };
  CHECK(read_at(0));
  CHECK_FALSE(read_at(1));
  CHECK(read_at(every));
  CHECK(read_at(rows.waiting() - 1));
}

TEST_CASE("a rank's CPU time goes on growing when its process ends and another one takes its place") {
  auto slots = std::make_shared<RankSlots>(std::vector<int>{4, 5}, "/proc");
  double values[4];
  slots->read(values);
  CHECK(std::isnan(values[0]));
  slots->add(5, getpid());
  slots->add(7, getpid());  // this rank has no slot
  slots->read(values);
  CHECK(std::isnan(values[0]));
  const double first = values[2];
  CHECK(first > 0);
  CHECK(values[3] > 100'000);
  slots->remove(getpid());
  slots->read(values);
  CHECK(std::isnan(values[2]));
  slots->add(5, getpid());
  slots->read(values);
  CHECK(values[2] >= 2 * first);
}

TEST_CASE("statm: the second field in pages") {
  CHECK(resident_bytes("9001 512 300 10 0 700 0\n", 4096) == 512 * 4096);
  CHECK(std::isnan(resident_bytes("9001 512", 4096)));
  CHECK(std::isnan(resident_bytes("9001\n", 4096)));
}
