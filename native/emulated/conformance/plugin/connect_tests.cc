// Setting up and closing connections.
#include <algorithm>

#include "core/clock.h"
#include "emulated/conformance/plugin/bench.h"

namespace collbench::conformance::net {
namespace {

void waits_for_nobody(PluginBench& bench) {
  ConnectHandle handle{};
  void* listener = bench.listen(handle);
  expect(bench.net().accept(listener) == nullptr, "accept without a peer: no comm yet", "a comm");
  bench.net().close_listen(listener);
}

void connect_first(PluginBench& bench) { bench.close(bench.connect()); }

void several(PluginBench& bench) {
  std::vector<CommPair> pairs;
  const int comms = bench.device().max_comms;
  const int count = comms > 0 ? std::min(4, comms) : 4;
  for (int i = 0; i < count; ++i) pairs.push_back(bench.connect());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto data = pattern(1000, static_cast<unsigned>(i));
    expect(bench.transfer(pairs[i], data, data.size()).data == data,
           "data of connection " + std::to_string(i), "others");
  }
  for (const CommPair& pair : pairs) bench.close(pair);
}

void handles(PluginBench& bench) {
  ConnectHandle first{}, second{};
  void* one = bench.listen(first);
  void* other = bench.listen(second);
  expect(first != second, "different handles of two listeners", "the same handle");
  bench.net().close_listen(one);
  bench.net().close_listen(other);
}

void complains_not(const char* what) {
  const auto close_failures = PluginBench::close_failures();
  expect(close_failures.empty(), what, close_failures.empty() ? "" : close_failures.front());
}

void all_succeed(PluginBench& bench) {
  const CommPair pair = bench.connect();
  const auto data = pattern(4096, 1);
  bench.transfer(pair, data, data.size());
  bench.close(pair);
  complains_not("deregMr, closeSend, closeRecv and closeListen succeed");
}

void unused(PluginBench& bench) {
  ConnectHandle handle{};
  bench.net().close_listen(bench.listen(handle));
  complains_not("closeListen succeeds");
}

void receiver_first(PluginBench& bench) {
  const CommPair pair = bench.connect();
  bench.net().close_recv(pair.in);
  bench.net().close_send(pair.out);
  complains_not("closeSend after closeRecv succeeds");
}

void reopened(PluginBench& bench) {
  constexpr unsigned kAll = 20;
  const std::int64_t enough = now_ns() + kSlowTestNs;
  for (unsigned i = 0; i < kAll; ++i) {
    if (now_ns() > enough) {
      note("slow: " + std::to_string(i) + " connections in 4 s, the rest is left out");
      break;
    }
    const CommPair pair = bench.connect();
    const auto data = pattern(64, i);
    expect(bench.transfer(pair, data, data.size()).data == data, "data of the next connection", "others");
    bench.close(pair);
  }
  complains_not("connections one after another can be closed");
}

constexpr Test<PluginBench> kConnect[] = {{"accept does not wait for a peer", waits_for_nobody},
                                          {"connects where connect is called before accept", connect_first},
                                          {"keeps several connections apart", several},
                                          {"gives each listener a handle of its own", handles}};
constexpr Test<PluginBench> kClose[] = {{"ends a connection that was used", all_succeed},
                                        {"ends a listener that nobody used", unused},
                                        {"ends the receiver before the sender", receiver_first},
                                        {"connects again after closing, 20 times", reopened}};

}  // namespace

const std::span<const Test<PluginBench>> connect_tests = kConnect, close_tests = kClose;

}  // namespace collbench::conformance::net
