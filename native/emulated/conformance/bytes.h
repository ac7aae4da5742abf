#pragma once
// Test data: patterns to send and their comparison.
#include <cstddef>
#include <string>

namespace collbench::conformance {

/// Fills memory with a pattern that depends on seed and position.
void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed);
/// Describes which bytes differ, for the message of a failed test; "" if all are equal.
std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes);
/// Compares memory with what is expected.
/// @throws TestFailure if a byte differs
void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes);

}  // namespace collbench::conformance
