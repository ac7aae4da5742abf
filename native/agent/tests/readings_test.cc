// Tests of the agent's samples as the controller sees them; the sampler and its thread have their own tests.
#include <doctest/doctest.h>

#include <algorithm>

#include "agent/tests/agent_host.h"
#include "core/clock.h"

using nlohmann::json;
using namespace collbench;
using namespace collbench::agent;

namespace {

/// Returns the index of a channel in each row; the number of channels if it is not there.
std::size_t place_of(const json& sampling, const std::string& name) {
  std::size_t i = 0;
  for (const json& channel : sampling["channels"]) {
    if (channel["name"] == name) return i;
    ++i;
  }
  return i;
}

}  // namespace

TEST_CASE("sample, unsample: channels first, rows of the machine's clock, then what it cost") {
  AgentHost agent;
  const auto before = now_ns();
  agent.send(
      {{"type", "sample"}, {"intervalUs", 1000}, {"sources", {"cpu", "quantum"}}, {"ranks", json::array()}});
  const json sampling = agent.receive();
  REQUIRE(sampling["type"] == "sampling");
  CHECK(sampling["intervalUs"] == 1000);
  CHECK(place_of(sampling, "cpu0.user") < sampling["channels"].size());
  REQUIRE(sampling["failed"].size() == 1);
  CHECK(sampling["failed"][0]["source"] == "quantum");
  std::size_t rows = 0;
  std::int64_t last = before;
  bool asked = false;
  for (json message;; rows += message["startNs"].size()) {
    message = agent.receive();  // The first message comes without a request.
    if (message["type"] == "sampled") {
      CHECK(message["ticks"] == rows);
      CHECK(message["cpuNs"] > 0);
      CHECK(message["residentBytes"] > 100'000);
      CHECK(message["jitterNs"]["median"] <= message["jitterNs"]["max"]);
      break;
    }
    REQUIRE(message["type"] == "samples");
    CHECK(message["costNs"].size() == message["startNs"].size());
    CHECK(message["values"].size() == message["startNs"].size());
    for (const json& start : message["startNs"]) {
      CHECK(start > last);
      last = start;
    }
    for (const json& row : message["values"]) CHECK(row.size() == sampling["channels"].size());
    if (!asked) agent.send({{"type", "unsample"}});
    asked = true;
  }
  CHECK(last < now_ns());
  // Sampling starts a second time.
  agent.send({{"type", "sample"}, {"intervalUs", 200000}, {"sources", nullptr}, {"ranks", {0, 1}}});
  CHECK(agent.receive()["type"] == "sampling");
  agent.close_input();
  CHECK(agent.wait() == 0);
}

TEST_CASE("rank processes are followed while they live") {
  AgentHost agent;
  REQUIRE(agent.launch(1, 2, "")["type"] == "ready");
  agent.send({{"type", "sample"}, {"intervalUs", 1000}, {"sources", {"ranks"}}, {"ranks", {1, 0}}});
  const json sampling = agent.receive();
  REQUIRE(sampling["type"] == "sampling");
  REQUIRE(sampling["channels"].size() == 4);
  const std::size_t cpu = place_of(sampling, "rank1.cpuNs"),
                    resident = place_of(sampling, "rank1.residentBytes");
  bool seen = false, stopped = false, gone = false;
  double most = 0, biggest = 0;
  while (!gone) {
    const json message = agent.receive();
    if (message["type"] == "stopped") stopped = true;
    if (message["type"] != "samples") continue;
    for (const json& row : message["values"]) {
      if (row[cpu].is_null()) {
        gone = seen && stopped;
        continue;
      }
      CHECK(row[cpu] >= most);
      CHECK(row[resident] >= 0);  // The value is 0 at the process's very end.
      most = row[cpu];
      biggest = std::max(biggest, row[resident].get<double>());
      if (!seen) agent.send({{"type", "stop"}, {"launch", 1}});
      seen = true;
    }
  }
  CHECK(most > 0);
  CHECK(biggest > 100'000);
  agent.close_input();
  CHECK(agent.wait() == 0);
}

TEST_CASE("while a block is measured no samples are said; those of its time come after it") {
  AgentHost agent;
  REQUIRE(agent.launch(1, 2, "wait:0:1")["type"] == "ready");
  // All rows fit in one line.
  agent.send({{"type", "sample"}, {"intervalUs", 100000}, {"sources", {"net"}}, {"ranks", json::array()}});
  REQUIRE(agent.receive()["type"] == "sampling");
  const auto sent = now_ns();
  agent.send(AgentHost::measure_message(1, 0, 3500));  // This block never ends by itself.
  int early = 0;
  for (json message; (message = agent.receive())["type"] != "failed";) {
    REQUIRE(message["type"] == "samples");
    if (message["startNs"].back() < sent + 3'000'000'000) ++early;
  }
  // One may come from before the agent had read `measure`; otherwise there would be one per second.
  CHECK(early <= 1);
  agent.close_input();
  CHECK(agent.wait() == 0);
}

TEST_CASE("unsample without sample, or a second sample, ends the agent with a reason") {
  for (const bool twice : {false, true}) {
    AgentHost agent;
    const json sample = {{"type", "sample"}, {"intervalUs", 1000}, {"sources", nullptr}, {"ranks", {0}}};
    if (twice) agent.send(sample);
    agent.send(twice ? sample : json{{"type", "unsample"}});
    CHECK(agent.wait() == 1);
    CHECK(agent.error_text().find(twice ? "sample came while sampling" : "unsample came without sample") !=
          std::string::npos);
  }
}
