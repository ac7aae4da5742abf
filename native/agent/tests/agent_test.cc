// Tests of real agent and rank processes; only the engine inside the ranks is a mock (mock_engine.h).
#include <doctest/doctest.h>
#include <signal.h>

#include <thread>

#include "agent/tests/agent_host.h"
#include "core/clock.h"
#include "core/spin.h"
#include "metrics/inventory.h"

using nlohmann::json;
using namespace collbench::agent;

namespace {

bool all_gone(const std::vector<ProcessWatch>& watches) {
  for (const ProcessWatch& watch : watches)
    if (!watch.gone()) return false;
  return no_children_left();
}

/// Checks that a launch has ended by itself: the agent continues and nothing else is left.
void check_only_agent_left(AgentHost& agent, const std::vector<ProcessWatch>& watches) {
  for (const ProcessWatch& watch : watches) CHECK(watch.gone());
  const json ready = agent.launch(99, 1, "");  // Shows that the agent still accepts launches.
  CHECK(ready["type"] == "ready");
  agent.close_input();
  CHECK(agent.wait() == 0);
  CHECK(no_children_left());
}

}  // namespace

TEST_CASE("the agent speaks first: version, engines, transports, inventory") {
  AgentHost agent;
  const json& hello = agent.hello();
  CHECK(hello["type"] == "hello");
  CHECK(hello["protocol"] == 3);
  const json offers = {
      {"collective", json::object()}, {"matrix", json::object()}, {"replay", json::object()}};
  CHECK(hello["engines"] == json::array({{{"name", "mock"}, {"offers", offers}}}));
  CHECK(hello["inventory"]["cpuCount"] >= 1);
  CHECK(hello["inventory"]["coreCount"] >= 1);
  CHECK(hello["clockNs"] > 0);
  agent.close_input();
  CHECK(agent.wait() == 0);
}

TEST_CASE("beats: said as often as asked for; an agent that hears none leaves, and its ranks with it") {
  AgentHost agent;
  const json ready = agent.launch(1, 2, "");
  REQUIRE(ready["type"] == "ready");
  const auto watches = watch_ranks(ready);
  agent.send({{"type", "hello"}, {"protocol", 3}, {"beatMs", 50}});
  CHECK(agent.receive()["type"] == "beat");
  CHECK(agent.receive()["type"] == "beat");
  CHECK(agent.wait() == 0);
  CHECK(all_gone(watches));
}

TEST_CASE("launch, measure, stop: samples of every rank, and no process afterwards") {
  AgentHost agent;
  const json ready = agent.launch(1, 2, "");
  REQUIRE(ready["type"] == "ready");
  CHECK(ready["ranks"].size() == 2);
  CHECK(ready["ranks"][1]["medium"] == "emulated");
  const auto watches = watch_ranks(ready);
  agent.send(AgentHost::measure_message(1, 4));
  const json measured = agent.receive();
  REQUIRE(measured["type"] == "measured");
  CHECK(measured["block"] == 4);
  REQUIRE(measured["ranks"].size() == 2);
  for (const json& rank : measured["ranks"]) {
    CHECK(rank["startNs"].size() == 5);
    CHECK(rank["endNs"].size() == 5);
    CHECK(rank["warmupNs"].size() == 2);
    CHECK(rank["operations"] == 7);
    CHECK(rank["checks"] == 0);
    CHECK(rank["algorithm"] == "mock");
    CHECK(rank["counters"]["bytesSent"] == 7 * 4096);
  }
  CHECK(measured["interfaceBytes"].is_object());
  agent.send({{"type", "stop"}, {"launch", 1}});
  CHECK(agent.receive()["type"] == "stopped");
  check_only_agent_left(agent, watches);
}

TEST_CASE("asked for its clock, the agent tells that of its machine, and which machine that is") {
  AgentHost agent;
  CHECK(agent.hello()["machine"] == collbench::metrics::read_boot_id());
  CHECK(agent.hello()["clock"] == collbench::metrics::read_clock_id());
  const std::int64_t before = collbench::now_ns();
  agent.send({{"type", "clock"}, {"id", 7}});
  const json answer = agent.receive();
  CHECK(answer["type"] == "clock");
  CHECK(answer["id"] == 7);
  CHECK(answer["clockNs"].get<std::int64_t>() >= before);
  CHECK(answer["clockNs"].get<std::int64_t>() <= collbench::now_ns());
}

