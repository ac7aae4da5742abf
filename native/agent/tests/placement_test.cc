// Tests that a real agent on this machine binds ranks as the launch says. The binding is read from the kernel
// afterwards.
#include <doctest/doctest.h>
#include <unistd.h>

#include "agent/cores.h"
#include "agent/tests/agent_host.h"
#include "core/tests/machines.h"
#include "metrics/inventory.h"
#include "metrics/parse.h"

using nlohmann::json;
using namespace collbench;
using namespace collbench::agent;
using namespace collbench::testing;

namespace {

json place(int rank, const std::string& cpus, const std::string& nodes = "") {
  return {{"rank", rank}, {"cpus", cpus}, {"memoryNodes", nodes}};
}

json with_places(const json& placements, int ranks) {
  json launch = AgentHost::launch_message(1, ranks, "", 60000);
  launch["placements"] = placements;
  return launch;
}

/// Returns the agent's answer to a launch with these placements.
json launched(AgentHost& agent, const json& placements) {
  return agent.launch(with_places(placements, static_cast<int>(placements.size())));
}

}  // namespace

TEST_CASE("each rank runs where its place says, and is reported as the kernel sees it") {
  AgentHost agent;
  const std::string mine = agent.hello()["cpus"];
  CHECK(mine == metrics::allowed_cpus(getpid()));
  const std::vector<int> cpus = metrics::parse_list(mine).value();
  const std::string first = std::to_string(cpus.front()), last = std::to_string(cpus.back());
  const json ready = launched(agent, {place(0, last), place(1, first), place(2, mine), place(3, "")});
  REQUIRE(ready["type"] == "ready");
  CHECK(ready["ranks"][0]["cpus"] == last);
  CHECK(ready["ranks"][0]["cpu"] == cpus.back());
  CHECK(ready["ranks"][1]["cpus"] == first);
  CHECK(ready["ranks"][2]["cpus"] == mine);
  CHECK(ready["ranks"][3]["cpus"] == mine);
  CHECK(ready["ranks"][3]["cpu"].is_null());
  CHECK(ready["ranks"][0]["cores"] == std::to_string(cpu_topology().core_of(cpus.back())));
  CHECK(ready["ranks"][3]["cores"] == metrics::cores_among(mine));
  CHECK(agent.hello()["oneCpuPerCore"] == metrics::one_cpu_per_core(mine));
}

TEST_CASE("memory is bound to NUMA nodes, which the kernel confirms") {
  if (access("/proc/self/numa_maps", R_OK) != 0) {
    MESSAGE("this kernel knows no NUMA");
    return;
  }
  AgentHost agent;
  const json ready = launched(agent, {place(0, "", "0"), place(1, "")});
  CAPTURE(ready.dump());
  REQUIRE(ready["type"] == "ready");
  CHECK(ready["ranks"][0]["memory"] == "bind:0");
  CHECK(ready["ranks"][1]["memory"] == "");
}

TEST_CASE("a CPU that is not there fails the launch before anything is measured") {
  AgentHost agent;
  const json failed = launched(agent, {place(0, "0"), place(1, "60000")});
  REQUIRE(failed["type"] == "failed");
  CHECK(failed["kind"] == "setup");
  CHECK(failed["rank"] == 1);
  CHECK(failed["reason"].get<std::string>().find(", not on 60000 as asked") != std::string::npos);
}

TEST_CASE("placements that are none for these ranks are refused with what is allowed") {
  struct PlacementCase {
    json placements;
    const char* reason;
  };
  for (const PlacementCase& one :
       {PlacementCase{{place(0, "0")}, "one for each of localRanks"},
        PlacementCase{{place(0, "0"), place(0, "1")}, "one for each of localRanks"},
        PlacementCase{{place(0, "0"), place(1, "zero")}, "a list such as 0-3,8"},
        PlacementCase{{place(0, "0"), place(1, "0", "2-1")}, "a list such as 0-3,8"}}) {
    CAPTURE(one.placements.dump());
    AgentHost agent;
    agent.send(with_places(one.placements, 2));
    CHECK(agent.wait() == 1);
    CHECK(agent.error_text().find(one.reason) != std::string::npos);
  }
}

TEST_CASE("launches move on to other cores of the same package, one core stays free, then they start again") {
  using collbench::agent::cores_of_turn;
  using Cores = std::vector<int>;
  std::vector<DrawnCore> one_package, two_packages;
  for (int cpu = 0; cpu < 10; ++cpu) one_package.push_back({{cpu}, 0});
  for (int cpu = 0; cpu < 8; ++cpu) two_packages.push_back({{cpu}, cpu / 4});
  const DrawnMachine one(one_package), two(two_packages);
  const Cores eight{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(cores_of_turn(eight, 2, 0, one.topology()) == Cores{0, 1});
  CHECK(cores_of_turn(eight, 2, 1, one.topology()) == Cores{2, 3});
  CHECK(cores_of_turn(eight, 2, 2, one.topology()) == Cores{4, 5});
  CHECK(cores_of_turn(eight, 2, 3, one.topology()) == Cores{0, 1});
  CHECK(cores_of_turn({0, 1}, 2, 5, one.topology()) == Cores{0, 1});
  CHECK(cores_of_turn({3, 5, 9}, 2, 1, one.topology()) == Cores{3, 5});
  for (int turn = 0; turn < 4; ++turn) CHECK(cores_of_turn(eight, 2, turn, two.topology()) == Cores{0, 1});
  CHECK(cores_of_turn(eight, 1, 2, two.topology()) == Cores{2});
  CHECK(cores_of_turn(eight, 6, 1, two.topology()) == Cores{0, 1, 2, 3, 4, 5});
}

TEST_CASE(
    "ranks get cores of their own before any gets the second thread of one, however CPUs are numbered") {
  using collbench::agent::cores_of_turn;
  using Cores = std::vector<int>;
  const Cores eight{0, 1, 2, 3, 4, 5, 6, 7};
  // Siblings have consecutive numbers, as in many clouds and on POWER.
  const DrawnMachine neighbours(adjacent_siblings());
  CHECK(cores_of_turn(eight, 2, 0, neighbours.topology()) == Cores{0, 2});
  CHECK(cores_of_turn(eight, 4, 0, neighbours.topology()) == Cores{0, 2, 4, 6});
  CHECK(cores_of_turn(eight, 6, 0, neighbours.topology()) == Cores{0, 2, 4, 6, 1, 3});
  CHECK(cores_of_turn({1, 2, 3, 5}, 3, 0, neighbours.topology()) == Cores{1, 2, 5});
  // The second half of the CPUs are the second threads, as on most servers.
  const DrawnMachine halves(siblings_in_halves());
  CHECK(cores_of_turn(eight, 2, 0, halves.topology()) == Cores{0, 1});
  CHECK(cores_of_turn(eight, 4, 0, halves.topology()) == Cores{0, 1, 2, 3});
}
