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

/// True if both digests are equal. The comparison takes the same time for any content, so that its duration
/// does not help to guess a digest byte by byte.
bool equal_in_constant_time(const Digest& a, const Digest& b) noexcept;

}  // namespace collbench::socket
