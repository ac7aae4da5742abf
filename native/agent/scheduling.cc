#include "agent/scheduling.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "metrics/control_groups.h"

namespace collbench::agent {
namespace {

/// Number of attempts, and pause between them in ms, to set the priority of the session (autogroup). Without
/// root the kernel accepts one change in 100 ms on the whole machine, and all ranks try at once.
constexpr int kAttempts = 50, kPauseMs = 100;

/// Writes a text to a file of the kernel in one piece. Returns 0, or the errno of the failure.
int write_once(const std::string& path, std::string_view text) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || write(file.get(), text.data(), text.size()) < 0) return errno;
  return 0;
}

/// Returns the folders above the outermost control group with a quota, the nearest first; empty without
/// such a group. @throws Error(kUnavailable) if that group is the outermost one that this process can see
std::vector<std::string> folders_without_quota(const metrics::Roots& roots) {
  const std::vector<std::string> groups = metrics::control_groups(roots, "cpu");
  std::vector<std::string> found;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto is_inside = [&](std::size_t above) {
      return above < groups.size() && groups[above - 1].starts_with(groups[above] + "/");
    };
    if (!metrics::has_cpu_quota(groups[i])) continue;
    if (!is_inside(i + 1))
      throw Error(ErrorCode::kUnavailable,
                  "--cpu-quota leave: the group above " + groups[i] +
                      " is not visible here; needs a start outside of the container");
    found.clear();
    for (std::size_t above = i + 1; is_inside(above); ++above) found.push_back(groups[above]);
  }
  return found;
}

}  // namespace

void raise_priority(const metrics::Roots& roots) {
  if (setpriority(PRIO_PROCESS, 0, kHighPriorityNice) != 0)
    throw system_error(ErrorCode::kUnavailable,
                       "--priority high: needs root, CAP_SYS_NICE or a limit of 'ulimit -e 40'", errno);
  const std::string path = roots.proc + "/self/autogroup";
  int error = EAGAIN;
  for (int i = 0; i < kAttempts && error == EAGAIN; ++i) {
    if (i > 0) poll(nullptr, 0, kPauseMs);
    error = write_once(path, std::to_string(kHighPriorityNice));
  }
  // ENOENT: this kernel has no autogroups. EINVAL: the session has none of its own.
  if (error != 0 && error != ENOENT && error != EINVAL)
    throw system_error(ErrorCode::kUnavailable, "--priority high: cannot write " + path, error);
}

void leave_cpu_quota(const metrics::Roots& roots) {
  // Version 2 refuses processes (EBUSY) in a group that gives its controllers to groups inside, except at
  // the top.
  int error = 0;
  std::string path;
  for (const std::string& folder : folders_without_quota(roots)) {
    path = folder + "/cgroup.procs";
    // "0" is the writing process.
    error = write_once(path, "0");
    if (error != EBUSY) break;
  }
  if (error != 0)
    throw system_error(ErrorCode::kUnavailable, "--cpu-quota leave: needs root; cannot write " + path, error);
}

}  // namespace collbench::agent
