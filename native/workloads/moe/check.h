#pragma once
// Comparison of dispatched rows, of combined tokens and of counts with what the routing says.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/verification.h"
#include "workloads/moe/routing.h"
#include "workloads/moe/values.h"

namespace collbench::moe {

/// Position of one row in the receive buffer of a dispatch, with its origin.
struct ArrivedRow {
  int rank = 0;
  RoutedRow row;
};

/// Returns the rows that `rank` receives, in their order: by source rank, then by expert.
std::vector<ArrivedRow> arrivals_of(const Routing& routing, int rank);

/// Writes the content of a token. @param bytes length of the row; a multiple of 2
void write_token(std::uint64_t key, std::byte* to, std::size_t bytes) noexcept;

/// Compares rows that a dispatch left on this rank with the tokens that they must be. One element is two
/// bytes. The note names the first wrong row's token, sender and expert, and the token that is there
/// instead, if it is one of the same sender.
Verification check_rows(const DataKey& data, const std::vector<ArrivedRow>& expected, int tokens,
                        const std::byte* rows, std::size_t row_bytes);

/// Compares numbers of tokens that ranks announced for the experts of `rank` with the routing.
/// @param counts by source rank, then by expert of this rank
Verification check_counts(const Routing& routing, int rank, const std::uint32_t* counts);

/// Compares combined tokens (bfloat16) with the weighted sum of the experts' outputs in float64. An element
/// may differ by the error bound of a float32 sum of k products, (1 + u) k 2^-24 / (1 - k 2^-24) times the
/// sum of their absolute values, plus u = 2^-8 times the exact value, for the rounding to bfloat16 (Higham,
/// Accuracy and Stability of Numerical Algorithms, section 3.1). @param hidden a multiple of 8
Verification check_outputs(const DataKey& data, const Routing& routing, int rank,
                           const std::uint16_t* outputs, std::size_t hidden);

/// Adds the result of a part of the operation to `all`, whose first wrong element is kept.
void add_part(Verification& all, Verification&& part);

}  // namespace collbench::moe
