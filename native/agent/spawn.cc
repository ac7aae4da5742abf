#include "agent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/child_process.h"
#include "core/error.h"

namespace collbench::agent {
namespace {

Error failed(const char* what) { return system_error(ErrorCode::kInternal, what, errno); }

struct ChildPlan {
  pid_t parent;
  int control, shared_state, log, output, null;
  const std::vector<unsigned long>*cpus, *memory_nodes;  // Bit masks as the kernel takes them.
  char* const* arguments;
  char* const* environment;
};

constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);

std::vector<unsigned long> mask_of(const std::vector<int>& numbers) {
  std::vector<unsigned long> mask;
  for (const int number : numbers) {
    const auto word = static_cast<std::size_t>(number) / kWordBits;
    if (mask.size() <= word) mask.resize(word + 1);
    mask[word] |= 1UL << static_cast<std::size_t>(number) % kWordBits;
  }
  return mask;
}

/// Binds the process to the requested CPUs and memory nodes. Errors are not checked here, because the agent
/// reads the binding from the kernel afterwards.
void bind(const ChildPlan& plan) {
  if (!plan.cpus->empty())
    syscall(SYS_sched_setaffinity, 0, plan.cpus->size() * sizeof(unsigned long), plan.cpus->data());
  if (!plan.memory_nodes->empty()) {
    constexpr int kBind = 2;  // MPOL_BIND; not all systems have linux/mempolicy.h.
    // The kernel uses one bit fewer than the given number.
    syscall(SYS_set_mempolicy, kBind, plan.memory_nodes->data(), plan.memory_nodes->size() * kWordBits + 1);
  }
}

/// Prepares the forked process and starts the rank's program in it. It calls only functions that are safe in
/// the child of a process with several threads (async-signal-safe).
[[noreturn]] void become_rank(const ChildPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(0);  // If the agent died before prctl(), no signal will come.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  bind(plan);
  // All source descriptors lie above the targets, so no dup2 overwrites one that is needed later.
  dup2(plan.null, STDIN_FILENO);
  dup2(plan.output, STDOUT_FILENO);  // Libraries that print to stdout must not write into the protocol.
  dup2(plan.output, STDERR_FILENO);
  dup2(plan.control, kControlFd);
  dup2(plan.shared_state, kSharedStateFd);
  dup2(plan.log, kEngineLogFd);
#if defined(SYS_close_range)
  syscall(SYS_close_range, kEngineLogFd + 1, ~0U,
          0U);  // Our descriptors are close-on-exec; this closes inherited ones.
#endif
  execve("/proc/self/exe", plan.arguments, plan.environment);
  _exit(127);
}

}  // namespace

SpawnedProcess spawn(const SpawnRequest& request) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw failed("making a rank's control socket");
  FileDescriptor ours(sockets[0]), theirs(sockets[1]);
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) throw failed("making a rank's error pipe");
  FileDescriptor reading(pipes[0]), writing(pipes[1]);
  const FileDescriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null.get() < 0) throw failed("opening /dev/null");
  const FileDescriptor control = lift(theirs.get()), shared_state = lift(request.shared_state_fd),
                       log = lift(request.log_fd), output = lift(writing.get()), input = lift(null.get());

  std::vector<std::string> words = request.words;
  words.insert(words.begin(), "collbench-agent");
  const std::vector<char*> arguments = pointers_to(words);
  std::vector<std::string> variables = merge_environment(request.environment);
  const std::vector<char*> environment = pointers_to(variables);
  const std::vector<unsigned long> cpus = mask_of(request.cpus), nodes = mask_of(request.memory_nodes);
  const ChildPlan plan{
      getpid(), control.get(), shared_state.get(), log.get(),         output.get(), input.get(),
      &cpus,    &nodes,        arguments.data(),   environment.data()};
  const pid_t pid = fork();
  if (pid < 0) throw failed("starting a rank process");
  if (pid == 0) become_rank(plan);
  // Parent and child both call setpgid(), so that the group exists for whichever needs it first.
  setpgid(pid, pid);
  set_non_blocking(ours.get());
  set_non_blocking(reading.get());
  return {pid, std::move(ours), std::move(reading)};
}

}  // namespace collbench::agent
