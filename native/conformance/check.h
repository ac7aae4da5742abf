#pragma once
// Tests of an interface that run against any library that offers it, and what they say.
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::conformance {

/// The library did otherwise than the interface says.
struct Failure {
  std::string expected, seen;
};
/// The test has nothing to look at here.
struct Skipped {
  std::string reason;
};

template <typename Value>
std::string text_of(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
/// "EINVAL (22)"; numbers without a name as they are.
std::string errno_text(int error);

/// @throws Failure
inline void expect(bool is_so, const std::string& expected, const std::string& seen) {
  if (!is_so) throw Failure{expected, seen};
}
template <typename Wanted, typename Seen>
void expect_equal(const std::string& what, const Wanted& wanted, const Seen& seen) {
  expect(wanted == seen, what + " " + text_of(wanted), text_of(seen));
}
/// What a test that passes has to say besides.
void note(const std::string& text);
/// One of the errno values that implementations may give.
void expect_errno(const std::string& what, std::initializer_list<int> allowed, int seen);

/// A test of one interface; `Bench` is an opened library with what tests share.
template <typename Bench>
struct Test {
  const char* name;  // a sentence
  void (*run)(Bench&);
};
template <typename Bench>
struct Group {
  const char* name;
  std::span<const Test<Bench>> tests;
  bool needs_peer = false;  // its tests are between two processes
  bool decides = false;     // where one of its tests fails, the groups after it are skipped
};

struct Row {
  std::string group, name;
  enum class Outcome { kPassed, kFailed, kSkipped } outcome = Outcome::kPassed;
  std::string expected, seen;  // seen: the reason, too, of what was skipped, and notes of what passed
};

/// For alarm(2) in tests of libraries that may hang, s; its signal is said to be that.
inline constexpr unsigned kAlarmS = 10;

/// Runs `body` in a process of its own: a crash or a hang is its result, with the last lines that it wrote,
/// and each test has a fresh library.
Row run_apart(const std::string& group, const std::string& name, void (*body)(void* context), void* context);

/// Prints a row as one line of JSON.
void print(const Row& row);

}  // namespace collbench::conformance
