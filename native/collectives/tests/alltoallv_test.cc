#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "collectives/pattern.h"

using namespace collbench;

TEST_CASE("alltoallv: parts of a rank add up to ranks*count, and what one sends is what the other receives") {
  for (const std::size_t count : {0UL, 1UL, 2UL, 7UL, 1000UL, (1UL << 36) + 5})
    for (const int ranks : {1, 2, 3, 4, 7, 8, 64})
      for (int rank = 0; rank < ranks; ++rank) {
        std::size_t offset = 0;
        for (int peer = 0; peer < ranks; ++peer) {
          CHECK(alltoallv_offset(count, rank, peer, ranks) == offset);
          CHECK(alltoallv_count(count, rank, peer, ranks) == alltoallv_count(count, peer, rank, ranks));
          offset += alltoallv_count(count, rank, peer, ranks);
        }
        CHECK(offset == count * static_cast<std::size_t>(ranks));
        CHECK(alltoallv_offset(count, rank, ranks, ranks) == offset);
      }
}

TEST_CASE("alltoallv: parts run from half the count to one and a half") {
  const std::size_t parts[5] = {500, 750, 1000, 1250, 1500};
  for (int rank = 0; rank < 5; ++rank)
    for (int peer = 0; peer < 5; ++peer)
      CHECK(alltoallv_count(1000, rank, peer, 5) == parts[(rank + peer) % 5]);
  CHECK(alltoallv_count(1000, 0, 0, 1) == 1000);
}

TEST_CASE("alltoallv: rank 1 of 3 gets its part of each rank's data, packed") {
  Pattern pattern;
  pattern.operation.kind = CollectiveKind::kAlltoallv;
  pattern.operation.dtype = DataType::kInt32;
  pattern.operation.count = 10;
  pattern.ranks = 3;
  // Part lengths by (rank + peer) % 3 are 5, 10, 15. Rank 0 sends 5, 10, 15; rank 1 10, 15, 5; rank 2 15, 5,
  // 10.
  struct Part {
    int rank;
    std::size_t first, length;
  };
  const Part parts[] = {{0, 5, 10}, {1, 10, 15}, {2, 15, 5}};
  std::vector<std::int32_t> wanted(30), got(30);
  std::int32_t* to = wanted.data();
  for (const Part& part : parts) {
    std::vector<std::int32_t> send(30);
    fill_input(pattern, part.rank, 4, send.data());
    std::memcpy(to, send.data() + part.first, part.length * sizeof(std::int32_t));
    to += part.length;
  }
  expected_output(pattern, 1, 4, 0, 30, got.data());
  CHECK(got == wanted);
  CHECK(verify(pattern, 1, 4, wanted.data()).wrong == 0);
  // The output is the same, wherever the range begins.
  expected_output(pattern, 1, 4, 7, 20, got.data());
  CHECK(std::memcmp(got.data(), wanted.data() + 7, 20 * sizeof(std::int32_t)) == 0);
}
