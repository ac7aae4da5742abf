#pragma once
#include <atomic>
#include <cstddef>

#include "emulated/softntb/session.h"

struct sci_local_segment;
struct sci_remote_segment;

/// A part of a SISCI segment that is mapped into this process. It is part of the mapping of the whole segment
/// or, for a fixed address or read-only access, a mapping of its own.
struct sci_map {
  sci_desc_t desc = nullptr;
  sci_local_segment* local = nullptr;  // exactly one of `local` and `remote` is set
  sci_remote_segment* remote = nullptr;
  std::byte* base = nullptr;
  std::size_t size = 0;
  void* own_mapping = nullptr;  // mapping to unmap at the end; nullptr = none
  std::size_t own_bytes = 0;
  std::atomic<int> sequences{0};

  [[nodiscard]] bool broken() const noexcept;  // true if the other side has ended
};

struct sci_sequence {
  sci_map_t map = nullptr;
};
