#pragma once
// Big-endian fields at any alignment, and words that other threads or devices write.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace collbench::softmlx5 {

inline std::uint16_t big16(std::uint16_t value) noexcept { return __builtin_bswap16(value); }
inline std::uint32_t big32(std::uint32_t value) noexcept { return __builtin_bswap32(value); }
inline std::uint64_t big64(std::uint64_t value) noexcept { return __builtin_bswap64(value); }

inline std::uint16_t swapped(std::uint16_t value) noexcept { return big16(value); }
inline std::uint32_t swapped(std::uint32_t value) noexcept { return big32(value); }
inline std::uint64_t swapped(std::uint64_t value) noexcept { return big64(value); }

template <typename Number>
void store_big(std::byte* at, Number value) noexcept {
  value = swapped(value);
  std::memcpy(at, &value, sizeof value);
}

inline std::uint16_t load16(const std::byte* at) noexcept {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return big16(value);
}
inline std::uint32_t load32(const std::byte* at) noexcept {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return big32(value);
}
inline std::uint64_t load64(const std::byte* at) noexcept {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return big64(value);
}

/// Returns atomic access to a word in the client's memory, which must be aligned to its size.
template <typename Word>
std::atomic_ref<Word> shared_word(const std::byte* at) noexcept {
  return std::atomic_ref<Word>(*reinterpret_cast<Word*>(const_cast<std::byte*>(at)));
}

}  // namespace collbench::softmlx5
