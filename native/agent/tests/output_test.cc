// Tests which output of ranks and their engines reaches the controller, also in a failure.
#include <doctest/doctest.h>
#include <unistd.h>

#include "agent/forensics/engine_log.h"
#include "agent/tests/agent_host.h"
#include "agent/traffic.h"

using nlohmann::json;
using namespace collbench;
using namespace collbench::agent;

namespace {

/// All `output` messages until the launch is over.
struct ReceivedOutput {
  std::vector<json> output;
  json last;
};
ReceivedOutput hear(AgentHost& agent) {
  ReceivedOutput heard;
  for (;;) {
    json message = agent.receive();
    if (message["type"] != "output") {
      heard.last = message;
      return heard;
    }
    heard.output.push_back(message);
  }
}

FileDescriptor log_of(const std::string& text) {
  FileDescriptor fd = make_engine_log();
  REQUIRE(write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return fd;
}

/// Measures with a mock engine in which one rank writes in its second operation (mock_engine.cc).
ReceivedOutput measured_talk(bool wanted, const std::string& algorithm, int deadline_ms = 60'000) {
  AgentHost agent;
  json launch = AgentHost::launch_message(1, 2, algorithm, 60000);
  launch["output"] = wanted;
  REQUIRE(agent.launch(launch)["type"] == "ready");
  agent.send(AgentHost::measure_message(1, 0, deadline_ms));
  ReceivedOutput heard = hear(agent);
  if (heard.last["type"] == "failed") return heard;
  agent.send({{"type", "stop"}, {"launch", 1}});
  ReceivedOutput end = hear(agent);
  CHECK(end.last["type"] == "stopped");
  heard.output.insert(heard.output.end(), end.output.begin(), end.output.end());
  return heard;
}

}  // namespace

TEST_CASE(
    "what a rank writes comes line by line, what its engine logs comes at its end; both only when wanted") {
  const std::vector<json> output = measured_talk(true, "talk:1:1").output;
  REQUIRE(output.size() == 2);
  CHECK(output[0]["rank"] == 1);
  CHECK(output[0]["from"] == "stderr");
  CHECK(output[0]["text"] == "mock says something");
  CHECK(output[1]["from"] == "engine");
  CHECK(output[1]["text"] == "mock logs something\n");
  CHECK(measured_talk(false, "talk:1:1").output.empty());
}

TEST_CASE("a rank that crashes has not taken its engine's log with it") {
  const ReceivedOutput heard = measured_talk(true, "talk-and-die:1:1");
  CHECK(heard.last["type"] == "failed");
  CHECK(heard.last["ranks"][1]["engineTail"] == json::array({"mock logs something"}));
  CHECK(heard.output.back()["text"] == "mock logs something\n");
}

TEST_CASE("a rank that writes without end is cut off, and it is said") {
  const std::vector<json> output = measured_talk(true, "babble:0:1").output;
  std::size_t bytes = 0;
  for (const json& one : output) bytes += one["text"].get<std::string>().size();
  CHECK(bytes < 300'000);
  CHECK(output.back()["text"].get<std::string>().find("the rest is left out") != std::string::npos);
}

TEST_CASE("a hang tells what the interfaces moved") {
  const json failed = measured_talk(false, "hang:1:1", 1000).last;
  REQUIRE(failed["kind"] == "hang");
  for (const json& one : failed["traffic"]) {
    CHECK(one["receivedBytes"] >= 0);
    CHECK(one["lastReceivedBytes"] <= one["receivedBytes"]);
  }
}

TEST_CASE("a long engine log keeps its beginning and its end, in whole lines") {
  const FileDescriptor fd = log_of("first\nsecond\nthird\nfourth\nfifth\n");
  CHECK(read_engine_log(fd.get()) == "first\nsecond\nthird\nfourth\nfifth\n");
  CHECK(read_engine_log(fd.get(), 9, 9) == "first\n[20 bytes left out]\nfifth\n");
  CHECK(engine_log_tail(fd.get(), 2) == std::vector<std::string>{"fourth", "fifth"});
  CHECK(engine_log_tail(fd.get(), 9).size() == 5);
  CHECK(read_engine_log(make_engine_log().get()).empty());
  CHECK(engine_log_tail(make_engine_log().get(), 3).empty());
}

TEST_CASE("counters are read from the kernel's table") {
  const TrafficCounters counters = parse_traffic(
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
      "...\n"
      "    lo: 100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0\n"
      "  eth0:3000 9 1 2 0 0 0 0 4000 8 3 4 0 0 0 0\n"
      "nonsense: 1 2\n");
  REQUIRE(counters.size() == 2);
  CHECK(counters.at("lo").sent_bytes == 200);
  CHECK(counters.at("eth0").received_bytes == 3000);
  CHECK(counters.at("eth0").troubled_packets == 10);
  CHECK(read_traffic().contains("lo"));
}

TEST_CASE("traffic is what the counters grew by; idle interfaces are left out") {
  const auto counters = [](std::uint64_t received, std::uint64_t sent) {
    return InterfaceCounters{received, sent, 0};
  };
  const TrafficCounters begin = {{"mock0", counters(100, 10)}, {"mock1", counters(7, 7)}};
  const TrafficCounters before = {{"mock0", counters(400, 40)}, {"mock1", counters(7, 7)}};
  const TrafficCounters now = {
      {"mock0", counters(450, 40)}, {"mock1", counters(7, 7)}, {"mock2", counters(5, 0)}};
  const auto traffic = traffic_between(begin, before, now);
  REQUIRE(traffic.size() == 2);
  CHECK(traffic[0].name == "mock0");
  CHECK(traffic[0].received_bytes == 350);
  CHECK(traffic[0].sent_bytes == 30);
  CHECK(traffic[0].last_received_bytes == 50U);
  CHECK(traffic[0].last_sent_bytes == 0U);
  CHECK(traffic[1].name == "mock2");
  CHECK(traffic[1].received_bytes == 5);
}
