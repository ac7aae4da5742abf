#include "engines/worker/child.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "core/spin.h"

using namespace collbench;
using namespace collbench::worker;

namespace {

ChildRequest shell(const std::string& text) { return {"sh", text, {}, {}, -1}; }

bool runs(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return status >> number >> name >> state && state != "Z";
}

}  // namespace

TEST_CASE("a child runs the text that it was given and answers line by line") {
  Child child(shell("while read -r line <&3; do echo \"got $line\" >&4; done"));
  CHECK(child.send("one"));
  CHECK(child.receive({}) == "got one");
  CHECK(child.send("two"));
  CHECK(child.send("three"));
  CHECK(child.receive({}) == "got two");
  CHECK(child.receive({}) == "got three");
  CHECK(child.end(60'000'000'000));  // The pipe is closed, so the loop ends.
}

TEST_CASE("arguments and variables reach it as they are") {
  ChildRequest request = shell("echo \"$1|$VALUE\" >&4");
  request.arguments = {"a b $(touch /tmp/never) '"};
  request.environment = {{"VALUE", "x; y"}};
  Child child(request);
  CHECK(child.receive({}) == "a b $(touch /tmp/never) '|x; y");
}

TEST_CASE("how a child ended is said") {
  Child failing(shell("exit 7"));
  CHECK_THROWS_WITH_AS(failing.receive({}), "the worker process ended with status 7", Error);
  Child killed(shell("kill -9 $$"));
  CHECK_THROWS_WITH_AS(killed.receive({}), "the worker process was killed by signal 9 (Killed)", Error);
  CHECK_THROWS_AS(Child({"/nonexistent/python", "", {}, {}, -1}), Error);
}

TEST_CASE("a wait for a child that hangs ends when the run does, and nothing of it is left") {
  pid_t pid = 0, grandchild = 0;
  {
    Child child(shell("trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >&4; sleep 600' & sleep 600"));
    pid = child.pid();
    grandchild = static_cast<pid_t>(std::stol(child.receive({})));
    CHECK(runs(grandchild));
    int polls = 0;
    CHECK_THROWS_WITH_AS(child.receive([&] { return ++polls > 3; }), "stopped while waiting for the worker",
                         Error);
  }
  CHECK_FALSE(runs(pid));
  while (runs(grandchild)) yield_core();  // A killed process is there until it gets a processor to end on.
}
