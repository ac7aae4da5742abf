#include "workloads/moe/routing.h"

#include <numeric>
#include <string>
#include <utility>

#include "collectives/traffic_matrix.h"
#include "core/error.h"

namespace collbench::moe {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument, "routing: " + why);
}

/// Returns the number by which the positions of tokens that follow each other differ; it has no factor in
/// common with `tokens`, so that every token is met.
std::uint64_t stride_of(std::uint64_t tokens) {
  std::uint64_t stride = tokens * 5 / 8 + 1;
  while (std::gcd(stride, tokens) != 1) ++stride;
  return stride;
}

}  // namespace

Routing::Routing(int ranks, int experts, int tokens, std::vector<std::uint32_t> counts)
    : ranks_(ranks), experts_(experts), tokens_(tokens), counts_(std::move(counts)) {}

std::size_t Routing::rows(int rank, int peer) const noexcept {
  std::size_t sum = 0;
  for (int n = 0; n < experts_per_rank(); ++n) sum += count(rank, peer * experts_per_rank() + n);
  return sum;
}

std::size_t Routing::rows_sent(int rank) const noexcept {
  std::size_t sum = 0;
  for (int peer = 0; peer < ranks_; ++peer) sum += rows(rank, peer);
  return sum;
}

std::size_t Routing::rows_received(int rank) const noexcept {
  std::size_t sum = 0;
  for (int peer = 0; peer < ranks_; ++peer) sum += rows(peer, rank);
  return sum;
}

std::vector<RoutedRow> Routing::rows_of(int rank) const {
  std::vector<RoutedRow> rows;
  rows.reserve(rows_sent(rank));
  const auto tokens = static_cast<std::uint64_t>(tokens_);
  const std::uint64_t stride = stride_of(tokens);
  for (int expert = 0; expert < experts_; ++expert)
    for (std::uint32_t n = 0; n < count(rank, expert); ++n)
      rows.push_back({static_cast<std::uint32_t>(rows.size() % tokens * stride % tokens),
                      static_cast<std::uint32_t>(expert)});
  return rows;
}

Routing parse_routing(std::string_view text, int ranks, int experts, int tokens, int top_k) {
  if (experts % ranks != 0)
    refuse(std::to_string(experts) + " experts do not divide by " + std::to_string(ranks) + " ranks");
  const std::vector<std::size_t> numbers =
      table_of(text, static_cast<std::size_t>(ranks), static_cast<std::size_t>(experts), UINT32_MAX);
  std::vector<std::uint32_t> counts;
  for (const std::size_t number : numbers) {
    if (number > static_cast<std::size_t>(tokens))
      refuse(std::to_string(number) + " tokens for one expert are more than all " + std::to_string(tokens) +
             " of a rank");
    counts.push_back(static_cast<std::uint32_t>(number));
  }
  Routing routing(ranks, experts, tokens, std::move(counts));
  const std::size_t most = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(top_k);
  for (int rank = 0; rank < ranks; ++rank)
    if (routing.rows_sent(rank) > most)
      refuse("rank " + std::to_string(rank) + " has " + std::to_string(routing.rows_sent(rank)) +
             " rows, more than " + std::to_string(top_k) + " for each of " + std::to_string(tokens) +
             " tokens");
  return routing;
}

}  // namespace collbench::moe
