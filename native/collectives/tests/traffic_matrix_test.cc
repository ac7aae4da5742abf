#include "collectives/traffic_matrix.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "collectives/pattern.h"
#include "core/error.h"

using namespace collbench;

namespace {

std::string refusal(std::string_view text, int ranks) {
  try {
    static_cast<void>(traffic_matrix_of(text, ranks, 4));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "accepted";
}

std::string random_matrix(std::mt19937& random, int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank)
    for (int peer = 0; peer < ranks; ++peer)
      text += std::to_string(random() % 3 == 0 ? 0 : random() % 1000) + (peer + 1 == ranks ? "\n" : " ");
  return text;
}

Pattern pattern_of(const TrafficMatrix& matrix) {
  Pattern pattern;
  pattern.operation.kind = CollectiveKind::kAlltoallv;
  pattern.operation.dtype = DataType::kInt32;
  pattern.operation.traffic = &matrix;
  const auto ranks = static_cast<std::size_t>(matrix.ranks());
  pattern.operation.count = (matrix.total() + ranks * ranks - 1) / (ranks * ranks);
  pattern.ranks = matrix.ranks();
  return pattern;
}

}  // namespace

TEST_CASE("what all ranks send is what all ranks receive, part by part") {
  std::mt19937 random(5);
  for (int ranks = 1; ranks <= 16; ++ranks) {
    const TrafficMatrix& matrix = traffic_matrix_of(random_matrix(random, ranks), ranks, 4);
    std::size_t sent = 0, received = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      for (int peer = 0; peer < ranks; ++peer) {
        CHECK(matrix.send_offset(rank, peer + 1) - matrix.send_offset(rank, peer) ==
              matrix.count(rank, peer));
        CHECK(matrix.recv_offset(rank, peer + 1) - matrix.recv_offset(rank, peer) ==
              matrix.count(peer, rank));
      }
      sent += matrix.send_offset(rank, ranks);
      received += matrix.recv_offset(rank, ranks);
    }
    CHECK(sent == matrix.total());
    CHECK(received == matrix.total());
  }
}

TEST_CASE("every element comes from the part that its sender has for this rank") {
  std::mt19937 random(6);
  for (int round = 0; round < 20; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    const TrafficMatrix& matrix = traffic_matrix_of(random_matrix(random, ranks), ranks, 4);
    const Pattern pattern = pattern_of(matrix);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<std::int32_t> wanted(matrix.recv_offset(rank, ranks));
      for (int peer = 0; peer < ranks; ++peer) {
        std::vector<std::int32_t> sent(matrix.send_offset(peer, ranks));
        if (matrix.count(peer, rank) == 0) continue;
        fill_input(pattern, peer, 4, sent.data());
        std::memcpy(wanted.data() + matrix.recv_offset(rank, peer),
                    sent.data() + matrix.send_offset(peer, rank),
                    matrix.count(peer, rank) * sizeof wanted[0]);
      }
      CHECK(verify(pattern, rank, 4, wanted.data()).wrong == 0);
      if (wanted.empty()) continue;
      wanted.back() ^= 1;
      CHECK(verify(pattern, rank, 4, wanted.data()).wrong == 1);
    }
  }
}

TEST_CASE("equal matrices are one object, so that operations with them are equal") {
  CHECK(&traffic_matrix_of("1 2\n3 4\n", 2, 4) == &traffic_matrix_of("1 2\n3 4", 2, 4));
  CHECK(&traffic_matrix_of("1 2\n3 4\n", 2, 4) != &traffic_matrix_of("1 2\n3 5\n", 2, 4));
}

TEST_CASE("what is no matrix of so many ranks is refused with the place") {
  CHECK(refusal("1 2\n3 4\n", 3) == "traffic matrix: line 0 does not have 3 numbers");
  CHECK(refusal("1 2\n3\n", 2) == "traffic matrix: line 1 does not have 2 numbers");
  CHECK(refusal("1 2\n", 2) == "traffic matrix: 2 numbers are no table of 2 x 2");
  CHECK(refusal("", 2) == "traffic matrix: 0 numbers are no table of 2 x 2");
  CHECK(refusal("1 -2\n3 4\n", 2) == "traffic matrix: entry 1 is no number, or too large");
  CHECK(refusal("1 99999999999999999999\n3 4\n", 2) == "traffic matrix: entry 1 is no number, or too large");
  CHECK(refusal("2251799813685248 1\n0 0\n", 2) == "traffic matrix: entry 1 is no number, or too large");
  CHECK(refusal("1", 257) == "traffic matrix: 257 ranks are more than 256");
}
