#include "core/sha256.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "core/file_descriptor.h"
#include "core/text.h"

namespace collbench {
namespace {

// FIPS 180-4, 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::compress(const std::uint8_t* block) {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::update(std::span<const std::uint8_t> data) {
  bytes_ += data.size();
  while (!data.empty()) {
    if (waiting_ == 0 && data.size() >= kBlockBytes) {
      compress(data.data());
      data = data.subspan(kBlockBytes);
      continue;
    }
    const std::size_t taken = std::min(data.size(), kBlockBytes - waiting_);
    std::copy_n(data.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(waiting_));
    data = data.subspan(taken);
    waiting_ += taken;
    if (waiting_ < kBlockBytes) return;
    compress(pending_.data());
    waiting_ = 0;
  }
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = bytes_ * 8;
  // The padding is 0x80, then zeros up to eight bytes before the end of a block, then the length in bits.
  std::array<std::uint8_t, 2 * kBlockBytes> padding{0x80};
  const std::size_t length = (waiting_ < kBlockBytes - 8 ? kBlockBytes : 2 * kBlockBytes) - waiting_;
  for (std::size_t i = 0; i < 8; ++i) padding[length - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  update(std::span(padding).first(length));
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string sha256_of_file(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return "";
  Sha256 hash;
  std::vector<std::uint8_t> buffer(std::size_t{1} << 20);
  ssize_t n;
  while ((n = read(file.get(), buffer.data(), buffer.size())) > 0)
    hash.update({buffer.data(), static_cast<std::size_t>(n)});
  if (n < 0) return "";
  return hex_of(hash.finish());
}

}  // namespace collbench