TEST_CASE("launches measure at the same time, and none begins before the common start") {
  AgentHost agent;
  for (const int launch : {1, 2}) REQUIRE(agent.launch(launch, 2, "")["type"] == "ready");
  const std::int64_t start = collbench::now_ns() + 30'000'000;
  for (const int launch : {1, 2}) {
    json measure = AgentHost::measure_message(launch, launch);
    measure["startAtNs"] = start;
    agent.send(measure);
  }
  for (int answers = 0; answers < 2; ++answers) {
    const json measured = agent.receive();
    REQUIRE(measured["type"] == "measured");
    CHECK(measured["launch"] == measured["block"]);
    for (const json& rank : measured["ranks"]) CHECK(rank["startNs"][0].get<std::int64_t>() >= start);
  }
}

TEST_CASE("a launch that waits for the common start can be stopped") {
  AgentHost agent;
  const auto watches = watch_ranks(agent.launch(1, 2, ""));
  json measure = AgentHost::measure_message(1, 0);
  measure["startAtNs"] = collbench::now_ns() + 3'600'000'000'000;
  agent.send(measure);
  agent.send({{"type", "stop"}, {"launch", 1}});
  CHECK(agent.receive()["type"] == "stopped");
  check_only_agent_left(agent, watches);
}

TEST_CASE("launches that work together share the cores: each has those after the ones before it") {
  AgentHost agent;
  const auto cores_of = [&](int number, int before, int together) {
    json launch = AgentHost::launch_message(number, 1, "", 60000);
    launch["together"] = {{"ranks", together}, {"before", before}};
    agent.send(launch);
    return agent.receive()["ranks"][0]["cpu"];
  };
  REQUIRE(agent.launch(9, 1, "")["type"] == "ready");
  const int cpus = collbench::usable_cpus().threads;
  if (cpus >= 2) CHECK(cores_of(1, 0, 2) != cores_of(2, 1, 2));
  CHECK(cores_of(3, 0, cpus + 1).is_null());
}

TEST_CASE("wrong data is counted and its first element named; right data passes") {
  AgentHost agent;
  for (const int ranks : {1, 2}) {
    REQUIRE(agent.launch(ranks, ranks, "")["type"] == "ready");
    json measure = AgentHost::measure_message(ranks, 0);
    measure["trial"]["check"] = true;
    agent.send(measure);
    const json rank = agent.receive()["ranks"][0];
    CAPTURE(rank.dump());
    CHECK(rank["checks"] >= 2);
    CHECK(rank["wrong"]["comparedElements"] == 1024 * rank["checks"].get<int>());
    if (ranks == 1) {
      CHECK(rank["wrong"]["wrongElements"] == 0);
      CHECK(rank["wrong"]["first"].is_null());
    } else {
      CHECK(rank["wrong"]["wrongElements"] > 0);
      CHECK(rank["wrong"]["first"]["wanted"] != rank["wrong"]["first"]["got"]);
    }
  }
  agent.close_input();
  CHECK(agent.wait() == 0);
  CHECK(no_children_left());
}

TEST_CASE("a rank killed from outside is named with its signal; the others are killed too") {
  AgentHost agent;
  const json ready = agent.launch(1, 3, "wait:0:1");
  const auto watches = watch_ranks(ready);
  agent.send(AgentHost::measure_message(1, 0));
  kill(ready["ranks"][1]["pid"].get<pid_t>(), SIGKILL);
  const json failed = agent.receive();
  REQUIRE(failed["type"] == "failed");
  CHECK(failed["kind"] == "rank-died");
  CHECK(failed["code"] == "SIGKILL");
  CHECK(failed["rank"] == 1);
  CHECK(failed["exitStatus"] == nullptr);
  CHECK(failed["ranks"].size() == 3);
  check_only_agent_left(agent, watches);
}

TEST_CASE("a rank that crashes or exits inside an operation is named with iteration") {
  struct Case {
    const char* algorithm;
    const char* code;
    json status;
  };
  for (const Case& one : {Case{"segv:1:3", "SIGSEGV", nullptr}, Case{"exit:1:3", "exit", 7}}) {
    AgentHost agent;
    const auto watches = watch_ranks(agent.launch(1, 2, one.algorithm));
    agent.send(AgentHost::measure_message(1, 0));
    const json failed = agent.receive();
    CAPTURE(failed.dump());
    CHECK(failed["kind"] == "rank-died");
    CHECK(failed["code"] == one.code);
    CHECK(failed["rank"] == 1);
    CHECK(failed["exitStatus"] == one.status);
    check_only_agent_left(agent, watches);
  }
}

TEST_CASE("an error inside a rank reaches the controller with its words, and not as a death") {
  AgentHost agent;
  const auto watches = watch_ranks(agent.launch(1, 2, "fail:1:0"));
  agent.send(AgentHost::measure_message(1, 0));
  const json failed = agent.receive();
  CHECK(failed["kind"] == "rank-error");
  CHECK(failed["code"] == "internal");
  CHECK(failed["rank"] == 1);
  CHECK(failed["reason"].get<std::string>().find("mock failure") != std::string::npos);
  check_only_agent_left(agent, watches);
}

