#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <random>
#include <set>

#include "core/error.h"
#include "workloads/moe/check.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

constexpr int kTokens = 12, kHidden = 40, kTopK = 2;
/// Three ranks, six experts: expert 0 is popular, nobody wants expert 5, rank 2 drops tokens.
constexpr const char* kCounts = "12 4 4 3 1 0\n12 0 12 0 0 0\n10 1 2 3 4 0\n";

WorkloadRequest moe_request(const std::string& phase, const std::string& dtype = "bfloat16",
                            const std::string& script = kCounts) {
  return {"moe",
          {{"phase", phase},
           {"routing", "by hand"},
           {"capacity", "dropless"},
           {"dtype", dtype},
           {"experts", std::int64_t{6}},
           {"topK", std::int64_t{kTopK}},
           {"hidden", std::int64_t{kHidden}},
           {"tokens", std::int64_t{kTokens}},
           {"busiestBytes", AxisValue()},
           {"sentBytes", AxisValue()},
           {"rowsBytes", AxisValue()}},
          script};
}

std::string moe_refusal(const std::string& script, int ranks = 3) {
  try {
    static_cast<void>(moe::parse_routing(script, ranks, 6, kTokens, kTopK));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("moe: dispatch, combine and the pair are right over every transport") {
  const std::vector<WorkloadRequest> requests = {
      moe_request("dispatch"),
      moe_request("dispatch", "float8e4m3"),
      moe_request("combine"),
      moe_request("pair"),
      moe_request("pair", "float8e4m3"),
      moe_request("pair", "bfloat16", "0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 1\n")};
  for (const std::string& transport : runnable_transports()) {
    CAPTURE(transport);
    const ExerciseResult found = exercise("cpu", transport, 3, requests);
    for (const std::string& line : found.complaints) FAIL_CHECK(line);
    CHECK(found.compared > 0);
  }
}

TEST_CASE("moe: what was not moved is found, in tokens and in counts") {
  for (const char* phase : {"dispatch", "combine", "pair"}) {
    const ExerciseResult found = exercise("cpu", "socket", 3, {moe_request(phase)}, false);
    CHECK(found.wrong > 0);
    CHECK(found.wrong == found.compared);
  }
}

TEST_CASE("moe: every token is sent to as many experts as any other or one less, all different") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const int tokens = 1 + static_cast<int>(random() % 40), experts = 8;
    std::vector<std::uint32_t> counts;
    std::size_t total = 0;
    for (int expert = 0; expert < experts; ++expert) {
      counts.push_back(random() % static_cast<std::uint32_t>(tokens + 1));
      total += counts.back();
    }
    const moe::Routing routing(1, experts, tokens, counts);
    std::vector<std::set<std::uint32_t>> of_token(static_cast<std::size_t>(tokens));
    std::vector<std::uint32_t> seen(experts);
    for (const moe::RoutedRow& row : routing.rows_of(0)) {
      CHECK(of_token[row.token].insert(row.expert).second);
      ++seen[row.expert];
    }
    CHECK(seen == counts);
    const std::size_t least = total / static_cast<std::size_t>(tokens);
    for (const auto& one : of_token) CHECK((one.size() == least || one.size() == least + 1));
  }
}

TEST_CASE("moe: rows that all ranks send are rows that all ranks receive") {
  const moe::Routing routing = moe::parse_routing(kCounts, 3, 6, kTokens, kTopK);
  std::size_t sent = 0, received = 0;
  for (int rank = 0; rank < 3; ++rank) {
    sent += routing.rows_sent(rank);
    received += routing.rows_received(rank);
    CHECK(moe::arrivals_of(routing, rank).size() == routing.rows_received(rank));
  }
  CHECK(sent == 68);
  CHECK(received == sent);
}

