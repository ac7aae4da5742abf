#pragma once
// HMAC-SHA-256 (RFC 2104, FIPS 180-4) for the connection handshake; a dozen blocks per connection, so plain
// code will do.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace collbench::socket {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::span<const std::uint8_t> data);
Digest hmac_sha256(std::string_view key, std::span<const std::uint8_t> data);

/// Takes the same time whatever differs, so that a digest cannot be guessed byte by byte.
bool equal_in_constant_time(const Digest& a, const Digest& b) noexcept;

}  // namespace collbench::socket
