#include "core/compiler.h"

#include <fcntl.h>
#include <features.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace collbench {
namespace {

constexpr long kPollIntervalNs = 20'000'000;

int start(const std::vector<std::string>& command, const std::string& log, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
#if __GLIBC_PREREQ(2, 34)
  // A compiler that outlives its rank must not hold the rank's socket to the agent open.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // The compiler gets its own process group, so that one kill() ends it and its children.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawn(pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

CompilerResult run_compiler(const std::vector<std::string>& command, const std::string& log,
                            const std::function<bool()>& cancelled) {
  CompilerResult end;
  pid_t pid = 0;
  if (const int error = start(command, log, &pid); error != 0) {
    end.how = std::string("cannot be started: ") + std::strerror(error);
    return end;
  }
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) {
      end.how = std::string("its end is not known: ") + std::strerror(errno);
      return end;
    }
    if (!end.cancelled && cancelled && cancelled()) {
      end.cancelled = true;
      kill(-pid, SIGKILL);
    }
    const timespec pause{0, kPollIntervalNs};
    nanosleep(&pause, nullptr);
  }
  if (WIFEXITED(status)) {
    end.success = WEXITSTATUS(status) == 0;
    end.how = "exit status " + std::to_string(WEXITSTATUS(status));
  } else {
    end.how = "killed by signal " + std::to_string(WTERMSIG(status));
  }
  return end;
}

}  // namespace collbench
