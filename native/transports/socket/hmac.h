#pragma once
// HMAC-SHA-256 (RFC 2104, FIPS 180-4) for the connection handshake. A connection needs a dozen blocks, so
// plain code is fast enough.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace collbench::socket {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::span<const std::uint8_t> data);
Digest hmac_sha256(std::string_view key, std::span<const std::uint8_t> data);

/// Compares in constant time, so that a digest cannot be guessed byte by byte.
bool equal_in_constant_time(const Digest& a, const Digest& b) noexcept;

}  // namespace collbench::socket
