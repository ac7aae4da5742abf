// Messages: sizes, order, requests in flight.
#include <algorithm>
#include <deque>

#include "core/clock.h"
#include "emulated/conformance/plugin/bench.h"

namespace collbench::conformance::net {
namespace {

std::size_t within(PluginBench& bench, std::size_t bytes) {
  return std::min(bytes, bench.device().max_message_bytes);
}

void sizes(PluginBench& bench) {
  const CommPair pair = bench.connect();
  for (const std::size_t bytes : {1UL, 7UL, 8UL, 4096UL, 65537UL, 1UL << 20, (3UL << 20) + 1}) {
    const auto data = pattern(within(bench, bytes), static_cast<unsigned>(bytes));
    bench.transfer(pair, data, data.size());
  }
  bench.close(pair);
}

/// Test: when the receive request is done, all data is in the buffer. The message is larger than socket
/// buffers, so that the data cannot be there by chance when the plugin first reports success.
void whole(PluginBench& bench) {
  const CommPair pair = bench.connect();
  const auto data = pattern(within(bench, 32UL << 20), 1);
  bench.transfer(pair, data, data.size());
  bench.close(pair);
}

void empty(PluginBench& bench) {
  const CommPair pair = bench.connect();
  bench.transfer(pair, {}, 0);
  bench.transfer(pair, pattern(8, 1), 8);  // the message after it
  bench.close(pair);
}

void shorter(PluginBench& bench) {
  const CommPair pair = bench.connect();
  const auto data = pattern(100, 1);
  const auto arrived = bench.transfer(pair, data, 1000);
  expect(
      std::all_of(arrived.data.begin() + 100, arrived.data.end(), [](char byte) { return byte == '\x5a'; }),
      "memory behind the message untouched", "written");
  bench.close(pair);
}

void told(PluginBench& bench) {
  const CommPair pair = bench.connect();
  const auto arrived = bench.transfer(pair, pattern(100, 1), 100);
  if (arrived.size == 0) throw TestSkipped{"test never writes a size, which NCCL does not need"};
  expect_equal("size written by test", 100, arrived.size);
  bench.close(pair);
}

/// Sends `count` messages of `bytes` each, at most `window` of them in flight, and compares the data. Stops
/// early for a slow plugin.
void stream(PluginBench& bench, unsigned count, std::size_t window, std::size_t bytes) {
  const CommPair pair = bench.connect();
  std::vector<char> sent(window * bytes), received(window * bytes);
  auto& net = bench.net();
  void* source = net.register_memory(pair.out, sent.data(), sent.size(), MemoryKind::kHost);
  void* target = net.register_memory(pair.in, received.data(), received.size(), MemoryKind::kHost);
  std::deque<void*> outs, ins;
  unsigned next_out = 0, next_in = 0, done_out = 0, done_in = 0;
  const unsigned all = count;
  const std::int64_t enough = now_ns() + kSlowTestNs;
  bench.until("all messages arrive", [&] {
    if (now_ns() > enough) count = next_in;
    if (next_in < count && ins.size() < window) {
      void* data = received.data() + next_in % window * bytes;
      std::size_t room = bytes;
      int tag = 0;
      if (void* request = net.irecv(pair.in, 1, &data, &room, &tag, &target); request != nullptr)
        ins.push_back(request), ++next_in;
    }
    // The slot is free only after the receiver has checked its data.
    if (next_out < count && outs.size() < window && next_out < done_in + window) {
      char* data = sent.data() + next_out % window * bytes;
      const auto fresh = pattern(bytes, next_out);
      std::copy(fresh.begin(), fresh.end(), data);
      if (void* request = net.isend(pair.out, data, bytes, 0, source); request != nullptr)
        outs.push_back(request), ++next_out;
    }
    int size = 0;
    if (!outs.empty() && net.test(outs.front(), &size)) outs.pop_front(), ++done_out;
    if (!ins.empty() && net.test(ins.front(), &size)) {
      ins.pop_front();
      const char* data = received.data() + done_in % window * bytes;
      const auto wanted = pattern(bytes, done_in);
      expect(std::equal(wanted.begin(), wanted.end(), data),
             "message " + std::to_string(done_in) + " in its place", "other data");
      ++done_in;
    }
    return done_out == count && done_in == count;
  });
  net.deregister_memory(pair.out, source);
  net.deregister_memory(pair.in, target);
  bench.close(pair);
  if (count < all) note("slow: " + std::to_string(count) + " messages in 4 s, the rest is left out");
}

void in_flight(PluginBench& bench) { stream(bench, 200, 8, 1000); }
void many(PluginBench& bench) { stream(bench, 5000, 4, 64); }

constexpr Test<PluginBench> kData[] = {
    {"moves messages of 1 B to 3 MiB", sizes},   {"says done only when a message of 32 MiB is", whole},
    {"completes an empty message", empty},       {"takes a message that is shorter than its buffer", shorter},
    {"writes the size of what arrived", told},   {"keeps the order of 8 messages in flight", in_flight},
    {"frees its requests: 5,000 messages", many}};

}  // namespace

const std::span<const Test<PluginBench>> data_tests = kData;

}  // namespace collbench::conformance::net
