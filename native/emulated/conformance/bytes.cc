#include "emulated/conformance/bytes.h"

#include "emulated/conformance/check.h"

namespace collbench::conformance {

void fill_pattern(std::byte* at, std::size_t bytes, unsigned seed) {
  for (std::size_t n = 0; n < bytes; ++n)
    at[n] = static_cast<std::byte>((n * 167 + seed * 31 + (n >> 8)) & 0xff);
}

std::string difference(const std::byte* wanted, const std::byte* seen, std::size_t bytes) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t n = bytes; n-- > 0;)
    if (wanted[n] != seen[n]) {
      ++wrong;
      first = n;
    }
  if (wrong == 0) return "";
  return std::to_string(wrong) + " of " + std::to_string(bytes) + " bytes differ, first at " +
         std::to_string(first);
}

void expect_bytes(const std::byte* wanted, const std::byte* seen, std::size_t bytes) {
  const std::string wrong = difference(wanted, seen, bytes);
  expect(wrong.empty(), std::to_string(bytes) + " bytes as sent", wrong);
}

}  // namespace collbench::conformance
