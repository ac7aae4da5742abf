#pragma once
// Memory registered with a connection, and the sender's view of the receiver's registrations.
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "transports/sisci/fabric.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// User pages as a segment. `base` is the address of segment offset 0.
struct Region final : MemoryRegion {
  Region(const Adapter& adapter, std::byte* page_address, std::size_t page_bytes, std::uint64_t number)
      : base(page_address), generation(number), segment(adapter, page_address, page_bytes) {}
  std::byte* base;
  std::uint64_t generation;  // never used twice in a process
  LocalSegment segment;
  [[nodiscard]] bool covers(const void* data, std::size_t bytes) const {
    const auto* begin = static_cast<const std::byte*>(data);
    return begin >= base && begin + bytes <= base + segment.bytes();
  }
};

/// Registrations of one comm. Threads: any, beside the one that sends or receives.
class RegionTable {
 public:
  explicit RegionTable(const Adapter& adapter) : adapter_(adapter) {}
  /// nullptr when the path needs no registration or the driver refuses (then the slower path carries this
  /// memory).
  Region* add(void* data, std::size_t bytes, MemoryKind kind, Path path);
  void remove(MemoryRegion* region);

 private:
  Adapter adapter_;
  std::mutex mutex_;
  std::list<Region> regions_;
};

/// Segments of the receiver that the sender is connected to.
class RemoteRegions {
 public:
  RemoteRegions(const Adapter& adapter, unsigned int node_id) : adapter_(adapter), node_id_(node_id) {}
  /// nullptr = not connected yet, call again.
  const RemoteSegment* find(const Post& post);

 private:
  struct Entry {
    std::uint64_t generation;
    bool connected;
    std::unique_ptr<RemoteSegment> segment;
  };
  void connect(const Post& post);
  Adapter adapter_;
  unsigned int node_id_;
  std::vector<Entry> entries_;
  std::size_t last_ = 0;
};

}  // namespace collbench::sisci
