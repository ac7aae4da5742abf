#include "transports/socket/hmac.h"

#include <algorithm>
#include <vector>

#include "core/sha256.h"

namespace collbench::socket {
namespace {

constexpr std::size_t kBlockBytes = Sha256::kBlockBytes;

}  // namespace

Digest sha256(std::span<const std::uint8_t> data) {
  Sha256 hash;
  hash.update(data);
  return hash.finish();
}

Digest hmac_sha256(std::string_view key, std::span<const std::uint8_t> data) {
  std::array<std::uint8_t, kBlockBytes> block{};
  if (key.size() > kBlockBytes) {
    const Digest shortened = sha256({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
    std::copy(shortened.begin(), shortened.end(), block.begin());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  std::vector<std::uint8_t> inner, outer;
  for (const std::uint8_t byte : block) {
    inner.push_back(byte ^ 0x36);
    outer.push_back(byte ^ 0x5c);
  }
  inner.insert(inner.end(), data.begin(), data.end());
  const Digest inner_digest = sha256(inner);
  outer.insert(outer.end(), inner_digest.begin(), inner_digest.end());
  return sha256(outer);
}

bool equal_in_constant_time(const Digest& a, const Digest& b) noexcept {
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<std::uint8_t>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace collbench::socket
