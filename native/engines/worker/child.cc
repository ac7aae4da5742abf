#include "engines/worker/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "core/child_process.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/process_tree.h"

extern char** environ;

namespace collbench::worker {
namespace {

constexpr int kPollMs = 20;
constexpr std::int64_t kNapNs = 2'000'000;
// Time after which a killed process that is still there is given up.
constexpr std::int64_t kKilledNs = 5'000'000'000;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

Error failed(const char* what) { return system_error(ErrorCode::kInternal, what, errno); }

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw failed("making a pipe for a worker");
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
  }
  FileDescriptor read, write;
};

FileDescriptor file_with(const std::string& text) {
  FileDescriptor file(memfd_create("collbench-worker", MFD_CLOEXEC));
  if (file.get() < 0) throw failed("making the file of a worker's text");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) throw failed("writing a worker's text");
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return file;
}

struct ChildStart {
  pid_t parent;
  std::array<int, 7> from;  // Descriptors that become 0 to 6 in the child.
  const char* program;
  char* const* arguments;
  char* const* environment;
  int failure;
};

/// Prepares the forked process and starts the child's program in it. Only functions that are safe after the
/// fork of a multi-threaded process may be called.
[[noreturn]] void become_child(const ChildStart& start) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  for (int fd = 0; fd < static_cast<int>(start.from.size()); ++fd)
    dup2(start.from[static_cast<std::size_t>(fd)], fd);
  environ = const_cast<char**>(start.environment);  // execvp searches the PATH of this environment.
  execvp(start.program, start.arguments);
  const int error = errno;
  if (write(start.failure, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

/// Process ids of the child processes that Child objects own; end_orphans() leaves these alone.
struct OwnedChildren {
  std::mutex mutex;
  std::set<pid_t> pids;
};
OwnedChildren& owned() {
  static OwnedChildren all;
  return all;
}

void nap() {
  const timespec slice{0, kNapNs};
  nanosleep(&slice, nullptr);
}

}  // namespace

Child::Child(const ChildRequest& request) {
  // Processes that the child leaves behind become children of this process (end_orphans).
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Pipe asked, answered, failure;
  const FileDescriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null.get() < 0) throw failed("opening /dev/null");
  const FileDescriptor text = file_with(request.text);
  const FileDescriptor input = lift(null.get()), log = lift(request.log_fd < 0 ? null.get() : request.log_fd),
                       library_log = lift(request.library_log_fd < 0 ? null.get() : request.library_log_fd),
                       reads = lift(asked.read.get()), writes = lift(answered.write.get()),
                       program_text = lift(text.get());
  FileDescriptor failing = lift(failure.write.get());
  std::vector<std::string> arguments{request.program};
  if (request.runs_text && !request.text.empty())
    arguments.push_back("/proc/self/fd/" + std::to_string(kChildText));
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> variables = merge_environment(request.environment);
  const std::vector<char*> argument_list = pointers_to(arguments), variable_list = pointers_to(variables);
  const ChildStart start{
      getpid(),
      {input.get(), log.get(), log.get(), reads.get(), writes.get(), program_text.get(), library_log.get()},
      request.program.c_str(),
      argument_list.data(),
      variable_list.data(),
      failing.get()};
  {
    const std::lock_guard lock(owned().mutex);
    pid_ = fork();
    if (pid_ == 0) become_child(start);
    if (pid_ > 0) owned().pids.insert(pid_);
  }
  if (pid_ < 0) throw failed("starting a worker process");
  failure.write.reset();
  failing.reset();
  int error = 0;
  ssize_t n;
  while ((n = read(failure.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (n == sizeof error) {
    waitpid(pid_, &status_, 0);
    forget();
    throw system_error(ErrorCode::kUnavailable, "starting " + request.program, error);
  }
  to_ = std::move(asked.write);
  from_ = std::move(answered.read);
}

Child::~Child() {
  end(0);
  end_orphans();
}

bool Child::send(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(to_.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string Child::receive(const std::function<bool()>& cancelled) {
  while (lines_.empty()) {
    if (cancelled && cancelled()) throw Error(ErrorCode::kCancelled, "stopped while waiting for the worker");
    pollfd answer{from_.get(), POLLIN, 0};
    if (poll(&answer, 1, kPollMs) <= 0) continue;
    char buffer[65536];
    const ssize_t n = read(from_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (!reap(kKilledNs)) kill(pid_, SIGKILL);
      throw Error(ErrorCode::kInternal, "the worker process " + describe_exit());
    }
    pending_.append(buffer, static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t at; (at = pending_.find('\n', begin)) != std::string::npos; begin = at + 1)
      lines_.push_back(pending_.substr(begin, at - begin));
    pending_.erase(0, begin);
    if (pending_.size() > kLongestLine)
      throw Error(ErrorCode::kProtocol, "the worker process wrote a line without end");
  }
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

std::string Child::describe_exit() const {
  if (!reaped_) return "closed its pipe and goes on";
  if (WIFSIGNALED(status_)) {
    const int number = WTERMSIG(status_);
    return "was killed by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

void Child::forget() {
  const std::lock_guard lock(owned().mutex);
  owned().pids.erase(pid_);
  reaped_ = true;
}

bool Child::reap(std::int64_t limit_ns) {
  for (const std::int64_t end = now_ns() + limit_ns; !reaped_;) {
    const pid_t found = waitpid(pid_, &status_, WNOHANG);
    if (found == pid_ || (found < 0 && errno == ECHILD)) forget();
    if (reaped_ || now_ns() >= end) break;
    nap();
  }
  return reaped_;
}

bool Child::end(std::int64_t grace_ns) {
  if (pid_ < 0) return true;
  to_.reset();
  if (!reap(grace_ns)) {
    kill(pid_, SIGKILL);
    reap(kKilledNs);
  }
  return reaped_ && WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

void end_orphans() {
  const std::lock_guard lock(owned().mutex);
  end_children([](pid_t child) { return owned().pids.contains(child); });
}

}  // namespace collbench::worker
