#include "net_plugin/gin/staging.h"

#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace collbench::net_plugin::gin {
namespace {

constexpr std::size_t kPageBytes = 4096;

struct Block {
  std::byte* data;
  bool pinned;
};

struct Pool {
  std::mutex mutex;
  std::vector<Block> free;
};

Pool& pool() {
  static auto* instance = new Pool;  // never destroyed, because programs may close communicators late
  return *instance;
}

}  // namespace

std::size_t Staging::bytes() {
  constexpr std::size_t kWanted = kFrames * kFrameBytes + sizeof(std::uint64_t);
  return (kWanted + kPageBytes - 1) / kPageBytes * kPageBytes;
}

Staging::Staging(GpuCopyStream* copy_stream) : data_(nullptr), pinned_(false) {
  const std::lock_guard lock(pool().mutex);
  if (!pool().free.empty()) {
    data_ = pool().free.back().data;
    pinned_ = pool().free.back().pinned;
    pool().free.pop_back();
  } else {
    data_ = static_cast<std::byte*>(std::aligned_alloc(kPageBytes, bytes()));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  if (copy_stream != nullptr && !pinned_) pinned_ = copy_stream->pin(data_, bytes());
}

Staging::~Staging() {
  const std::lock_guard lock(pool().mutex);
  pool().free.push_back({data_, pinned_});
}

}  // namespace collbench::net_plugin::gin
