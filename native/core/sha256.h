#pragma once
// SHA-256 (FIPS 180-4) of data given in pieces.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace collbench {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;
  static constexpr std::size_t kBlockBytes = 64;

  void update(std::span<const std::uint8_t> data);
  /// Returns the digest of all data that were added. The object must not be used afterwards.
  Digest finish();

 private:
  void compress(const std::uint8_t* block);
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlockBytes> pending_{};
  std::size_t waiting_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Returns the SHA-256 of the file as hexadecimal digits; "" if the file cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace collbench
