#pragma once
// Tests of an interface that run against any library offering it, and their results.
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"

namespace collbench::conformance {

/// Thrown by a test if the library does not behave as its interface requires. Both texts go into the result.
struct TestFailure {
  std::string expected, seen;
};
/// Thrown by a test that cannot be performed with this library or on this machine.
struct TestSkipped {
  std::string reason;
};

template <typename Value>
std::string text_of(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
/// Returns name and number of an errno, "EINVAL (22)"; "errno 999" for a number without a known name.
std::string errno_text(int error);

/// Fails the running test unless `is_so` is true.
/// @param expected description of the required behaviour
/// @param seen description of the observed behaviour
/// @throws TestFailure
inline void expect(bool is_so, const std::string& expected, const std::string& seen) {
  if (!is_so) throw TestFailure{expected, seen};
}
template <typename Wanted, typename Seen>
void expect_equal(const std::string& what, const Wanted& wanted, const Seen& seen) {
  expect(wanted == seen, what + " " + text_of(wanted), text_of(seen));
}
/// Sets a text, such as a measured time, in the running test's result; a later call replaces it. It is shown
/// if the test passes.
void note(const std::string& text);
/// Fails the running test unless the errno `seen` is one of those allowed (0 = success).
/// @param what the call, for the message
/// @throws TestFailure
void expect_errno(const std::string& what, std::initializer_list<int> allowed, int seen);

/// An address (512 MiB) where the kernel maps nothing unless it is asked to: it places mappings downwards
/// from the stack. Sanitizers leave it to programs, too. For tests that need memory to stay unmapped.
constexpr std::uintptr_t kLowAddress = 0x20000000;

/// A conformance test. `Bench` is the class with the opened library under test and the objects that its
/// tests share.
template <typename Bench>
struct Test {
  const char* name;  // full sentence
  void (*run)(Bench&);
};
template <typename Bench>
struct TestGroup {
  const char* name;
  std::span<const Test<Bench>> tests;
  bool needs_peer = false;  // true: the tests need a second process
  bool decides = false;     // true: if one of its tests fails, later groups are skipped
};

/// Result of one conformance test: passed, failed or skipped, with the reason.
struct ResultRow {
  std::string group, name;
  enum class Outcome { kPassed, kFailed, kSkipped } outcome = Outcome::kPassed;
  std::string expected, seen;  // seen: also the reason of a skip and the notes of a pass
};

/// Time limit of a wait that polls: it is over when this thread has run for 5 s, or after 25 s. On a busy
/// machine a thread may run for a tenth of the time only, which is not the library's fault.
class WaitLimit {
 public:
  /// Gives other threads a turn, then returns true if the limit is over.
  [[nodiscard]] bool is_over() const;

 private:
  std::int64_t ran_ns_ = thread_cpu_ns();
  std::int64_t began_ns_ = now_ns();
};

/// Time limit in seconds for tests of libraries that may hang. The test sets alarm(2); its signal is reported
/// as a hang.
inline constexpr unsigned kAlarmS = 40;

/// Runs a test in a process of its own, which opens the library anew. A crash or hang (60 s without a report)
/// of that process becomes the result, with its last lines of output.
/// @param group,name names of the test, for the result
/// @param context argument of `body`
ResultRow run_apart(const std::string& group, const std::string& name, void (*body)(void* context),
                    void* context);

/// Prints a test's result to stdout as one line of JSON.
void print(const ResultRow& row);

/// Fills memory with test data: bytes that depend on `seed` and on their position.
void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed);
/// Describes where the bytes `seen` differ from `wanted`, for the message of a failed test; "" if nowhere.
std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes);
/// Compares `bytes` bytes of memory with the expected data `wanted`.
/// @throws TestFailure if a byte differs
void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes);

}  // namespace collbench::conformance
