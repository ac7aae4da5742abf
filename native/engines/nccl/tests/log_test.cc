// Log lines of several NCCL releases. Files in recorded/ were printed on GPUs. Lines here and in made/ have
// the formats of the releases they name, with invented numbers.
#include "engines/nccl/log.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "core/clock.h"
#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;
using nlohmann::json;

namespace {

LogFindings findings_of(const std::vector<std::string>& lines) {
  LogFindings findings;
  for (const auto& line : lines) take_line(line, findings);
  return findings;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(std::string(COLLBENCH_NCCL_LOGS) + "/" + file);
  REQUIRE(in.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns expected-logs.json, which also tests the log reader of `collbench topo`.
json expected_logs() {
  std::ifstream in(std::string(COLLBENCH_NCCL_LOGS) + "/expected-logs.json");
  return json::parse(in);
}

LogFindings recorded(const std::string& name) { return findings_of(lines_of("recorded/" + name)); }

std::string information(const std::string& text) { return "node7:1289:1334 [0] NCCL INFO " + text; }

/// Returns the path in one connection line.
std::string way(const std::string& text) {
  const auto findings = findings_of({information(text)});
  return findings.paths.size() == 1 ? findings.paths.begin()->first : "";
}

std::string choice(const std::string& text) {
  const auto findings = findings_of({information(text)});
  return findings.algorithm + "|" + findings.protocol + "|" + findings.channels;
}

using Paths = std::map<std::string, std::uint64_t>;

double fuzz_seconds() {
  const char* text = std::getenv("COLLBENCH_FUZZ_SECONDS");
  return text == nullptr ? 1 : std::max(std::atof(text), 0.1);
}

}  // namespace

TEST_CASE("logs of NCCL 2.8 to 2.30: network, plugin and its version, ways, and the last choice") {
  const json expected = expected_logs();
  for (const auto& [file, wanted] : expected.items()) {
    CAPTURE(file);
    const auto findings = findings_of(lines_of(file));
    CHECK(findings.network == wanted["network"].get<std::string>());
    CHECK(findings.plugin == wanted["plugin"].get<std::string>());
    CHECK(findings.paths == wanted["paths"].get<Paths>());
    CHECK(findings.algorithm + " " + findings.protocol + " " + findings.channels ==
          wanted["last"].get<std::string>());
  }
}

// COLLBENCH_FUZZ_SECONDS=600 makes the test longer.
TEST_CASE("a line that lost its end or gained garbage never names a way that its log does not have") {
  std::vector<std::string> lines;
  Paths ways;
  const json expected = expected_logs();
  for (const auto& [file, wanted] : expected.items()) {
    for (auto& line : lines_of(file)) lines.push_back(std::move(line));
    ways.merge(wanted["paths"].get<Paths>());
  }
  std::mt19937_64 random(20261121);
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(fuzz_seconds() * 1e9);
  std::uint64_t rounds = 0;
  for (; now_ns() < until; ++rounds) {
    std::string line = lines[random() % lines.size()];
    const auto at = random() % (line.size() + 1);
    const bool cut = random() % 2 == 0;
    if (cut)
      line.resize(at);
    else
      for (std::size_t n = 1 + random() % 6; n > 0; --n) line.insert(at, 1, static_cast<char>(random()));
    LogFindings findings;
    take_line(line, findings);
    CAPTURE(line);
    REQUIRE(findings.paths.size() <= 1);
    // A truncated line may name a shorter path (NET/IB of NET/IB/GDRDMA), but never a different one.
    for (const auto& [way, count] : findings.paths) {
      REQUIRE(count == 1);
      REQUIRE(!way.empty());
      const auto same_start = [&](const auto& one) { return one.first.starts_with(way); };
      if (cut) REQUIRE(std::any_of(ways.begin(), ways.end(), same_start));
    }
  }
  MESSAGE(rounds, " damaged lines");
}

TEST_CASE("NCCL 2.28.9 over our plugin, as recorded: four connections, all through SISCI") {
  const auto findings = recorded("nccl-2.28.9-sisci-rank0.txt");
  CHECK(findings.network == "SISCI");
  CHECK(findings.plugin == "SISCI v11");
  CHECK(findings.paths == Paths{{"NET/SISCI", 4}});
  CHECK(findings.init_s == doctest::Approx(0.26));
  CHECK(findings.warnings.empty());
  CHECK(findings.algorithm.empty());
}

TEST_CASE("NCCL 2.28.9 over its sockets, as recorded") {
  const auto findings = recorded("nccl-2.28.9-socket-rank0.txt");
  CHECK(findings.network == "Socket");
  CHECK(findings.paths == Paths{{"NET/Socket", 4}});
  CHECK(findings.init_s == doctest::Approx(0.30));
}

TEST_CASE("connections lose device numbers and kinds of buffer, and keep what carries them") {
  CHECK(way("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM") == "P2P/CUMEM");
  CHECK(way("Channel 03/1 : 0[0] -> 1[1] via P2P/CUMEM/read") == "P2P/CUMEM");
  CHECK(way("Channel 00/0 : 0[0] -> 1[1] via P2P/IPC/read") == "P2P/IPC");
  CHECK(way("Channel 00/0 : 0[0] -> 1[1] via P2P/direct pointer") == "P2P/direct pointer");
  CHECK(way("Channel 00/0 : 0[0] -> 3[3] via P2P/indirect/2[2]") == "P2P/indirect");
  CHECK(way("Channel 01 : 0[0] -> 1[1] via SHM/direct/direct") == "SHM/direct");
  CHECK(way("Channel 00 : 0[0] -> 1[1] via SHM/direct") == "SHM/direct");
  CHECK(way("Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0/GDRDMA") == "NET/IB/GDRDMA");
  CHECK(way("Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/3/GDRDMA(PCI)/Shared") == "NET/IB/GDRDMA");
  CHECK(way("Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/1(2)/GDRDMA") == "NET/IB/GDRDMA");
  CHECK(way("Channel 00/1 : 0[0] -> 1[0] [send] via NET/AWS Libfabric/0/Shared") == "NET/AWS Libfabric");
  CHECK(way("CollNet 00/0 : 0 [send] via COLLNET/SHARP/0/GDRDMA") == "COLLNET/SHARP");
}

TEST_CASE("NCCL 2.13 wrote bus ids in brackets") {
  CHECK(way("Channel 00/0 : 0[1b000] -> 1[1c000] [send] via NET/Socket/0") == "NET/Socket");
  CHECK(way("Channel 00/0 : 0[1b000] -> 1[1c000] via P2P/IPC") == "P2P/IPC");
}

TEST_CASE("rings, trees and multicast support are no connections; multicast buffers are") {
  CHECK(findings_of({information("Channel 00/02 : 0 1"), information("Ring 00 : 1 -> 0 -> 1"),
                     information("Trees [0] 1/-1/-1->0->-1"),
                     information("NVLS multicast support is available on dev 0")})
            .paths.empty());
  CHECK(way("NVLS comm 0x55a2 headRank 0 nHeads 8 nvlsRanks 8 buffSize 1048576") == "NVLS");
}

TEST_CASE("the plugin that was loaded has its name, blanks included, and the version of its interface") {
  const auto plugin = [](const std::string& text) { return findings_of({information(text)}).plugin; };
  CHECK(plugin("NET/Plugin: Loaded net plugin AWS Libfabric (v10)") == "AWS Libfabric v10");
  CHECK(plugin("NET/Plugin : Loaded net plugin NCCL RDMA Plugin (v4)") == "NCCL RDMA Plugin v4");
  CHECK(plugin("NET/Plugin: Loaded net plugin x (y) (v9)") == "x (y) v9");
  CHECK(plugin("NET/Plugin: Loaded net plugin SISCI").empty());
  CHECK(plugin("NET/Plugin: Loaded net plugin SISCI (vx)").empty());
  CHECK(plugin("NET/Plugin: Loaded coll plugin SHARP (v10)").empty());
  CHECK(plugin("TUNER/Plugin: Loaded net plugin x (v3)").empty());
}

TEST_CASE("who serves GIN is told apart: the GPU itself or a proxy thread") {
  CHECK(way("GIN/Plugin: Assigned plugin GIN_IB_GDAKI type 3 to comm") == "GIN/GDAKI");
  CHECK(way("GIN/Plugin: Assigned plugin RMA type 2 to comm") == "GIN/PROXY");
}

TEST_CASE("the choice of 2.24 and newer: names and channels") {
  CHECK(choice("AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..15}") == "Ring|LL|0..15");
  CHECK(choice("AllReduce: 8 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..23}") ==
        "NVLSTree|Simple|0..23");
  CHECK(choice("AllGather: 8 Bytes -> Algo COLLNET_DIRECT proto SIMPLE channel{Lo..Hi}={2..3}") ==
        "CollNetDirect|Simple|2..3");
  CHECK(choice("AllReduce: 8 Bytes -> Algo Tree proto LL128 channel{Lo..Hi}={0..0}") == "Tree|LL128|0..0");
  CHECK(choice("AllReduce: 8 Bytes -> Algo NEXT proto LL channel{Lo..Hi}={0..0}") == "NEXT|LL|0..0");
}

TEST_CASE("the choice of 2.20 to 2.23: numbers") {
  CHECK(choice("AllReduce: 1024 Bytes -> Algo 1 proto 0 time 12.400000") == "Ring|LL|");
  CHECK(choice("1024 Bytes -> Algo 0 proto 2 time 9.100000") == "Tree|Simple|");
  CHECK(choice("1024 Bytes -> Algo 5 proto 2 time 9.100000") == "NVLSTree|Simple|");
}

TEST_CASE("symmetric kernels and copy engines") {
  CHECK(choice("AllReduce [Symmetric]: 4096 Bytes -> Kernel AllReduce_AGxLL_R nchannels 8 nthreads 512 "
               "nWorks 1") == "Symmetric|AllReduce_AGxLL_R|0..7");
  CHECK(
      choice("AllReduce [Symmetric]: 4096 Bytes -> Kernel AllReduce_RSxLD_AGxST nchannels 1 nthreads 256") ==
      "Symmetric|AllReduce_RSxLD_AGxST|0..0");
  CHECK(choice("AllGather [Copy Engine]: 4096 Bytes -> cudaMemcpyBatchAsync") == "CopyEngine||");
  CHECK(choice("AllGather [Hierarchical CE]: 4096 Bytes -> RMA proxy + CE") == "HierarchicalCE||");
}

TEST_CASE("a later choice leaves nothing of the one before") {
  const auto findings =
      findings_of({information("AllReduce: 8 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}"),
                   information("AllGather [Copy Engine]: 4096 Bytes -> cudaMemcpyAsync")});
  CHECK(findings.algorithm == "CopyEngine");
  CHECK(findings.protocol.empty());
  CHECK(findings.channels.empty());
}

TEST_CASE("warnings are kept once each, at most twenty, with and without a time stamp") {
  std::vector<std::string> lines = {
      "node7:1289:1334 [0] init.cc:1057 NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA "
      "device 60",
      "[2025-11-21 06:08:07] node7:1289:1334 [1] transport/net.cc:80 (connect) NCCL WARN peer is gone",
      "[2025-11-21 06:08:08] node7:1289:1334 [1] transport/net.cc:80 (connect) NCCL WARN peer is gone", ""};
  CHECK(findings_of(lines).warnings ==
        std::vector<std::string>{"Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 60",
                                 "peer is gone"});
  for (int i = 0; i < 30; ++i) lines.push_back("n:1:1 [0] a.cc:1 NCCL WARN number " + std::to_string(i));
  CHECK(findings_of(lines).warnings.size() == 20);
}

TEST_CASE("a text in a warning is no evidence of a connection") {
  CHECK(findings_of({"n:1:1 [0] a.cc:1 NCCL WARN Channel 00 : 0[0] -> 1[1] via SHM/direct failed"})
            .paths.empty());
}

TEST_CASE("a capture reads what NCCL writes to its path, whole lines only") {
  LogCapture capture;
  std::FILE* nccl = std::fopen(capture.path().c_str(), "w");
  REQUIRE(nccl != nullptr);
  std::fputs("n:1:1 [0] NCCL INFO Using network SIS", nccl);
  std::fflush(nccl);
  capture.update();
  CHECK(capture.findings().network.empty());
  std::fputs("CI\nn:1:1 [0] NCCL INFO AllReduce: 8 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n",
             nccl);
  std::fflush(nccl);
  capture.update();
  CHECK(capture.findings().network == "SISCI");
  CHECK(capture.findings().algorithm == "Ring");
  capture.forget_choice();
  capture.update();
  CHECK(capture.findings().algorithm.empty());
  CHECK(capture.findings().network == "SISCI");
  for (int i = 0; i < 25; ++i) std::fprintf(nccl, "line %d\n", i);
  std::fclose(nccl);
  capture.update();
  CHECK(capture.tail().size() == 20);
  CHECK(capture.tail().back() == "line 24");
}

TEST_CASE("a second capture of the process starts with what comes after it, in the same file") {
  LogCapture first;
  std::FILE* nccl = std::fopen(first.path().c_str(), "a");
  REQUIRE(nccl != nullptr);
  std::fputs("n:1:1 [0] NCCL INFO Using network Socket\n", nccl);
  std::fflush(nccl);
  LogCapture second;
  CHECK(second.path() == first.path());
  second.update();
  CHECK(second.findings().network.empty());
  std::fputs("n:1:1 [0] NCCL INFO Using network IB\n", nccl);
  std::fclose(nccl);
  first.update();
  second.update();
  CHECK(first.findings().network == "IB");
  CHECK(second.findings().network == "IB");
}
