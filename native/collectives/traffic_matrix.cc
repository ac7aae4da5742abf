#include "collectives/traffic_matrix.h"

#include <charconv>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.h"

namespace collbench {
namespace {

/// Largest total of all entries, in bytes; sums of entries below it cannot overflow.
constexpr std::uint64_t kMaxMatrixBytes = std::uint64_t{1} << 53;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument, "traffic matrix: " + why);
}

}  // namespace

std::vector<std::size_t> table_of(std::string_view text, std::size_t rows, std::size_t columns,
                                  std::uint64_t limit) {
  std::vector<std::size_t> numbers;
  numbers.reserve(rows * columns);
  std::uint64_t total = 0;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    std::size_t value = 0;
    const auto [after, error] = std::from_chars(next, end, value);
    if (error != std::errc() || value > limit || (total += value) > limit)
      refuse("entry " + std::to_string(numbers.size()) + " is no number, or too large");
    numbers.push_back(value);
    const bool ends_row = numbers.size() % columns == 0;
    if (after != end && *after != (ends_row ? '\n' : ' '))
      refuse("line " + std::to_string((numbers.size() - 1) / columns) + " does not have " +
             std::to_string(columns) + " numbers");
    next = after == end ? end : after + 1;
  }
  if (numbers.size() != rows * columns)
    refuse(std::to_string(numbers.size()) + " numbers are no table of " + std::to_string(rows) + " x " +
           std::to_string(columns));
  return numbers;
}

TrafficMatrix::TrafficMatrix(int ranks, std::vector<std::size_t> elements)
    : ranks_(ranks), elements_(std::move(elements)) {
  for (int rank = 0; rank < ranks; ++rank) {
    std::size_t sent = 0, received = 0;
    for (int peer = 0; peer < ranks; ++peer) {
      sent_before_.push_back(sent);
      received_before_.push_back(received);
      sent += count(rank, peer);
      received += count(peer, rank);
    }
    sent_before_.push_back(sent);
    received_before_.push_back(received);
  }
}

std::size_t TrafficMatrix::total() const noexcept {
  std::size_t total = 0;
  for (int rank = 0; rank < ranks_; ++rank) total += send_offset(rank, ranks_);
  return total;
}

const TrafficMatrix& traffic_matrix_of(std::string_view text, int ranks, std::size_t element_bytes) {
  if (ranks > kMaxMatrixRanks)
    refuse(std::to_string(ranks) + " ranks are more than " + std::to_string(kMaxMatrixRanks));
  const auto n = static_cast<std::size_t>(ranks);
  TrafficMatrix made(ranks, table_of(text, n, n, kMaxMatrixBytes / element_bytes));
  static std::mutex mutex;
  static std::list<TrafficMatrix> known;  // A list, because its objects keep their addresses.
  const std::lock_guard lock(mutex);
  for (const TrafficMatrix& one : known)
    if (one == made) return one;
  return known.emplace_back(std::move(made));
}

}  // namespace collbench
