#include "engines/cpu/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "core/error.h"

namespace collbench::cpu {
namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kPage = 4096;

constexpr std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
}  // namespace

Pages::Pages(std::size_t bytes) {
  const bool huge = bytes >= kHugePage;
  bytes_ = rounded_up(bytes == 0 ? 1 : bytes, kPage);
  mapped_ = huge ? bytes_ + kHugePage : bytes_;
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw system_error(ErrorCode::kNoMemory, "no memory for a buffer of " + std::to_string(bytes) + " bytes",
                       errno);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = static_cast<std::byte*>(mapping_) + (huge ? rounded_up(address, kHugePage) - address : 0);
  // Huge pages reduce page faults and TLB misses. If the kernel has none, only the speed changes.
  if (huge) madvise(data_, bytes_, MADV_HUGEPAGE);
}

Pages::Pages(Pages&& other) noexcept { *this = std::move(other); }

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Pages::~Pages() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

void Pages::drop_contents() noexcept {
  if (data_ != nullptr) madvise(data_, bytes_, MADV_DONTNEED);
}

}  // namespace collbench::cpu
