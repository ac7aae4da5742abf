#pragma once
// Test data: patterns to send and their comparison.
#include <cstddef>
#include <string>

namespace collbench::conformance {

/// Fills with bytes that depend on seed and index.
void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed);
/// Text about the differing bytes, for a failure; "" if all are equal.
std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes);
/// @throws TestFailure
void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes);

}  // namespace collbench::conformance
