#include "measure/arrival_skew.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/error.h"

using namespace collbench;

namespace {
/// Delays of all ranks in one operation.
std::vector<std::int64_t> delays(const ArrivalSkew& skew, std::uint64_t seed, std::uint64_t iteration,
                                 int ranks) {
  std::vector<std::int64_t> out;
  for (int rank = 0; rank < ranks; ++rank) out.push_back(skew.delay_ns(seed, iteration, rank, ranks));
  return out;
}
}  // namespace

TEST_CASE("a named rank is late by the whole time in every operation, the others are in time") {
  for (const std::uint64_t iteration : {0U, 1U, 1'000U}) {
    CHECK(delays(parse_arrival_skew("250us:2", 4), 7, iteration, 4) ==
          std::vector<std::int64_t>{0, 0, 250'000, 0});
    CHECK(delays(parse_arrival_skew("1ms", 2), 7, iteration, 2) == std::vector<std::int64_t>{1'000'000, 0});
  }
}

TEST_CASE("all ranks are spread evenly from 0 to the time") {
  CHECK(delays(parse_arrival_skew("300ns:all", 4), 7, 5, 4) == std::vector<std::int64_t>{0, 100, 200, 300});
  CHECK(delays(parse_arrival_skew("100ms:all", 2), 7, 5, 2) == std::vector<std::int64_t>{0, 100'000'000});
}

TEST_CASE("a random rank is one rank per operation, by the seed, and each rank has its turn") {
  const ArrivalSkew skew = parse_arrival_skew("50us:random", 3);
  std::set<std::size_t> seen;
  std::vector<std::size_t> order;
  std::vector<std::size_t> other_order;
  const auto late_rank = [&](std::uint64_t seed, std::uint64_t iteration) {
    const auto of = delays(skew, seed, iteration, 3);
    CHECK(std::count(of.begin(), of.end(), 50'000) == 1);
    CHECK(std::count(of.begin(), of.end(), 0) == 2);
    return static_cast<std::size_t>(std::max_element(of.begin(), of.end()) - of.begin());
  };
  for (std::uint64_t iteration = 0; iteration < 100; ++iteration) {
    order.push_back(late_rank(7, iteration));
    other_order.push_back(late_rank(8, iteration));
    seen.insert(order.back());
    CHECK(late_rank(7, iteration) == order.back());
  }
  CHECK(seen.size() == 3);
  CHECK(order != other_order);
}

TEST_CASE("what is no skew, or names a rank that is not there, is refused") {
  for (const char* text : {"", "us", "0us", "5", "5s", "-5us", "101ms", "1.5us", "5us:", "5us:2", "5us:-1",
                           "5us:some", "99999999999999999999us", "9223372036854775807ms"})
    CHECK_THROWS_AS(parse_arrival_skew(text, 2), Error);
  CHECK_THROWS_AS(parse_arrival_skew("5us", 1), Error);
}
