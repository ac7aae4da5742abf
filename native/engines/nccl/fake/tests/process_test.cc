// Tests of ranks as processes: the same results, lost peers, and what NCCL_DEBUG writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "engines/nccl/fake/tests/processes.h"

using namespace fake_test;

namespace {

/// Returns whether a line has the pieces of `pattern` in order; "*" stands for anything.
bool fits(std::string_view line, std::string_view pattern) {
  while (!pattern.empty()) {
    const std::size_t length = std::min(pattern.find('*'), pattern.size());
    const std::size_t found = line.find(pattern.substr(0, length));
    if (found == std::string_view::npos) return false;
    line.remove_prefix(found + length);
    pattern.remove_prefix(std::min(length + 1, pattern.size()));
  }
  return true;
}
/// Returns whether a line of a log fits; "$" stands for the end of a line.
bool has(const std::string& text, std::string_view pattern) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (fits(line + "$", pattern)) return true;
  return false;
}

const std::map<std::string, std::string> kLog = {{"NCCL_DEBUG", "INFO"},
                                                 {"NCCL_DEBUG_SUBSYS", "INIT,NET,TUNING,COLL"}};
std::map<std::string, std::string> with(std::map<std::string, std::string> variables) {
  variables.insert(kLog.begin(), kLog.end());
  return variables;
}

}  // namespace

TEST_CASE("ranks in processes get the same sums") {
  for (const ProcessExit& rank : run_processes("sum", 4)) CHECK(rank.code == 0);
}

TEST_CASE("a process that dies is an error on the others, whose streams come free when they abort") {
  for (const int victim : {0, 1, 2}) {
    const auto ranks =
        run_processes("survivor", 3, {{"NCCL_FAKE_FAULT", "die:" + std::to_string(victim) + ":4"}});
    for (int rank = 0; rank < 3; ++rank)
      CHECK(ranks[static_cast<std::size_t>(rank)].code == (rank == victim ? 128 + 9 : 0));
  }
}

TEST_CASE("an error that NCCL finds by itself leaves the stream busy until an abort") {
  for (const ProcessExit& rank : run_processes("survivor", 2, {{"NCCL_FAKE_FAULT", "async-error:3"}}))
    CHECK(rank.code == 0);
}

TEST_CASE("the log says what NCCL's says") {
  const auto ranks = run_processes("log", 2, kLog);
  for (const ProcessExit& rank : ranks) {
    CHECK(rank.code == 0);
    CHECK(has(rank.out, ":*:* [0] NCCL INFO NCCL version 2.28.9+cuda13.0 (fake"));
    CHECK(has(rank.out, "NCCL INFO Using network Socket$"));
    CHECK(has(rank.out, "Init COMPLETE$"));
    CHECK(has(rank.out, "Init timings - ncclCommInitRankConfig: rank * nranks 2 total *.* ("));
    CHECK(has(rank.out, "NCCL INFO AllReduce: opCount 0 sendbuff 0x* recvbuff 0x* count 2 datatype 2 op 0 "));
  }
  CHECK(has(ranks[0].out, "[0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM$"));
  CHECK(has(ranks[1].out, "[1] NCCL INFO Channel 00/1 : 1[1] -> 0[0] via P2P/CUMEM$"));
  CHECK(has(ranks[0].out, "AllReduce: 8 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}"));
  CHECK_FALSE(has(ranks[1].out, "-> Algo"));
}

TEST_CASE("ways between ranks follow the environment") {
  const std::map<std::string, std::string> no_p2p = {{"NCCL_P2P_DISABLE", "1"}};
  CHECK(has(run_processes("log", 2, with(no_p2p))[0].out, "Channel 00 : 0[0] -> 1[1] via SHM/direct"));
  const char* by_net = "Channel 01/0 : 0[0] -> 1[1] [send] via NET/Socket/0$";
  const auto no_shm = run_processes("log", 2, with({{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}}));
  CHECK(has(no_shm[0].out, by_net));
  CHECK(has(no_shm[1].out, "Channel 01/0 : 0[0] -> 1[1] [receive] via NET/Socket/0$"));
  const auto hosts = run_processes("log", 2, kLog, {{{"NCCL_HOSTID", "a"}}, {{"NCCL_HOSTID", "b"}}});
  CHECK(has(hosts[0].out, by_net));
  CHECK(has(hosts[0].out, "nNodes 2 localRanks 1 localRank 0"));
}

TEST_CASE("algorithm and protocol follow the environment") {
  const auto tree =
      run_processes("log", 2, with({{"NCCL_ALGO", "allreduce:tree"}, {"NCCL_PROTO", "^LL,LL128"}}));
  CHECK(has(tree[0].out, "AllReduce: 8 Bytes -> Algo TREE proto SIMPLE "));
}

TEST_CASE("a net plugin is opened, named and used; a fault lets it fall back") {
  const std::map<std::string, std::string> plugin = {{"NCCL_NET_PLUGIN", FAKE_PLUGIN}, {"NCCL_NET", "fake"}};
  const auto used = run_processes("log", 2, with(plugin));
  CHECK(has(used[0].out, "NET/Plugin: Loaded net plugin FAKE (v9)"));
  CHECK(has(used[0].out, "Using network FAKE$"));
  auto faulty = plugin;
  faulty["NCCL_FAKE_FAULT"] = "fallback";
  const auto fallen = run_processes("log", 2, with(faulty));
  CHECK(fallen[0].code == 0);
  CHECK(has(fallen[0].out, "Using network Socket$"));
}

TEST_CASE("warnings only, where only they are asked for") {
  const auto ranks = run_processes("sum", 1, {{"NCCL_DEBUG", "WARN"}, {"NCCL_NET", "none such"}});
  CHECK(ranks[0].code == 105);
  CHECK(has(ranks[0].out, "NCCL WARN Failed to initialize any NET plugin"));
  CHECK_FALSE(has(ranks[0].out, "NCCL INFO"));
}

TEST_CASE("a driver that is too old is refused") {
  CHECK(run_processes("sum", 1, {{"CUDA_FAKE_DRIVER", "11080"}})[0].code == 101);
}