TEST_CASE(
    "moe: a wrong token is named with its sender and expert, and with the token that is there instead") {
  const moe::Routing routing = moe::parse_routing(kCounts, 3, 6, kTokens, kTopK);
  const moe::DataKey data{7, 3};
  const auto arrivals = moe::arrivals_of(routing, 1);
  std::vector<std::byte> rows(arrivals.size() * 2 * kHidden);
  for (std::size_t n = 0; n < arrivals.size(); ++n)
    moe::write_token(data.of_token(arrivals[n].rank, arrivals[n].row.token), rows.data() + n * 2 * kHidden,
                     2 * kHidden);
  CHECK(moe::check_rows(data, arrivals, kTokens, rows.data(), 2 * kHidden).wrong == 0);
  const moe::ArrivedRow swapped = arrivals[9];
  const std::uint32_t other = (swapped.row.token + 1) % kTokens;
  moe::write_token(data.of_token(swapped.rank, other), rows.data() + std::size_t{9} * 2 * kHidden,
                   2 * kHidden);
  const Verification found = moe::check_rows(data, arrivals, kTokens, rows.data(), 2 * kHidden);
  CHECK(found.wrong > kHidden / 2);
  CHECK(found.first_index >= 9 * kHidden);
  CHECK(found.note == "token " + std::to_string(swapped.row.token) + " of rank " +
                          std::to_string(swapped.rank) + " for expert " + std::to_string(swapped.row.expert) +
                          "; the row has token " + std::to_string(other));
}

TEST_CASE("moe: a lost count is named with sender and expert") {
  const moe::Routing routing = moe::parse_routing(kCounts, 3, 6, kTokens, kTopK);
  std::vector<std::uint32_t> counts = {4, 3, 12, 0, 2, 3};  // Experts 2 and 3 are on rank 1.
  CHECK(moe::check_counts(routing, 1, counts.data()).wrong == 0);
  counts[2] = 11;
  const Verification found = moe::check_counts(routing, 1, counts.data());
  CHECK(found.wrong == 1);
  CHECK(found.wanted == "12");
  CHECK(found.got == "11");
  CHECK(found.note == "number of tokens of rank 1 for expert 2");
}

TEST_CASE("moe: combined tokens are held to the error bound of their sum") {
  const moe::Routing routing = moe::parse_routing(kCounts, 3, 6, kTokens, kTopK);
  const moe::DataKey data{7, 3};
  std::vector<float> sums(std::size_t{kTokens} * kHidden);
  for (const moe::RoutedRow& row : routing.rows_of(2)) {
    const std::uint64_t key = data.of_output(2, row.token, row.expert);
    std::array<std::uint16_t, kHidden> output{};
    moe::write_output(key, output.data(), kHidden);
    for (std::size_t i = 0; i < kHidden; ++i)
      sums[row.token * kHidden + i] += moe::weight_of(key) * float_of_bfloat16(output[i]);
  }
  std::vector<std::uint16_t> outputs;
  for (const float sum : sums) outputs.push_back(bfloat16_of_float(sum));
  CHECK(moe::check_outputs(data, routing, 2, outputs.data(), kHidden).wrong == 0);
  outputs[5 * kHidden + 3] ^= 2;  // Two units in the last place.
  const Verification found = moe::check_outputs(data, routing, 2, outputs.data(), kHidden);
  CHECK(found.wrong == 1);
  CHECK(found.first_index == 5 * kHidden + 3);
  CHECK(found.note == "combined token 5 of rank 2");
}

TEST_CASE("moe: impossible routings are refused with the reason") {
  CHECK(moe_refusal(kCounts, 4) == "routing: 6 experts do not divide by 4 ranks");
  CHECK(moe_refusal("13 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n") ==
        "routing: 13 tokens for one expert are more than all 12 of a rank");
  CHECK(moe_refusal("12 12 1 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n") ==
        "routing: rank 0 has 25 rows, more than 2 for each of 12 tokens");
  CHECK(moe_refusal("1 2 3\n") == "traffic matrix: line 0 does not have 6 numbers");
}

TEST_CASE("moe: the steps of an operation are told apart") {
  WorkloadRequest request = moe_request("pair", "bfloat16", "12 4 4 4 0 0\n12 0 12 0 0 0\n");
  const OperationColumns columns = columns_of("cpu", "shm", request);
  for (const char* step : {"packing", "counting", "dispatching", "returning", "combining", "total"}) {
    REQUIRE(columns.contains(step));
    CHECK(columns.at(step).size() == 3);
  }
}
