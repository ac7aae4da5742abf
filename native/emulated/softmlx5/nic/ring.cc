#include "emulated/softmlx5/nic/ring.h"

#include <algorithm>

namespace collbench::softmlx5 {
namespace {

template <typename Copy>
void for_each_part(const Parts& parts, std::size_t offset, std::size_t bytes, const Copy& copy) noexcept {
  std::size_t done = 0;
  for (const std::span<std::byte>& part : parts) {
    if (offset >= part.size()) {
      offset -= part.size();
      continue;
    }
    const std::size_t now = std::min(part.size() - offset, bytes - done);
    copy(part.data() + offset, done, now);
    done += now;
    offset = 0;
  }
}

}  // namespace

void copy_in(const Parts& parts, std::size_t offset, const std::byte* from, std::size_t bytes) noexcept {
  for_each_part(parts, offset, bytes, [from](std::byte* at, std::size_t done, std::size_t now) {
    std::memcpy(at, from + done, now);
  });
}

void copy_out(const Parts& parts, std::size_t offset, std::byte* to, std::size_t bytes) noexcept {
  for_each_part(parts, offset, bytes,
                [to](std::byte* at, std::size_t done, std::size_t now) { std::memcpy(to + done, at, now); });
}

}  // namespace collbench::softmlx5
