#pragma once
// Memory registered with a connection, and the sender's connections to the receiver's registrations.
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "transports/sisci/transport_state.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Pages of the caller that are registered as a SISCI segment, so that DMA can access them. `base` is the
/// address of the segment's first byte.
struct SisciRegion final : MemoryRegion {
  SisciRegion(const Adapter& adapter, std::byte* page_address, std::size_t page_bytes, std::uint64_t number)
      : base(page_address), generation(number), segment(adapter, page_address, page_bytes) {}
  std::byte* base;
  std::uint64_t generation;  // unique in the process
  LocalSegment segment;
  [[nodiscard]] bool covers(const void* data, std::size_t bytes) const {
    const auto* begin = static_cast<const std::byte*>(data);
    return begin >= base && begin + bytes <= base + segment.bytes();
  }
};

/// Registrations of one comm. Thread-safe, because other threads may register memory while one sends or
/// receives.
class RegionTable {
 public:
  explicit RegionTable(const Adapter& adapter) : adapter_(adapter) {}
  /// Registers whole pages that contain [data, data + bytes). Returns nullptr if `bytes` is 0, `path` needs
  /// no registration, or the driver refuses it; then messages from or into this memory take a slower way.
  /// @param path kind of DMA that the comm's connection uses
  /// @throws Error(kInvalidArgument) for CUDA memory
  SisciRegion* add(void* data, std::size_t bytes, MemoryKind kind, DmaPath path);
  void remove(MemoryRegion* region);

 private:
  Adapter adapter_;
  std::mutex mutex_;
  std::list<SisciRegion> regions_;
};

/// Connections of the sender to the segments in which the receiver's buffers lie; each is made at its first
/// use and kept. When a new one is made, connections whose segment is gone are dropped.
class RemoteRegions {
 public:
  RemoteRegions(const Adapter& adapter, unsigned int node_id) : adapter_(adapter), node_id_(node_id) {}
  /// Returns the connection to the segment of a posted receive buffer; nullptr = not connected yet, call
  /// again.
  const RemoteSegment* find(const PostedReceive& post);

 private:
  struct Entry {
    std::uint64_t generation;
    bool connected;
    std::unique_ptr<RemoteSegment> segment;
  };
  void connect(const PostedReceive& post);
  Adapter adapter_;
  unsigned int node_id_;
  std::vector<Entry> entries_;
  std::size_t last_ = 0;
};

}  // namespace collbench::sisci
