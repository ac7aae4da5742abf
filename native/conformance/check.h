#pragma once
// Tests of an interface that run against any library offering it, and their results.
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::conformance {

/// Thrown if the library behaves differently from the interface.
struct TestFailure {
  std::string expected, seen;
};
/// Thrown if the test does not apply to this library or machine.
struct TestSkipped {
  std::string reason;
};

template <typename Value>
std::string text_of(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
/// Name of an errno: "EINVAL (22)"; numbers without a name as digits.
std::string errno_text(int error);

/// @throws TestFailure
inline void expect(bool is_so, const std::string& expected, const std::string& seen) {
  if (!is_so) throw TestFailure{expected, seen};
}
template <typename Wanted, typename Seen>
void expect_equal(const std::string& what, const Wanted& wanted, const Seen& seen) {
  expect(wanted == seen, what + " " + text_of(wanted), text_of(seen));
}
/// Adds a note to the result of a passing test.
void note(const std::string& text);
/// Expects one of the errno values that implementations may return.
void expect_errno(const std::string& what, std::initializer_list<int> allowed, int seen);

/// A test of one interface. `Bench` is an opened library and the objects that tests share.
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

struct ResultRow {
  std::string group, name;
  enum class Outcome { kPassed, kFailed, kSkipped } outcome = Outcome::kPassed;
  std::string expected, seen;  // seen: also the reason of a skip and the notes of a pass
};

/// Seconds for alarm(2) in tests of libraries that may hang; its signal is reported as a hang.
inline constexpr unsigned kAlarmS = 10;

/// Runs `body` in its own process with a fresh library. A crash or a hang becomes the result, with the last
/// lines of output.
ResultRow run_apart(const std::string& group, const std::string& name, void (*body)(void* context),
                    void* context);

/// Prints a result as one line of JSON.
void print(const ResultRow& row);

}  // namespace collbench::conformance
