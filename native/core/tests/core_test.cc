#include <doctest/doctest.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "core/clock.h"
#include "core/cores.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/text.h"

using namespace collbench;

TEST_CASE("data types have the sizes that their names say") {
  CHECK(size_of(DataType::kBfloat16) == 2);
  CHECK(kDataTypeNames[static_cast<int>(DataType::kBfloat16)] == "bfloat16");
}

TEST_CASE("a system error names the call, the reason and the number") {
  const Error e = system_error(ErrorCode::kUnavailable, "open /nowhere", 2);
  CHECK(std::string(e.what()) == "open /nowhere: No such file or directory (errno 2)");
  CHECK(std::string(error_code_name(e.code())) == "unavailable");
}

TEST_CASE("a list as text has a separator between any two items, empty ones too") {
  using Items = std::vector<std::string>;
  CHECK(join(Items{}) == "");
  CHECK(join(Items{"a"}) == "a");
  CHECK(join(Items{"a", "b"}) == "a, b");
  CHECK(join(Items{"", "b"}) == ", b");
  CHECK(join(Items{"a", "", "c"}) == "a, , c");
  CHECK(split(join(Items{"", "", ""}), ',').size() == 3);
}

TEST_CASE("the clock never runs backwards") {
  const auto a = now_ns();
  CHECK(now_ns() >= a);
}

TEST_CASE("a process bound to one core goes by the cores of its launcher, not by those of the machine") {
  std::thread([] {
    cpu_set_t one;
    const cpu_set_t all = allowed_cpus();
    std::size_t first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    const auto bind_to_first = [&] { CHECK(sched_setaffinity(0, sizeof one, &one) == 0); };

    declare_cores();
    bind_to_first();
    CHECK(usable_cpus().threads == CPU_COUNT(&all));
    declare_cores();  // Declares a launcher that may use this core only.
    CHECK(usable_cpus().threads == 1);
    use_any_core();
    const cpu_set_t now = allowed_cpus();
    CHECK(CPU_EQUAL(&now, &one));

    setenv(kCpusVariable, "nonsense", 1);
    CHECK(usable_cpus().threads == sysconf(_SC_NPROCESSORS_ONLN));
    unsetenv(kCpusVariable);
  }).join();
}
