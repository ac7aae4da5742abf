// Cost of plugin calls for the calling thread. These tests only report.
#include <algorithm>
#include <cstdio>

#include "core/clock.h"
#include "emulated/conformance/plugin/bench.h"

namespace collbench::conformance::net {
namespace {

class Times {
 public:
  template <typename Call>
  auto take(Call call) {
    const std::int64_t begin = now_ns();
    const auto result = call();
    all_.push_back(now_ns() - begin);
    return result;
  }
  void add(std::int64_t ns) { all_.push_back(ns); }
  [[nodiscard]] double median() {
    std::sort(all_.begin(), all_.end());
    return all_.empty() ? 0 : static_cast<double>(all_[all_.size() / 2]);
  }
  /// Returns the median with up to three significant digits: "244 ns", "4.75 µs", "1.23 ms".
  [[nodiscard]] std::string text() {
    char text[32];
    double value = median();
    const char* unit = " ns";
    for (const char* larger : {" µs", " ms", " s"}) {
      if (value < 1000) break;
      value /= 1000;
      unit = larger;
    }
    const int digits = value >= 100 || unit[1] == 'n' ? 0 : value >= 10 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
    return text;
  }

 private:
  std::vector<std::int64_t> all_;
};

constexpr int kFewest = 10;

/// Measures the time per message and notes it in the result. One message is in flight at a time; one thread
/// drives both ends. `per_call` true: the result also has the times of isend, irecv and test; false: the data
/// rate.
void message(PluginBench& bench, std::size_t bytes, int repeats, bool per_call) {
  const CommPair pair = bench.connect();
  const std::size_t longest = bench.device().max_message_bytes;
  const std::string which = bytes <= longest
                                ? "whole message "
                                : "whole message of " + std::to_string(longest) + " B (maxP2pBytes) ";
  bytes = std::min(bytes, longest);
  std::vector<char> from(bytes), to(bytes);
  auto& net = bench.net();
  void* source = net.register_memory(pair.out, from.data(), bytes, MemoryKind::kHost);
  void* target = net.register_memory(pair.in, to.data(), bytes, MemoryKind::kHost);
  Times sending, receiving, testing, whole;
  const std::int64_t first = now_ns();
  for (int i = 0; i < repeats; ++i) {
    const std::int64_t begin = now_ns();
    if (i >= kFewest && begin - first > kSlowTestNs) {
      repeats = i;
      break;
    }
    void* data = to.data();
    std::size_t room = bytes;
    int tag = 0, size = 0;
    void* in = nullptr;
    void* out = nullptr;
    bool is_posted = false;
    bench.until("irecv takes a buffer and isend a message", [&] {
      if (!is_posted) {
        in = receiving.take([&] { return net.irecv(pair.in, 1, &data, &room, &tag, &target); });
        if ((is_posted = in != nullptr))
          testing.take([&] { return net.test(in, &size) ? (in = nullptr, 1) : 0; });
      }
      if (out == nullptr)
        out = sending.take([&] { return net.isend(pair.out, from.data(), bytes, 0, source); });
      return is_posted && out != nullptr;
    });
    bench.until("isend and irecv are done", [&] {
      if (out != nullptr && net.test(out, &size)) out = nullptr;
      if (in != nullptr && net.test(in, &size)) in = nullptr;
      return out == nullptr && in == nullptr;
    });
    whole.add(now_ns() - begin);
  }
  net.deregister_memory(pair.out, source);
  net.deregister_memory(pair.in, target);
  bench.close(pair);
  if (per_call) {
    note("isend " + sending.text() + ", irecv " + receiving.text() + ", test of a pending request " +
         testing.text() + ", " + which + whole.text() + " (medians of " + std::to_string(repeats) + ")");
  } else {
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.2f GB/s", static_cast<double>(bytes) / whole.median());
    note(which + whole.text() + ", " + rate + " (median of " + std::to_string(repeats) + ")");
  }
}

void small(PluginBench& bench) { message(bench, 8, 2000, true); }
void large(PluginBench& bench) { message(bench, std::size_t{1} << 20, 100, false); }

void registration(PluginBench& bench) {
  const CommPair pair = bench.connect();
  std::vector<char> memory(std::size_t{1} << 20);
  Times in, out;
  for (int i = 0; i < 100; ++i) {
    void* region = in.take([&] {
      return bench.net().register_memory(pair.out, memory.data(), memory.size(), MemoryKind::kHost);
    });
    out.take([&] { return bench.net().deregister_memory(pair.out, region), 0; });
  }
  bench.close(pair);
  note("regMr " + in.text() + ", deregMr " + out.text() + " (medians of 100)");
}

constexpr Test<PluginBench> kCost[] = {
    {"a message of 8 B", small}, {"a message of 1 MiB", large}, {"registering 1 MiB", registration}};

}  // namespace

const std::span<const Test<PluginBench>> cost_tests = kCost;

}  // namespace collbench::conformance::net
