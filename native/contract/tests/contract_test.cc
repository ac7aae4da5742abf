// Tests of the contract between both languages. contract.json holds a sample of every protocol message, and
// names and formulas that both sides keep. This program fails if the file differs from what it would write
// now. bin/contract.test.ts compares the same file with the controller's schemas and tables.
// `UPDATE_SNAPSHOTS=1 contract_test` updates the file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <utility>

#include "agent/protocol/json_value.h"
#include "agent/protocol/protocol.h"
#include "agent/verification_totals.h"
#include "collectives/collective.h"
#include "contract/tests/samples.h"
#include "emulated/softmlx5/nic/link_model.h"
#include "emulated/softntb/link_model.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/channel_parts.h"
#include "engines/cpu/schedule.h"
#include "engines/nccl/environment.h"
#include "metrics/facts/environment.h"
#include "transports/socket/interfaces.h"
#include "workloads/p2p/plan.h"
#include "workloads/registry.h"

using namespace collbench;
using namespace collbench::agent;

namespace {

constexpr int kMaxRanks = 8;

json parsed(const std::vector<std::string>& lines) {
  json list = json::array();
  for (const std::string& line : lines) list.push_back(json::parse(line));
  return list;
}

template <class Rows>
json names_in(const Rows& rows) {
  json list = json::array();
  for (const auto& row : rows) list.push_back(row.name);
  return list;
}

/// Returns the number of parts in each collective's payload, by name, for 1 to kMaxRanks ranks.
json parts() {
  json table;
  for (int kind = 0; kind < kCollectiveKindCount; ++kind)
    for (int ranks = 1; ranks <= kMaxRanks; ++ranks)
      table[std::string(kCollectiveKinds[kind])].push_back(
          parts_of(static_cast<CollectiveKind>(kind), ranks));
  return table;
}

/// Returns lengths of alltoallv's parts: ranks, count, then those of rank 0 for each peer, of rank 1, and so
/// on.
json alltoallv_parts() {
  json list = json::array();
  for (const int ranks : {1, 2, 3, 4, 7})
    for (const std::size_t count : {1U, 5U, 1000U}) {
      json lengths = json::array();
      for (int rank = 0; rank < ranks; ++rank)
        for (int peer = 0; peer < ranks; ++peer) lengths.push_back(alltoallv_count(count, rank, peer, ranks));
      list.push_back({{"ranks", ranks}, {"count", count}, {"lengths", lengths}});
    }
  return list;
}

json forms() {
  json table;
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    table[std::string(name_of(kind))] = {
        {"reduces", reduces(kind)}, {"rooted", has_root(kind)}, {"hasInPlace", has_in_place(kind)}};
  }
  return table;
}

/// Returns the scratch memory of a rank in parts of `count` elements, for collectives that are not split.
/// Memory of a few chunks does not grow with `count`, and is no part.
json scratch() {
  constexpr std::size_t kCount = 4096;
  const cpu::ChunkTuning chunks{.largest = 64, .smallest = 64, .direct = 64};
  json list = json::array();
  for (const cpu::AlgorithmRow& row : cpu::algorithms())
    for (const CollectiveRow& collective : kCollectiveTable)
      for (const int ranks : {2, 3, 4, 5, 8, 100}) {
        Operation operation;
        operation.kind = collective.kind;
        operation.count = kCount;
        if (row.plan == nullptr || cpu::is_splittable(operation.kind) || !row.takes(operation, ranks))
          continue;
        std::size_t most = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          cpu::Schedule schedule;
          row.plan(operation, rank, ranks, chunks, schedule);
          most = std::max(most, schedule.scratch_elements());
        }
        list.push_back({{"algorithm", row.name},
                        {"collective", name_of(operation.kind)},
                        {"ranks", ranks},
                        {"parts", most / kCount}});
      }
  return list;
}

/// Returns counts of verifications and whether an agent reports them: the wrong elements must be part of
/// those compared, and integers must be exact.
json verifications() {
  json list = json::array();
  constexpr std::uint64_t kMost = VerificationTotals::kMaxElements;
  for (const auto& [compared, wrong] : std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 0}, {100, 100}, {0, 1}, {100, 101}, {kMost, 0}, {100, kMost}, {kMost + 1, 0}}) {
    bool is_reported = true;
    Verification found;
    found.compared = compared;
    found.wrong = wrong;
    try {
      VerificationTotals().add(0, found);
    } catch (const Error&) {
      is_reported = false;
    }
    list.push_back({{"comparedElements", compared}, {"wrongElements", wrong}, {"isReported", is_reported}});
  }
  return list;
}