TEST_CASE("the rank that lost its connection is named, not those that were told to stop for it") {
  AgentHost agent;
  const auto watches = watch_ranks(agent.launch(1, 3, "lose:2:0"));
  agent.send(AgentHost::measure_message(1, 0));
  const json failed = agent.receive();
  CAPTURE(failed.dump());
  CHECK(failed["code"] == "connection_lost");
  CHECK(failed["rank"] == 2);
  CHECK(failed["reason"].get<std::string>().find("mock link lost") != std::string::npos);
  check_only_agent_left(agent, watches);
}

TEST_CASE("a rank that hangs is named with the iteration, and its stack shows where") {
  json failed;
  bool in_the_mock = false;
  // On a busy machine a deadline can expire before rank 1 reaches its fourth operation, or before its stack
  // is read.
  for (const int deadline_ms : kGrowingDeadlinesMs) {
    AgentHost agent;
    const auto watches = watch_ranks(agent.launch(1, 2, "hang:1:4"));
    agent.send(AgentHost::measure_message(1, 0, deadline_ms));
    failed = agent.receive();
    CAPTURE(failed.dump());
    REQUIRE(failed["type"] == "failed");
    check_only_agent_left(agent, watches);
    for (const json& frame : failed["ranks"][1]["stack"])
      in_the_mock = in_the_mock || frame.get<std::string>().find("MockEngine") != std::string::npos;
    if (failed["rank"] == 1 && failed["ranks"][1]["iterationsDone"] == 4 && in_the_mock) break;
  }
  CAPTURE(failed.dump(1));
  CHECK(failed["kind"] == "hang");
  CHECK(failed["code"] == "timeout");
  CHECK(failed["rank"] == 1);
  CHECK(failed["ranks"][1]["iterationsDone"] == 4);
  CHECK(in_the_mock);
}

TEST_CASE("a block whose ranks make progress may take longer than its deadline") {
  json measured;
  int progress_reports = 0;
  for (const int deadline_ms : kGrowingDeadlinesMs) {
    AgentHost agent;
    // Two warm-up operations and five samples, each of three tenths of the deadline.
    const auto watches = watch_ranks(agent.launch(1, 2, "slow:1:" + std::to_string(3 * deadline_ms / 10)));
    agent.send(AgentHost::measure_message(1, 0, deadline_ms));
    measured = agent.receive();
    progress_reports = agent.progress_reports();
    if (measured["type"] == "measured") {
      agent.send({{"type", "stop"}, {"launch", 1}});
      agent.receive();
    }
    check_only_agent_left(agent, watches);
    if (measured["type"] == "measured") break;
  }
  CAPTURE(measured.dump(1));
  CHECK(measured["type"] == "measured");
  CHECK(progress_reports > 0);
}

TEST_CASE("a stopped rank is recognised although it cannot tell") {
  AgentHost agent;
  const json ready = agent.launch(1, 2, "");
  const auto watches = watch_ranks(ready);
  kill(ready["ranks"][0]["pid"].get<pid_t>(), SIGSTOP);
  agent.send(AgentHost::measure_message(1, 0, 1000));
  const json failed = agent.receive();
  CAPTURE(failed.dump(1));
  CHECK(failed["kind"] == "hang");
  CHECK(failed["rank"] == 0);
  CHECK(failed["processState"] == "T");
  CHECK(failed["ranks"][0]["stack"].dump().find("process state T") != std::string::npos);
  check_only_agent_left(agent, watches);
}

TEST_CASE("a rank that never connects is a hang of the launch") {
  json failed;
  for (const int deadline_ms : kGrowingDeadlinesMs) {
    AgentHost agent;
    failed = agent.launch(1, 2, "hang-setup:1", deadline_ms);
    check_only_agent_left(agent, {});
    if (failed["phase"] == "connecting" && failed["rank"] == 1) break;
  }
  CAPTURE(failed.dump(1));
  CHECK(failed["kind"] == "hang");
  CHECK(failed["phase"] == "connecting");
  CHECK(failed["rank"] == 1);
}

TEST_CASE("an engine that is not there fails the launch with its name") {
  AgentHost agent;
  json launch = AgentHost::launch_message(1, 1, "", 60000);
  launch["engine"] = "nccl";
  agent.send(launch);
  const json failed = agent.receive();
  CHECK(failed["kind"] == "setup");
  CHECK(failed["reason"].get<std::string>().find("'nccl'") != std::string::npos);
  check_only_agent_left(agent, {});
}

