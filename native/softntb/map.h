#pragma once
#include <atomic>
#include <cstddef>

#include "softntb/session.h"

struct sci_local_segment;
struct sci_remote_segment;

/// A window onto a segment: part of the segment's one mapping, or a mapping of its own (fixed address, read
/// only).
struct sci_map {
  sci_desc_t desc = nullptr;
  sci_local_segment* local = nullptr;  // one of the two is set
  sci_remote_segment* remote = nullptr;
  std::byte* base = nullptr;
  std::size_t size = 0;
  void* own_mapping = nullptr;  // munmap at the end
  std::size_t own_bytes = 0;
  std::atomic<int> sequences{0};

  [[nodiscard]] bool broken() const noexcept;  // the other side is gone
};

struct sci_sequence {
  sci_map_t map = nullptr;
};
