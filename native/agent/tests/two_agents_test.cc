// Tests of one launch over two agents, as if on two machines. The test relays what the controller relays.
#include <doctest/doctest.h>

#include <cstdlib>

#include "agent/tests/agent_host.h"

using nlohmann::json;
using namespace collbench::agent;

namespace {

constexpr const char* kToken = "00112233445566778899aabbccddeeff";

struct TwoAgents {
  AgentHost first, second;

  /// Starts ranks 0 and 2 on the first agent, 1 and 3 on the second.
  void start(const std::string& algorithm, const std::string& second_token = kToken) {
    json request = AgentHost::launch_message(1, 4, algorithm, 60000);
    request["options"] = {{"interface", "lo"}, {"token", kToken}};
    request["localRanks"] = {0, 2};
    first.send(request);
    request["options"]["token"] = second_token;
    request["localRanks"] = {1, 3};
    second.send(request);
  }

  void relay(const std::string& key) {
    std::vector<json> blobs(4);
    for (AgentHost* agent : {&first, &second})
      for (int n = 0; n < 2; ++n) {
        const json message = agent->receive_any();
        REQUIRE(message["type"] == "exchange");
        REQUIRE(message["key"] == key);
        blobs.at(message["rank"].get<std::size_t>()) = message["data"];
      }
    for (AgentHost* agent : {&first, &second})
      agent->send({{"type", "exchanged"}, {"launch", 1}, {"key", key}, {"data", blobs}});
  }

  /// @returns the `ready` messages of both
  std::vector<json> launch(const std::string& algorithm) {
    start(algorithm);
    relay("leaders");
    relay("mock");
    return {first.receive(), second.receive()};
  }

  std::vector<json> measure(const std::string& kind) {
    json request = AgentHost::measure_message(1, 0);
    request["trial"]["kind"] = kind;
    first.send(request);
    second.send(request);
    return {first.receive(), second.receive()};
  }
};

}  // namespace

TEST_CASE("ranks of two agents measure one block together and report times of one clock") {
  TwoAgents agents;
  for (const json& ready : agents.launch("")) {
    REQUIRE(ready["type"] == "ready");
    // Both agents chose the same cores, so no rank stays bound.
    for (const json& rank : ready["ranks"]) CHECK(rank["cpu"].is_null());
  }
  for (const char* kind : {"isolated", "pipelined"}) {
    CAPTURE(kind);
    std::vector<json> ranks;
    for (const json& measured : agents.measure(kind)) {
      CAPTURE(measured.dump(1));
      REQUIRE(measured["type"] == "measured");
      for (const json& rank : measured["ranks"]) ranks.push_back(rank);
    }
    REQUIRE(ranks.size() == 4);
    for (const json& rank : ranks) {
      CHECK(rank["startNs"].size() == ranks[0]["startNs"].size());
      CHECK(rank["operations"] == ranks[0]["operations"]);
      if (std::string(kind) == "isolated") CHECK(rank["commonStartNs"] == ranks[0]["commonStartNs"]);
      // Both agents run on one machine and so share its clock: the true offset is 0.
      CHECK(std::abs(rank["clockOffsetNs"].get<std::int64_t>()) <=
            rank["clockUncertaintyNs"].get<std::int64_t>());
    }
    CHECK(ranks[0]["clockUncertaintyNs"] == 0);
    CHECK(ranks[3]["clockUncertaintyNs"] > 0);
  }
  for (AgentHost* agent : {&agents.first, &agents.second}) agent->send({{"type", "stop"}, {"launch", 1}});
  CHECK(agents.first.receive()["type"] == "stopped");
  CHECK(agents.second.receive()["type"] == "stopped");
}

TEST_CASE("a rank that dies on one machine is told by the others as a lost link to its leader") {
  TwoAgents agents;
  const std::vector<json> ready = agents.launch("segv:1:3");
  const auto watches = watch_ranks(ready.at(0));
  const std::vector<json> failed = agents.measure("pipelined");
  CAPTURE(failed[0].dump(1));
  CAPTURE(failed[1].dump(1));
  CHECK(failed[1]["kind"] == "rank-died");
  CHECK(failed[1]["rank"] == 1);
  CHECK(failed[0]["kind"] == "rank-error");
  CHECK(failed[0]["code"] == "connection_lost");
  CHECK(failed[0]["rank"] == 0);
  CHECK(failed[0]["reason"].get<std::string>().find("the link to rank 1 on ") != std::string::npos);
  for (const ProcessWatch& watch : watches) CHECK(watch.gone());
}

TEST_CASE("stop in the middle of a block ends both machines' ranks") {
  TwoAgents agents;
  agents.launch("wait:3:2");
  json request = AgentHost::measure_message(1, 0);
  for (AgentHost* agent : {&agents.first, &agents.second}) agent->send(request);
  for (AgentHost* agent : {&agents.first, &agents.second}) agent->send({{"type", "stop"}, {"launch", 1}});
  for (AgentHost* agent : {&agents.first, &agents.second}) {
    json last = agent->receive();
    // The ranks whose stop comes second may see the others leave before it.
    if (last["type"] == "failed" && last["code"] == "connection_lost") last = agent->receive();
    CAPTURE(last.dump());
    CHECK(last["type"] == "stopped");
  }
}

TEST_CASE("machines that were given different tokens do not come together") {
  TwoAgents agents;
  agents.start("", "ffeeddccbbaa99887766554433221100");
  agents.relay("leaders");
  json failed;
  do failed = agents.second.receive_any();  // Rank 3 is no leader and continues to the next exchange.
  while (failed["type"] == "exchange");
  CAPTURE(failed.dump(1));
  CHECK(failed["type"] == "failed");
  CHECK(failed["kind"] == "setup");
  CHECK(failed["rank"] == 1);
  CHECK(failed["reason"].get<std::string>().find("another token") != std::string::npos);
}
