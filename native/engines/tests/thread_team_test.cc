#include "engines/cpu/thread_team.h"

#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>

#include "core/spin.h"
#include "engines/cpu/channel_parts.h"

using namespace collbench;
using namespace collbench::cpu;

TEST_CASE("all parts run at the same time, again and again, and no others") {
  for (const std::uint32_t spins : {0U, 1000U}) {
    ThreadTeam team(3, spins);
    for (const int parts : {3, 2, 1, 3}) {
      std::barrier all(parts);  // Passed only if every part runs at the same time.
      std::atomic<int> sum{0};
      team.run(parts, [&](int index) {
        all.arrive_and_wait();
        sum += 1 << index;
      });
      CHECK(sum == (1 << parts) - 1);
    }
  }
}

TEST_CASE("a part that fails stops those that wait, and its error is the one that is thrown") {
  for (const int failing : {0, 2}) {
    ThreadTeam team(3, 100);
    std::string said;
    try {
      team.run(3, [&](int index) {
        if (index == failing) throw std::runtime_error("the peer is gone");
        Spinner spinner;
        while (!team.failed()) spinner.step();
        throw std::runtime_error("stopped");
      });
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
    CHECK(said == "the peer is gone");
    CHECK(team.failed());
  }
}

TEST_CASE("parts are whole cache lines, cover the vector, and are long enough to be worth a thread") {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{40'000}, std::size_t{49'153}, std::size_t{1'000'003}})
    for (const int channels : {1, 2, 3, 16}) {
      Operation operation;
      operation.kind = CollectiveKind::kAllreduce;
      operation.dtype = DataType::kFloat32;
      operation.count = count;
      const int parts = parts_of(operation, channels);
      const std::size_t each = part_elements(operation, parts);
      CHECK(parts >= 1);
      CHECK(parts <= channels);
      CHECK(each * static_cast<std::size_t>(parts) >= count);
      CHECK(each * static_cast<std::size_t>(parts - 1) < count);
      if (parts > 1) CHECK(each * 4 % 64 == 0);
      if (parts > 1) CHECK(count * 4 / static_cast<std::size_t>(parts) >= kMinPartBytes);
      operation.kind = CollectiveKind::kAllgather;
      CHECK(parts_of(operation, channels) == 1);
    }
}
