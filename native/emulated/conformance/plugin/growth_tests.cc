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
/// Maximum number of batches. A leak grows in every one; memory that other threads of the plugin free late,
/// as on a busy machine, does not.
constexpr int kBatches = 8;

struct Growth {
  HeldResources
      least;   // smallest growth of a batch: one-time growth is a cache, growth in every batch is a leak
  long times;  // repetitions per batch
};

/// Returns the limits below which the growth of a batch is no leak: 64 KiB of memory, or `bytes_each` per
/// repetition if that is more; one descriptor and one thread for every four repetitions.
HeldResources tolerated(long times, long bytes_each) {
  const long some = std::max<long>(1, times / 4);
  return {std::max<long>(64 << 10, times * bytes_each), some, some};
}

/// Measures how the process's resources grow when an action is repeated. First repeats it up to `most` times,
/// fewer for a slow plugin; that also fills caches. Then performs batches of as many repetitions, until every
/// resource has grown less than tolerated() in one of them, or kBatches are done.
/// @param bytes_each bytes of memory per repetition that are tolerated
/// @returns the smallest growth of a batch, of each resource by itself
/// @throws TestSkipped if even a few repetitions take too long
template <typename Once>
Growth grow(long most, long bytes_each, Once once) {
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
  HeldResources& least = growth.least;
  const HeldResources limit = tolerated(times, bytes_each);
  for (int batch = 0; batch < kBatches; ++batch) {
    const HeldResources before = held();
    for (long i = 0; i < times; ++i) once();
    const HeldResources after = held();
    least.bytes = std::min(least.bytes, after.bytes - before.bytes);
    least.descriptors = std::min(least.descriptors, after.descriptors - before.descriptors);
    least.threads = std::min(least.threads, after.threads - before.threads);
    const bool is_bounded = !kCountsMemory || least.bytes < limit.bytes;
    if (is_bounded && least.descriptors < limit.descriptors && least.threads < limit.threads) break;
  }
  return growth;
}

/// Checks that resources did not grow.
/// @param what name of the action, for the message
/// @param bytes_each as for grow()
/// @throws TestFailure if a resource grew by tolerated() or more in every batch
void expect_bounded(const Growth& growth, const std::string& what, long bytes_each) {
  const auto& [least, times] = growth;
  const std::string each =
      " in each of " + std::to_string(kBatches) + " times " + std::to_string(times) + " " + what;
  const std::string wanted = "as much as before, once caches are full";
  const HeldResources limit = tolerated(times, bytes_each);
  expect(!kCountsMemory || least.bytes < limit.bytes, wanted,
         "at least " + std::to_string(least.bytes >> 10) + " KiB of memory more" + each);
  expect(least.descriptors < limit.descriptors, wanted,
         "at least " + std::to_string(least.descriptors) + " file descriptors more" + each);
  expect(least.threads < limit.threads, wanted,
         "at least " + std::to_string(least.threads) + " threads more" + each);
}

/// Bytes that one message, and one connection, may leave behind.
constexpr long kMessageBytes = 16, kConnectionBytes = 1024;

void of_messages(PluginBench& bench) {
  const CommPair pair = bench.connect();
  const auto data = pattern(8, 1);
  const Growth growth = grow(4000, kMessageBytes, [&] { bench.transfer(pair, data, data.size()); });
  bench.close(pair);
  expect_bounded(growth, "messages with their registrations", kMessageBytes);
}

void of_connections(PluginBench& bench) {
  const auto data = pattern(8, 1);
  const Growth growth = grow(40, kConnectionBytes, [&] {
    const CommPair pair = bench.connect();
    bench.transfer(pair, data, data.size());
    bench.close(pair);
  });
  expect_bounded(growth, "connections", kConnectionBytes);
}

constexpr Test<PluginBench> kGrowth[] = {
    {"keeps nothing of messages that are done", of_messages},
    {"keeps nothing of connections that are closed: memory, file descriptors, threads", of_connections}};

}  // namespace

const std::span<const Test<PluginBench>> growth_tests = kGrowth;

}  // namespace collbench::conformance::net
