#pragma once
// Test data: patterns to send and their comparison.
#include <cstddef>
#include <string>

namespace collbench::conformance {

/// Fills memory with test data: bytes that depend on `seed` and on their position.
void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed);
/// Describes where the bytes `seen` differ from `wanted`, for the message of a failed test; "" if nowhere.
std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes);
/// Compares `bytes` bytes of memory with the expected data `wanted`.
/// @throws TestFailure if a byte differs
void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes);

}  // namespace collbench::conformance
