// Tests of --priority high and --cpu-quota leave, by a real agent and by drawn control groups.
#include "agent/scheduling.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "agent/tests/agent_host.h"
#include "core/error.h"

using nlohmann::json;
using namespace collbench;
using namespace collbench::agent;

namespace {

/// Control groups of version 1 in a temporary folder. The process is in /outer/inner.
class DrawnGroups {
 public:
  /// @param quotas cpu.cfs_quota_us of the groups "", /outer and /outer/inner
  explicit DrawnGroups(const std::vector<std::string>& quotas) {
    roots.proc = folder_ + "/proc";
    roots.sys = folder_ + "/sys";
    std::filesystem::create_directories(roots.proc + "/self");
    std::ofstream(roots.proc + "/self/cgroup") << "3:cpu,cpuacct:/outer/inner\n1:name=systemd:/\n";
    const std::vector<std::string> groups = {"", "/outer", "/outer/inner"};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::string group = roots.sys + "/fs/cgroup/cpu" + groups[i];
      std::filesystem::create_directories(group);
      std::ofstream(group + "/cpu.cfs_quota_us") << quotas[i] << '\n';
      std::ofstream(group + "/cgroup.procs") << "";
    }
  }
  DrawnGroups(const DrawnGroups&) = delete;
  DrawnGroups& operator=(const DrawnGroups&) = delete;
  ~DrawnGroups() { std::filesystem::remove_all(folder_); }

  /// Content of the group's list of processes.
  [[nodiscard]] std::string members(const std::string& group) const {
    std::string text;
    std::getline(std::ifstream(roots.sys + "/fs/cgroup/cpu" + group + "/cgroup.procs"), text);
    return text;
  }
  metrics::Roots roots;

 private:
  static std::string make_folder() {
    std::string folder = std::filesystem::temp_directory_path() / "collbench-groups-XXXXXX";
    return mkdtemp(folder.data()) == nullptr ? "/nonexistent" : folder;
  }
  const std::string folder_ = make_folder();
};

}  // namespace

TEST_CASE("a process leaves the outermost group with a quota for the group above it") {
  const DrawnGroups outer({"-1", "50000", "20000"}), inner({"-1", "-1", "20000"});
  leave_cpu_quota(outer.roots);
  CHECK(outer.members("") == "0");
  CHECK(outer.members("/outer").empty());
  leave_cpu_quota(inner.roots);
  CHECK(inner.members("/outer") == "0");
  CHECK(inner.members("").empty());
}

TEST_CASE("without a quota nothing is written; a quota of the outermost visible group is refused") {
  const DrawnGroups none({"-1", "-1", "-1"}), container({"50000", "-1", "-1"});
  leave_cpu_quota(none.roots);
  for (const char* group : {"", "/outer", "/outer/inner"}) CHECK(none.members(group).empty());
  std::string reason;
  try {
    leave_cpu_quota(container.roots);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kUnavailable);
    reason = error.what();
  }
  CHECK(reason.find("is not visible here") != std::string::npos);
}

TEST_CASE(
    "ranks with high priority have nice -20, or the launch fails and says what it needs; no other session is "
    "raised") {
  const auto own_session = [] {
    std::string text;
    std::getline(std::ifstream("/proc/self/autogroup"), text);
    return text;
  };
  const std::string before = own_session();
  AgentHost agent;
  json launch = AgentHost::launch_message(1, 2, "", 60000);
  launch["highPriority"] = true;
  const json answer = agent.launch(launch);
  CAPTURE(answer.dump());
  if (answer["type"] == "ready") {
    for (const json& rank : answer["ranks"])
      CHECK(getpriority(PRIO_PROCESS, rank["pid"].get<id_t>()) == kHighPriorityNice);
    CHECK(getpriority(PRIO_PROCESS, static_cast<id_t>(agent.pid())) > kHighPriorityNice);
  } else {
    REQUIRE(answer["type"] == "failed");
    CHECK(answer["reason"].get<std::string>().find("needs root") != std::string::npos);
  }
  CHECK(own_session() == before);
}
