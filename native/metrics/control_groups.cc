#include "metrics/control_groups.h"

#include <unistd.h>

#include <algorithm>

#include "metrics/inventory.h"
#include "metrics/kernel_file.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

/// True if a comma-separated list of cgroup controllers contains `wanted`, e.g. "cpu" in "cpu,cpuacct".
bool holds(std::string_view controllers, std::string_view wanted) {
  for (;;) {
    const std::size_t end = controllers.find(',');
    if (controllers.substr(0, end) == wanted) return true;
    if (end == std::string_view::npos) return false;
    controllers.remove_prefix(end + 1);
  }
}

/// Memory limits from this value on mean "no limit": a group without limit reports "max", or with version 1 a
/// number near 2^63.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;

}  // namespace

std::vector<std::string> control_groups(const Roots& roots, std::string_view controller) {
  const std::string top = roots.sys + "/fs/cgroup";
  std::vector<std::string> folders;
  const auto add = [&](const std::string& root, std::string path) {
    while (!path.empty() && path != "/") {
      folders.push_back(root + path);
      path.erase(std::min(path.size(), path.rfind('/')));
    }
    folders.push_back(root);
  };
  const std::string text = read_small_file(roots.proc + "/self/cgroup");
  each_whole_line(text, [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (path.find("..") != std::string::npos) return;
    if (controllers.empty())
      for (const char* mount : {"", "/unified"}) add(top + mount, path);
    if (!holds(controllers, controller)) return;
    // If both folders exist, the second is a link to the first.
    const std::string together = top + "/" + std::string(controllers);
    add(access(together.c_str(), F_OK) == 0 ? together : top + "/" + std::string(controller), path);
  });
  return folders;
}

bool has_cpu_quota(const std::string& group) {
  for (const char* file : {"/cpu.max", "/cpu.cfs_quota_us"}) {
    const std::string text = first_line_of(group + file);
    std::string_view line = text;
    if (whole_number(take_word(line))) return true;
  }
  return false;
}

std::optional<std::uint64_t> memory_limit(const Roots& roots) {
  std::optional<std::uint64_t> least;
  for (const std::string& group : control_groups(roots, "memory")) {
    for (const char* file : {"/memory.max", "/memory.limit_in_bytes"}) {
      const auto bytes = whole_number(first_line_of(group + file));
      if (bytes && *bytes < kNoLimit) least = std::min(*bytes, least.value_or(*bytes));
    }
  }
  return least;
}

std::optional<std::uint64_t> out_of_memory_kills(const Roots& roots) {
  std::optional<std::uint64_t> kills;
  const std::string text = read_small_file(roots.proc + "/vmstat");
  each_whole_line(text, [&](std::string_view line) {
    if (take_word(line) == "oom_kill") kills = whole_number(take_word(line));
  });
  return kills;
}

}  // namespace collbench::metrics
