#pragma once
// Runs the groups of an interface: each test in its own process, with a second process if the group needs
// one. Also the messages between those two.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "emulated/conformance/check.h"

namespace collbench::conformance {

template <typename Bench, typename Target>
struct Job {
  const Target* target;
  void (*test)(Bench&);
  void (*serve)(const Target&, int socket);  // nullptr: no second process
};

template <typename Bench, typename Target>
void run_job(void* context) {
  const auto& job = *static_cast<const Job<Bench, Target>*>(context);
  int sockets[2] = {-1, -1};
  pid_t peer = -1;
  if (job.serve != nullptr) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) throw TestFailure{"a socket pair", "none"};
    peer = fork();  // forked before the library has threads
    if (peer == 0) {
      close(sockets[0]);
      job.serve(*job.target, sockets[1]);
    }
    close(sockets[1]);
  }
  Bench bench(*job.target);
  bench.other_end = sockets[0];
  bench.peer = peer;
  job.test(bench);
}

/// Runs the tests of all groups and prints a result for each. If a test fails in a group that decides
/// (TestGroup::decides), the tests after it are skipped.
/// @param target constructor argument of Bench: the library to test
/// @param only name of a single group to run besides those that decide; "" = all
/// @param serve code of the second process, for groups that need one: opens the library, handles commands
/// from the socket, never returns
template <typename Bench, typename Target>
void run_groups(std::span<const TestGroup<Bench>> groups, const Target& target, const std::string& only,
                void (*serve)(const Target&, int)) {
  std::string failed;  // name of a failed test that decides
  for (const TestGroup<Bench>& group : groups) {
    if (!only.empty() && only != group.name && !group.decides) continue;
    for (const Test<Bench>& test : group.tests) {
      if (!failed.empty()) {
        print({group.name, test.name, ResultRow::Outcome::kSkipped, "", "it failed before: " + failed});
        continue;
      }
      Job<Bench, Target> job{&target, test.run, group.needs_peer ? serve : nullptr};
      const ResultRow row = run_apart(group.name, test.name, run_job<Bench, Target>, &job);
      print(row);
      if (group.decides && row.outcome == ResultRow::Outcome::kFailed) failed = row.name;
    }
  }
}

/// Sends a value, as it lies in memory, through the socket between a test and its second process.
/// @throws TestFailure if the process at the other end has ended
template <typename Value>
void put(int socket, const Value& value) {
  expect(send(socket, &value, sizeof value, MSG_NOSIGNAL) == sizeof value, "the other process listens",
         "it is gone");
}
/// Waits for a value from the socket between a test and its second process, and returns it.
/// @throws TestFailure if the process at the other end has ended
template <typename Value>
Value take(int socket) {
  Value value{};
  expect(recv(socket, &value, sizeof value, MSG_WAITALL) == sizeof value, "an answer of the other process",
         "it is gone");
  return value;
}

/// Runs in a test's second process: opens the library, runs `work` and exits. If it fails, it prints the
/// reason to stderr, and the test sees a closed socket. It stays silent if the library does not open, because
/// the test itself reports that.
template <typename Bench, typename Target, typename Work>
[[noreturn]] void serve_with(const Target& target, Work work) {
  bool is_open = false;
  try {
    Bench bench(target);
    is_open = true;
    work(bench);
    _exit(0);
  } catch (const TestFailure& failure) {
    if (is_open)
      std::fprintf(stderr, "the other process: expected %s, seen %s\n", failure.expected.c_str(),
                   failure.seen.c_str());
  } catch (const TestSkipped&) {
    // The test itself reports the skip.
  }
  _exit(1);
}

}  // namespace collbench::conformance
