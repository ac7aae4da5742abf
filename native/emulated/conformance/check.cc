#include "emulated/conformance/check.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/spin.h"

namespace collbench::conformance {
namespace {

constexpr int kLongestTestMs = 60'000;
constexpr std::int64_t kLongestRunNs = 5'000'000'000, kLongestWaitNs = 25'000'000'000;

struct ErrnoName {
  int value;
  const char* name;
};
constexpr ErrnoName kErrors[] = {{0, "no error"},
                                 {EINVAL, "EINVAL"},
                                 {ENOMEM, "ENOMEM"},
                                 {EBUSY, "EBUSY"},
                                 {EFAULT, "EFAULT"},
                                 {EBADF, "EBADF"},
                                 {ENODEV, "ENODEV"},
                                 {EOPNOTSUPP, "EOPNOTSUPP"},
                                 {EREMOTEIO, "EREMOTEIO"},
                                 {EAGAIN, "EAGAIN"},
                                 {EPERM, "EPERM"},
                                 {ENOSYS, "ENOSYS"},
                                 {EPROTONOSUPPORT, "EPROTONOSUPPORT"}};

const char* name_of(ResultRow::Outcome outcome) {
  switch (outcome) {
    case ResultRow::Outcome::kPassed:
      return "passed";
    case ResultRow::Outcome::kFailed:
      return "failed";
    case ResultRow::Outcome::kSkipped:
      return "skipped";
  }
  return "";
}

std::string noted;

/// Runs a test and returns its report: outcome as one digit, expected and seen text, each text followed by a
/// zero byte.
std::string run_and_report(void (*body)(void*), void* context) {
  const auto report = [](ResultRow::Outcome outcome, const std::string& expected, const std::string& seen) {
    return std::string(1, static_cast<char>('0' + static_cast<int>(outcome))) + expected + '\0' + seen + '\0';
  };
  try {
    body(context);
    return report(ResultRow::Outcome::kPassed, "", noted);
  } catch (const TestFailure& failure) {
    return report(ResultRow::Outcome::kFailed, failure.expected, failure.seen);
  } catch (const TestSkipped& skipped) {
    return report(ResultRow::Outcome::kSkipped, "", skipped.reason);
  } catch (const std::exception& error) {
    return report(ResultRow::Outcome::kFailed, "the test runs to its end", error.what());
  }
}

/// Returns the last whole lines, up to 400 bytes, of the file into which a test's output went, joined by " |
/// ". They follow "; its last words: "; "" if there are none.
std::string last_output_lines(int fd) {
  constexpr off_t kMost = 400;
  const off_t end = lseek(fd, 0, SEEK_END);
  const off_t from = end > kMost ? end - kMost : 0;
  std::string text(static_cast<std::size_t>(end - from), '\0');
  const ssize_t count = pread(fd, text.data(), text.size(), from);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (from > 0) text.erase(0, text.find('\n') + 1);  // npos + 1 = 0: the text is one long line
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, " | ");
  return text.empty() ? "" : "; its last words: " + text;
}

std::string describe_death(int signal) {
  if (signal == SIGALRM) return "no end within " + std::to_string(kAlarmS) + " s";
  return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

/// Byte that marks the end of a report. The end of the pipe is not enough, because a process that a plugin
/// left behind may keep the pipe open.
constexpr char kEnd = '\0';

/// Reads the report until kEnd, or until the writer has ended. False if no byte arrived for kLongestTestMs.
bool read_all(int fd, std::string* text) {
  for (;;) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, kLongestTestMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char bytes[4096];
    const ssize_t count = read(fd, bytes, sizeof bytes);
    if (count <= 0) return true;
    text->append(bytes, static_cast<std::size_t>(count));
    if (text->back() != kEnd) continue;
    text->pop_back();
    return true;
  }
}

}  // namespace

bool WaitLimit::is_over() const {
  yield_core();
  return thread_cpu_ns() - ran_ns_ > kLongestRunNs || now_ns() - began_ns_ > kLongestWaitNs;
}

void note(const std::string& text) { noted = text; }

std::string errno_text(int error) {
  for (const ErrnoName& one : kErrors)
    if (one.value == error) return std::string(one.name) + " (" + std::to_string(error) + ")";
  return "errno " + std::to_string(error);
}

void expect_errno(const std::string& what, std::initializer_list<int> allowed, int seen) {
  std::string expected;
  for (const int one : allowed) {
    if (one == seen) return;
    expected += (expected.empty() ? "" : " or ") + errno_text(one);
  }
  throw TestFailure{what + ": " + expected, errno_text(seen)};
}

ResultRow run_apart(const std::string& group, const std::string& name, void (*body)(void*), void* context) {
  ResultRow row{group, name, ResultRow::Outcome::kFailed, "the test runs to its end", ""};
  int ends[2];
  if (pipe(ends) != 0) {
    row.seen = std::string("no pipe: ") + std::strerror(errno);
    return row;
  }
  std::fflush(stdout);
  const int output = memfd_create("output of a test", MFD_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)) _exit(1);
    const std::string report = run_and_report(body, context) + kEnd;
    std::fflush(nullptr);
    const ssize_t written = write(ends[1], report.data(), report.size());
    _exit(written == static_cast<ssize_t>(report.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string report;
  const bool ended = read_all(ends[0], &report);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!ended) {
    row.seen = "no end within " + std::to_string(kLongestTestMs / 1000) + " s" + last_output_lines(output);
  } else if (WIFSIGNALED(status)) {
    row.seen = describe_death(WTERMSIG(status)) + last_output_lines(output);
  } else if (report.size() < 3) {
    row.seen = "the process ended without a result, exit code " + std::to_string(WEXITSTATUS(status)) +
               last_output_lines(output);
  } else {
    row.outcome = static_cast<ResultRow::Outcome>(report[0] - '0');
    row.expected = report.c_str() + 1;
    row.seen = report.c_str() + 2 + row.expected.size();
  }
  if (output >= 0) close(output);
  return row;
}

void print(const ResultRow& row) {
  const nlohmann::json line = {{"group", row.group},
                               {"name", row.name},
                               {"outcome", name_of(row.outcome)},
                               {"expected", row.expected},
                               {"seen", row.seen}};
  std::printf("%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed) {
  for (std::size_t n = 0; n < bytes; ++n)
    at[n] = static_cast<std::byte>((n * 167 + seed * 31 + (n >> 8)) & 0xff);
}

std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t n = bytes; n-- > 0;)
    if (wanted[n] != seen[n]) {
      ++wrong;
      first = n;
    }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(bytes) + " bytes differ, first at " +
         std::to_string(first);
}

void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes) {
  const std::string wrong = difference(wanted, seen, bytes);
  expect(wrong.empty(), std::to_string(bytes) + " bytes as sent", wrong);
}

}  // namespace collbench::conformance
