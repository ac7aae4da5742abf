#pragma once
// A traffic matrix: how many elements each rank sends to each other rank in an alltoallv.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace collbench {

/// Largest number of ranks of a traffic matrix; a matrix of more ranks would be a message of many megabytes.
inline constexpr int kMaxMatrixRanks = 256;

/// Elements that each rank sends to each rank, itself included. Send and receive buffers contain the parts
/// in the order of the peers, without gaps. Ranks may send and receive different totals.
class TrafficMatrix {
 public:
  /// @param elements row by row: entry rank * ranks + peer is what `rank` sends to `peer`
  TrafficMatrix(int ranks, std::vector<std::size_t> elements);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::size_t count(int rank, int peer) const noexcept { return elements_[at(rank, peer)]; }
  /// Returns the index of the first element for `peer` in the send buffer of `rank`; peer == ranks gives the
  /// total.
  [[nodiscard]] std::size_t send_offset(int rank, int peer) const noexcept {
    return sent_before_[offset_at(rank, peer)];
  }
  /// Returns the index of the first element from `peer` in the receive buffer of `rank`; peer == ranks gives
  /// the total.
  [[nodiscard]] std::size_t recv_offset(int rank, int peer) const noexcept {
    return received_before_[offset_at(rank, peer)];
  }
  /// Returns the number of elements of all parts together.
  [[nodiscard]] std::size_t total() const noexcept;
  bool operator==(const TrafficMatrix&) const = default;

 private:
  [[nodiscard]] std::size_t at(int rank, int peer) const noexcept {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(peer);
  }
  [[nodiscard]] std::size_t offset_at(int rank, int peer) const noexcept {
    return at(rank, peer) + static_cast<std::size_t>(rank);
  }

  int ranks_;
  std::vector<std::size_t> elements_, sent_before_, received_before_;
};

/// Parses a table of numbers: one line per row, one space between numbers.
/// @param limit largest sum of all numbers
/// @throws Error(kInvalidArgument) if the text is no such table, or its sum is above the limit
std::vector<std::size_t> table_of(std::string_view text, std::size_t rows, std::size_t columns,
                                  std::uint64_t limit);

/// Parses a matrix: one line per sender, numbers of elements with one space between.
/// @returns the only object in this process with this content; it exists until the process ends, so
/// operations can be compared by its address
/// @throws Error(kInvalidArgument) if the text is no matrix of so many ranks, there are more than
/// kMaxMatrixRanks ranks, or all elements together have more than 2^53 bytes
const TrafficMatrix& traffic_matrix_of(std::string_view text, int ranks, std::size_t element_bytes);

}  // namespace collbench