/// Returns routing tables of Linux and the interface of the default route ("" = none).
json routes() {
  const std::string head =
      "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
  json list = json::array();
  for (const std::string& table : {std::string(), head,
                                   head + "eth0\t00000000\t0101A8C0\t0003\t0\t0\t200\t00000000\t0\t0\t0\n"
                                          "eth1\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
                                          "eth2\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n",
                                   head + "eth0\t00000000\t0101A8C0\t0002\t0\t0\t0\t00000000\t0\t0\t0\n"
                                          "eth1\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
                                          "broken\n"}) {
    std::istringstream text(table);
    list.push_back({{"table", table}, {"interface", socket::default_route_interface(text)}});
  }
  return list;
}

/// Returns variables and whether they are recorded.
json variables() {
  constexpr std::pair<const char*, const char*> kSamples[] = {
      {"NCCL_DEBUG", "INFO"},
      {"NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1,mlx5_5:1"},
      {"NCCL_NET_PLUGIN", "/opt/nccl-2.28.9-7q3rzkxyhnyhxnb5k5c1234567890123/lib/libnccl-net-x.so"},
      {"OMPI_MCA_btl", "self,tcp"},
      {"OMPI_MCA_btl_tcp_if_include", "10.0.0.0/24"},
      {"SOFTNTB_LINK", "none"},
      {"UCX_X", "a_long_word_that_has_but_few_digits_1234567"},
      {"HOME", "/home/me"},
      {"OMPI_MCA_orte_x", "1"},
      {"OMPI_MCA_btlx", "1"},
      {"OMPI_MCA_btl_tcp_key", "1"},
      {"NCCL_X_KEY", "1"},
      {"nccl_debug", "INFO"},
      {"UCX_my_password", "1"},
      {"SOFTNTB_FABRIC", "/a"},
      {"COLLBENCH_LIVE", "0"},
      {"NCCL_X", "ghp_16C7e42F292c6912E7"},
      {"NCCL_X", "eyJhbGciOiJIUzI1NiJ9.e30.abc"},
      {"UCX_X", "http://me:word@proxy:3128"},
      {"COLLBENCH_X", "node1 0f8fad5bd9cb469fa16570867728950e"},
  };
  json list = json::array();
  for (const auto& [name, value] : kSamples)
    list.push_back({{"name", name}, {"value", value}, {"recorded", facts::is_recorded(name, value)}});
  return list;
}

json axes() {
  json table;
  for (const WorkloadEntry& one : workloads()) table[std::string(one.name)] = one.axes;
  return table;
}

json contract() {
  return {{"about", "Written by UPDATE_SNAPSHOTS=1 contract_test (native/contract)."},
          {"protocol", kProtocolVersion},
          {"sent", parsed(sent_samples())},
          {"received", parsed(received_samples())},
          {"axes", axes()},
          {"p2pOperations", p2p::kKinds},
          {"p2pDirections", p2p::kDirections},
          {"transports", names_in(transports())},
          {"ncclTransports", nccl::transport_names()},
          {"linkModels",
           {{"softntb", names_in(softntb::link_model_table())},
            {"softmlx5", names_in(softmlx5::link_model_table())}}},
          {"collectives", kCollectiveKinds},
          {"parts", parts()},
          {"alltoallvParts", alltoallv_parts()},
          {"forms", forms()},
          {"variables", variables()},
          {"routes", routes()},
          {"scratch", scratch()},
          {"verifications", verifications()}};
}

/// Returns one line per sample and list, so that differences are readable.
std::string text_of_contract() {
  std::string text;
  const json all = contract();
  for (const auto& [name, value] : all.items()) {
    text += (text.empty() ? "{\n" : ",\n") + json(name).dump() + ": ";
    if (!value.is_array() || !value[0].is_object()) {
      text += value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "[\n " : ",\n ") + value[i].dump();
    text += "\n]";
  }
  return text + "\n}\n";
}

std::string text_of_file() {
  std::ifstream in(COLLBENCH_CONTRACT);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the contract is what this build says") {
  if (std::getenv("UPDATE_SNAPSHOTS") != nullptr) std::ofstream(COLLBENCH_CONTRACT) << text_of_contract();
  INFO("renew it with UPDATE_SNAPSHOTS=1 contract_test, then run node --test dist/bin/contract.test.js");
  CHECK(text_of_file() == text_of_contract());
}

TEST_CASE("every message that is understood has samples, and they are understood") {
  std::set<std::size_t> kinds;
  for (const std::string& line : received_samples()) kinds.insert(parse_controller_message(line).index());
  CHECK(kinds.size() == std::variant_size_v<ControllerMessage>);
}
