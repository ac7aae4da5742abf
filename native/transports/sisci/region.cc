#include "transports/sisci/region.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "core/error.h"
#include "core/log.h"

namespace collbench::sisci {

SisciRegion* RegionTable::add(void* data, std::size_t bytes, MemoryKind kind, DmaPath path) {
  if (kind != MemoryKind::kHost)
    throw Error(ErrorCode::kInvalidArgument,
                "the sisci transport registers host memory only, not CUDA memory");
  if (path != DmaPath::kRegistered || bytes == 0) return nullptr;
  static std::atomic<std::uint64_t> generation{1};
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  // SISCI registers whole pages, so neighbouring data on the first and last page is registered too.
  const auto begin = reinterpret_cast<std::uintptr_t>(data) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes + page - 1) & ~(page - 1);
  try {
    const std::lock_guard lock(mutex_);
    return &regions_.emplace_back(adapter_, reinterpret_cast<std::byte*>(begin), end - begin, generation++);
  } catch (const Error& error) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
      log(LogLevel::kWarn, std::string("sisci: ") + error.what() +
                               "; such memory is carried over driver-allocated staging instead");
    return nullptr;
  }
}

void RegionTable::remove(MemoryRegion* region) {
  if (region == nullptr) return;
  const std::lock_guard lock(mutex_);
  regions_.remove_if([&](const SisciRegion& r) { return &r == region; });
}

const RemoteSegment* RemoteRegions::find(const PostedReceive& post) {
  if (last_ >= entries_.size() || entries_[last_].generation != post.generation) {
    last_ = 0;
    while (last_ < entries_.size() && entries_[last_].generation != post.generation) ++last_;
    if (last_ == entries_.size()) {
      connect(post);
      last_ = entries_.size() - 1;
    }
  }
  Entry& entry = entries_[last_];
  if (!entry.connected) entry.connected = entry.segment->connect();
  return entry.connected ? entry.segment.get() : nullptr;
}

void RemoteRegions::connect(const PostedReceive& post) {
  // A new region often replaces an old one; disconnect from stale regions so that their memory is freed.
  std::erase_if(entries_, [](const Entry& entry) {
    if (!entry.connected) return false;
    try {
      entry.segment->check_alive();
      return false;
    } catch (const Error&) {
      return true;
    }
  });
  entries_.emplace_back(
      Entry{post.generation, false,
            std::make_unique<RemoteSegment>(adapter_, node_id_, static_cast<unsigned int>(post.segment_id))});
}

}  // namespace collbench::sisci
