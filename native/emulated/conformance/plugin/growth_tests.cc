// Memory and descriptors that a plugin keeps after messages and connections end; training runs for weeks.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>

#include "core/clock.h"
#include "emulated/conformance/plugin/bench.h"

namespace collbench::conformance::net {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;  // most of the memory is the sanitizer's
#else
constexpr bool kCountsMemory = true;
#endif

/// Memory in bytes, open file descriptors and threads that this process has now.
struct HeldResources {
  long bytes = 0, descriptors = 0, threads = 0;
};

long entries(const char* folder) {
  const auto all = std::filesystem::directory_iterator(folder);
  return static_cast<long>(std::distance(begin(all), end(all)));
}

HeldResources held() {
  long pages = 0, resident = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  const bool is_told = file != nullptr && std::fscanf(file, "%ld %ld", &pages, &resident) == 2;
  if (file != nullptr) std::fclose(file);
  if (!is_told) throw TestSkipped{"/proc/self/statm cannot be read"};
  return {resident * sysconf(_SC_PAGESIZE), entries("/proc/self/fd"), entries("/proc/self/task")};
}

constexpr std::int64_t kBatchNs = 800'000'000;
constexpr int kMinRepeats = 5;
constexpr int kBatches = 3;

struct Growth {
  HeldResources
      least;   // smallest growth of a batch: one-time growth is a cache, growth in every batch is a leak
  long times;  // repetitions per batch
};

/// Measures how the process's resources grow when an action is repeated. First repeats it up to `most` times,
/// fewer for a slow plugin, which also fills caches. Then performs kBatches batches of as many repetitions.
/// @returns the smallest growth of a batch
/// @throws TestSkipped if even a few repetitions take too long
template <typename Once>
Growth grow(long most, Once once) {
  long times = 0;
  for (const std::int64_t begin = now_ns(); times < most; ++times) {
    const std::int64_t took = now_ns() - begin;
    if (times >= kMinRepeats && took > kBatchNs) break;
    if (took > 2 * kBatchNs)
      throw TestSkipped{"slow: " + std::to_string(times) + " of them took " +
                        std::to_string(took / 1'000'000) + " ms"};
    once();
  }
  constexpr long kMost = std::numeric_limits<long>::max();
  Growth growth{{kMost, kMost, kMost}, times};
  for (int batch = 0; batch < kBatches; ++batch) {
    const HeldResources before = held();
    for (long i = 0; i < times; ++i) once();
    const HeldResources after = held();
    HeldResources& least = growth.least;
    least.bytes = std::min(least.bytes, after.bytes - before.bytes);
    least.descriptors = std::min(least.descriptors, after.descriptors - before.descriptors);
    least.threads = std::min(least.threads, after.threads - before.threads);
  }
  return growth;
}

/// Checks that resources did not grow.
/// @param what name of the action, for the message
/// @param bytes_each bytes of growth per repetition that are tolerated; 64 KiB in all are always tolerated
/// @throws TestFailure if memory grows by more, or descriptors or threads by a quarter of the repetitions
void expect_bounded(const Growth& growth, const std::string& what, long bytes_each) {
  const auto& [least, times] = growth;
  const std::string each =
      " in each of " + std::to_string(kBatches) + " times " + std::to_string(times) + " " + what;
  const std::string wanted = "as much as before, once caches are full";
  const long overlooked = std::max<long>(64 << 10, times * bytes_each);
  expect(!kCountsMemory || least.bytes < overlooked, wanted,
         "at least " + std::to_string(least.bytes >> 10) + " KiB of memory more" + each);
  const long some = std::max<long>(1, times / 4);
  expect(least.descriptors < some, wanted,
         "at least " + std::to_string(least.descriptors) + " file descriptors more" + each);
  expect(least.threads < some, wanted, "at least " + std::to_string(least.threads) + " threads more" + each);
}

void of_messages(PluginBench& bench) {
  const CommPair pair = bench.connect();
  const auto data = pattern(8, 1);
  const Growth growth = grow(4000, [&] { bench.transfer(pair, data, data.size()); });
  bench.close(pair);
  expect_bounded(growth, "messages with their registrations", 16);
}

void of_connections(PluginBench& bench) {
  const auto data = pattern(8, 1);
  const Growth growth = grow(40, [&] {
    const CommPair pair = bench.connect();
    bench.transfer(pair, data, data.size());
    bench.close(pair);
  });
  expect_bounded(growth, "connections", 1024);
}

constexpr Test<PluginBench> kGrowth[] = {
    {"keeps nothing of messages that are done", of_messages},
    {"keeps nothing of connections that are closed: memory, file descriptors, threads", of_connections}};

}  // namespace

const std::span<const Test<PluginBench>> growth_tests = kGrowth;

}  // namespace collbench::conformance::net
