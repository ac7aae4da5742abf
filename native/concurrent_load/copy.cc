#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "concurrent_load/kinds.h"
#include "core/error.h"

namespace collbench::concurrent_load {
namespace {

constexpr std::size_t kSlice = std::size_t{64} << 10;
constexpr std::size_t kLeast = std::size_t{16} << 20, kMost = std::size_t{64} << 20;

/// Returns the length in bytes of the source buffer and also of the target buffer: the size of the last-level
/// cache, so that both together exceed the cache. The length is at least 16 MiB, also if the cache size is
/// unknown. It is at most 64 MiB, because launches that wait keep their buffers.
std::size_t buffer_bytes() noexcept {
  long cache = -1;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  const auto wanted = static_cast<std::size_t>(std::max(cache, 0L));
  return std::clamp(wanted, kLeast, kMost) / kSlice * kSlice;
}

class Copy final : public LoadTask {
 public:
  explicit Copy(std::size_t bytes) : bytes_(bytes) {
    void* memory = mmap(nullptr, 2 * bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw Error(ErrorCode::kInternal,
                  "--beside copy: out of memory for " + std::to_string(2 * bytes_) + " bytes");
    memory_ = static_cast<std::byte*>(memory);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() override { munmap(memory_, 2 * bytes_); }

  void prepare() override { std::memset(memory_, 1, 2 * bytes_); }
  std::uint64_t slice() override {
    std::memcpy(memory_ + bytes_ + at_, memory_ + at_, kSlice);
    at_ = (at_ + kSlice) % bytes_;
    return kSlice;
  }

 private:
  const std::size_t bytes_;
  std::byte* memory_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<LoadTask>> copy(const LoadContext& context) {
  const int cores = std::max(1, static_cast<int>(context.cores.size()));
  std::vector<std::unique_ptr<LoadTask>> works;
  for (int left = amount_of(context, "copy", 1, cores); left > 0; --left)
    works.push_back(std::make_unique<Copy>(buffer_bytes()));
  return works;
}

}  // namespace collbench::concurrent_load
