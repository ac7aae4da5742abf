#pragma once
// Bytes that a test sends and finds again.
#include <cstddef>
#include <string>

namespace collbench::conformance {

/// Bytes that differ by seed and index.
void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed);
/// Bytes that differ, as text for a failure; "" where all are the same.
std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes);
/// @throws Failure
void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes);

}  // namespace collbench::conformance