TEST_CASE("however the agent ends, in the middle of a measurement, its ranks end with it") {
  for (const char* how : {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "stdin closed", "stdout closed"}) {
    const std::string end = how;
    CAPTURE(end);
    AgentHost agent;
    const auto watches = watch_ranks(agent.launch(1, 3, "hang:2:1"));
    agent.send(AgentHost::measure_message(1, 0));
    int expected = 0;
    if (end == "stdin closed") {
      agent.close_input();
    } else if (end == "stdout closed") {
      agent.close_output();
    } else {
      const int signal = end == "SIGKILL"   ? SIGKILL
                         : end == "SIGTERM" ? SIGTERM
                         : end == "SIGINT"  ? SIGINT
                                            : SIGHUP;
      kill(agent.pid(), signal);
      expected = 128 + signal;
    }
    CHECK(agent.wait() == expected);
    CHECK(all_gone(watches));
  }
}

TEST_CASE("stdin that ends while ranks are stopped by SIGSTOP leaves nothing either") {
  AgentHost agent;
  const json ready = agent.launch(1, 2, "");
  const auto watches = watch_ranks(ready);
  for (const json& rank : ready["ranks"]) kill(rank["pid"].get<pid_t>(), SIGSTOP);
  agent.close_input();
  CHECK(agent.wait() == 0);
  CHECK(all_gone(watches));
}

TEST_CASE("what a rank leaves behind in a session of its own ends with the agent") {
  AgentHost agent;
  const json ready = agent.launch(1, 2, "daemon:1:0");
  REQUIRE(ready["type"] == "ready");
  const auto watches = watch_ranks(ready);
  agent.send(AgentHost::measure_message(1, 0));
  CHECK(agent.receive()["type"] == "measured");
  agent.send({{"type", "stop"}, {"launch", 1}});
  CHECK(agent.receive()["type"] == "stopped");
  agent.close_input();
  CHECK(agent.wait() == 0);
  CHECK(all_gone(watches));
}

TEST_CASE("a workload that cannot be ends its launch, not the agent") {
  AgentHost agent;
  REQUIRE(agent.launch(1, 2, "")["type"] == "ready");
  json measure = AgentHost::measure_message(1, 0);
  measure["workload"] = "teleport";
  agent.send(measure);
  const json failed = agent.receive();
  CHECK(failed["type"] == "failed");
  CHECK(failed["code"] == "invalid_argument");
  CHECK(failed["reason"].get<std::string>().find("workload 'teleport' is not part of this build") !=
        std::string::npos);
  CHECK(agent.launch(2, 2, "")["type"] == "ready");
  agent.close_input();
  CHECK(agent.wait() == 0);
}

TEST_CASE("a message that is no protocol ends the agent with code 1 and a reason, ranks first") {
  struct Case {
    const char* line;
    const char* reason;
  };
  for (const Case& one : {Case{"nonsense\n", "not a JSON object: nonsense"},
                          Case{"{\"type\":\"dance\"}\n", "'dance' is unknown"},
                          Case{"{\"type\":\"stop\"}\n", "stop.launch is missing"},
                          Case{"{\"type\":\"hello\",\"protocol\":7}\n", "speaks protocol 7, this agent 3"}}) {
    CAPTURE(one.line);
    AgentHost agent;
    const auto watches = watch_ranks(agent.launch(1, 2, ""));
    agent.send_text(one.line);
    CHECK(agent.wait() == 1);
    CHECK(agent.error_text().find(one.reason) != std::string::npos);
    CHECK(all_gone(watches));
  }
}

TEST_CASE("stop in the middle of a measurement ends the launch") {
  AgentHost agent;
  const auto watches = watch_ranks(agent.launch(1, 2, "wait:1:2"));
  agent.send(AgentHost::measure_message(1, 0));
  agent.send({{"type", "stop"}, {"launch", 1}});
  CHECK(agent.receive()["type"] == "stopped");
  check_only_agent_left(agent, watches);
}

TEST_CASE("a stop that comes in the very moment a launch fails is answered") {
  AgentHost agent;
  const json ready = agent.launch(1, 2, "");
  const auto watches = watch_ranks(ready);
  // The agent is stopped until both ranks are dead and the stop is in the pipe, so it finds everything in one
  // turn.
  kill(agent.pid(), SIGSTOP);
  for (const json& rank : ready["ranks"]) kill(rank["pid"].get<pid_t>(), SIGKILL);
  for (const ProcessWatch& watch : watches) REQUIRE(watch.gone());
  agent.send({{"type", "stop"}, {"launch", 1}});
  kill(agent.pid(), SIGCONT);
  CHECK(agent.receive()["type"] == "failed");
  CHECK(agent.receive()["type"] == "stopped");
  check_only_agent_left(agent, {});
}
