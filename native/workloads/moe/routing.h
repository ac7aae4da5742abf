#pragma once
// Which token goes to which expert: mixture of experts with expert parallelism. Expert e is on rank
// e / (experts / ranks).
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace collbench::moe {

/// One token that a rank dispatches, for one of the token's experts.
struct RoutedRow {
  std::uint32_t token = 0;
  std::uint32_t expert = 0;
};

/// Number of tokens that each rank sends to each expert.
class Routing {
 public:
  /// @param counts rank by rank: entry rank * experts + expert
  Routing(int ranks, int experts, int tokens, std::vector<std::uint32_t> counts);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int experts_per_rank() const noexcept { return experts_ / ranks_; }
  [[nodiscard]] int tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::uint32_t count(int rank, int expert) const noexcept {
    return counts_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(experts_) +
                   static_cast<std::size_t>(expert)];
  }
  /// Returns the number of rows that `rank` sends to the experts of `peer`.
  [[nodiscard]] std::size_t rows(int rank, int peer) const noexcept;
  /// Returns the number of rows that `rank` sends to all experts.
  [[nodiscard]] std::size_t rows_sent(int rank) const noexcept;
  /// Returns the number of rows that the experts of `rank` receive.
  [[nodiscard]] std::size_t rows_received(int rank) const noexcept;
  /// Returns the rows of `rank` in the order in which they are sent: by expert. The rows of all experts
  /// together take the tokens in a fixed order, again and again; each token's number follows from the one
  /// before by adding a stride, modulo tokens(). So the experts of a token are all different, and two tokens'
  /// numbers of experts differ by at most one.
  [[nodiscard]] std::vector<RoutedRow> rows_of(int rank) const;

 private:
  int ranks_, experts_, tokens_;
  std::vector<std::uint32_t> counts_;
};

/// Parses counts: one line per rank, numbers of tokens by expert with one space between.
/// @throws Error(kInvalidArgument) if the experts do not divide by the ranks, if the text is no such table,
/// if an expert gets more than all tokens of a rank, or a rank has more than `top_k` rows per token
Routing parse_routing(std::string_view text, int ranks, int experts, int tokens, int top_k);

}  // namespace collbench::moe
