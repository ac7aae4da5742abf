// Tests of how many cores ranks may use, on several kinds of machines.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/cpu_topology.h"
#include "core/spin.h"
#include "core/tests/machines.h"

using namespace collbench;
using namespace collbench::testing;

namespace {

cpu_set_t set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return set;
}

}  // namespace

TEST_CASE("hardware threads of one core count as one core, whatever their numbers") {
  struct UsableCpusCase {
    const char* machine;
    std::vector<DrawnCore> cores;
    std::vector<int> allowed, launcher;
    int usable_cores, usable_threads;
  };
  const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
  for (const UsableCpusCase& one : {
           UsableCpusCase{"siblings adjacent", adjacent_siblings(), eight, {}, 4, 8},
           UsableCpusCase{
               "siblings adjacent, the first threads alone", adjacent_siblings(), {0, 2, 4, 6}, {}, 4, 4},
           UsableCpusCase{
               "siblings adjacent, one sibling of two cores", adjacent_siblings(), {1, 3}, {}, 2, 2},
           UsableCpusCase{"siblings adjacent, half of the CPUs", adjacent_siblings(), {0, 1, 2, 3}, {}, 2, 4},
           UsableCpusCase{"siblings in halves", siblings_in_halves(), eight, {}, 4, 8},
           UsableCpusCase{
               "siblings in halves, half of the CPUs", siblings_in_halves(), {0, 1, 2, 3}, {}, 4, 4},
           UsableCpusCase{"SMT off", smt_off(), {0, 2, 4, 6}, {}, 4, 4},
           UsableCpusCase{
               "POWER, SMT8", smt8(), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {}, 2, 16},
           UsableCpusCase{"no siblings listed", {}, eight, {}, 8, 8},
           // A process bound to one core does not see the others' cores.
           UsableCpusCase{
               "bound to one CPU, launcher may use two cores", adjacent_siblings(), {2}, {0, 1, 2, 3}, 2, 4},
           UsableCpusCase{"bound to both threads of a core", adjacent_siblings(), {2, 3}, {0, 1, 2, 3}, 2, 4},
           UsableCpusCase{"bound to one sibling, launcher too", adjacent_siblings(), {1}, {1}, 1, 1},
           UsableCpusCase{
               "bound to one core, no launcher: the machine", adjacent_siblings(), {6, 7}, {}, 4, 8},
           UsableCpusCase{"bound to one core, no launcher, SMT off", smt_off(), {6}, {}, 4, 4},
       }) {
    CAPTURE(one.machine);
    const DrawnMachine machine(one.cores);
    const auto [cores, threads] = count_usable(set_of(one.allowed), set_of(one.launcher), machine.topology());
    CHECK(cores == one.usable_cores);
    CHECK(threads == one.usable_threads);
  }
}

TEST_CASE(
    "waits spin on cores of their own, yield where they share a core, and sleep where they share a thread") {
  CHECK(spins_for(4, {4, 8}) == Spinner::kDefaultSpins);
  CHECK(spins_for(5, {4, 8}) == Spinner::kSharedCoreSpins);
  CHECK(spins_for(8, {4, 8}) == Spinner::kSharedCoreSpins);
  CHECK(spins_for(9, {4, 8}) == 0);
  CHECK(spins_for(5, {4, 4}) == 0);
}
