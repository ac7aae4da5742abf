#include "agent/blame.h"

#include <doctest/doctest.h>

using namespace collbench::agent;

TEST_CASE("who began: a death, else an error of its own, else the first to lose a connection") {
  const RankEnd silent, died{true, "", 0}, own{false, "protocol", 50}, cancelled{false, "cancelled", 1};
  const RankEnd lost{false, "connection_lost", 20}, lost_later{false, "connection_lost", 30};
  CHECK(first_cause({own, cancelled, died}) == 2U);
  CHECK(first_cause({lost, own, cancelled}) == 1U);
  CHECK(first_cause({cancelled, silent, lost}) == 2U);
  CHECK(first_cause({lost_later, lost}) == 1U);
  CHECK(first_cause({silent, cancelled}) == 1U);
  CHECK_FALSE(first_cause({silent, silent}).has_value());
  CHECK(has_own_cause({cancelled, lost}));
  CHECK(has_own_cause({died}));
  CHECK_FALSE(has_own_cause({silent, cancelled}));
}

TEST_CASE("the culprit is the dead one, else the stopped one, else the one alone behind") {
  RankReport alive, dead;
  alive.alive = true;
  using Progress = std::vector<std::pair<std::uint64_t, std::int64_t>>;
  CHECK(likely_culprit({alive, dead}, "S?", Progress{{0, 1}, {0, 9}}) == 1U);
  CHECK(likely_culprit({alive, alive, alive}, "SST", Progress{{0, 9}, {0, 1}, {0, 9}}) == 2U);
  CHECK(likely_culprit({alive, alive, alive}, "RRR", Progress{{3, 17}, {3, 16}, {3, 17}}) == 1U);
  CHECK(likely_culprit({alive, alive}, "RR", Progress{{3, 0}, {2, 40}}) == 1U);
  CHECK_FALSE(likely_culprit({alive, alive, alive}, "RRR", Progress{{3, 16}, {3, 16}, {3, 17}}).has_value());
  CHECK_FALSE(likely_culprit({alive}, "R", Progress{{3, 16}}).has_value());
}
