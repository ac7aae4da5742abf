#include "emulated/softntb/map.h"

#include <sys/mman.h>

#include <memory>

#include "emulated/softntb/local_segment.h"
#include "emulated/softntb/remote_segment.h"

using namespace collbench::softntb;

namespace {

constexpr unsigned kMapFlags = SCI_FLAG_FIXED_MAP_ADDR | SCI_FLAG_READONLY_MAP | SCI_FLAG_IO_MAP_IOSPACE |
                               SCI_FLAG_NO_MEMORY_LOOPBACK | SCI_FLAG_SHARED_MAP |
                               SCI_FLAG_WRITE_BACK_CACHE_MAP;

/// Maps the part [offset, offset + size) of a segment's memory and stores it in `map`.
/// @param address address to map at, nullptr = any
/// @returns SCI_ERR_OK or the error
sci_error_t open_window(sci_map* map, SharedMemory& memory, std::size_t segment_size, std::size_t offset,
                        std::size_t size, void* address, unsigned flags) {
  if ((flags & SCI_FLAG_BROADCAST) != 0 || (flags & SCI_FLAG_LOCK_OPERATION) != 0)
    return SCI_ERR_FLAG_NOT_IMPLEMENTED;
  if ((flags & ~kMapFlags) != 0) return SCI_ERR_ILLEGAL_FLAG;
  if (size == 0 || offset > segment_size || size > segment_size - offset) return SCI_ERR_OUT_OF_RANGE;
  if (offset != whole_pages(offset)) return SCI_ERR_OFFSET_ALIGNMENT;
  map->size = size;
  if ((flags & (SCI_FLAG_FIXED_MAP_ADDR | SCI_FLAG_READONLY_MAP)) == 0) {
    std::byte* base = memory.map();
    if (base == nullptr) return SCI_ERR_MAX_ENTRIES;
    map->base = base + offset;
    return SCI_ERR_OK;
  }
  const bool fixed = (flags & SCI_FLAG_FIXED_MAP_ADDR) != 0;
  if (fixed && address == nullptr) return SCI_ERR_ILLEGAL_ADDRESS;
  const int protection = (flags & SCI_FLAG_READONLY_MAP) != 0 ? PROT_READ : PROT_READ | PROT_WRITE;
  // NOREPLACE: a mapping at that address belongs to the caller and must stay.
  void* at = mmap(fixed ? address : nullptr, whole_pages(size), protection,
                  MAP_SHARED | (fixed ? MAP_FIXED_NOREPLACE : 0), memory.fd(), static_cast<off_t>(offset));
  if (at == MAP_FAILED) return fixed ? SCI_ERR_ILLEGAL_ADDRESS : SCI_ERR_MAX_ENTRIES;
  map->own_mapping = at;
  map->own_bytes = whole_pages(size);
  map->base = static_cast<std::byte*>(at);
  return SCI_ERR_OK;
}

}  // namespace

bool sci_map::broken() const noexcept {
  return remote != nullptr && remote->lost.load(std::memory_order_relaxed);
}

extern "C" {

void* SCIMapLocalSegment(sci_local_segment_t segment, sci_map_t* map, size_t offset, size_t size,
                         void* address, unsigned int flags, sci_error_t* error) {
  const auto fail = [&](sci_error_t status) {
    report(error, status);
    return static_cast<void*>(nullptr);
  };
  if (segment == nullptr || map == nullptr) return fail(SCI_ERR_ILLEGAL_PARAMETER);
  // Registered memory already has an address in its owner.
  if (segment->registered()) return fail(SCI_ERR_ILLEGAL_OPERATION);
  auto window = std::make_unique<sci_map>();
  const sci_error_t status =
      open_window(window.get(), segment->memory, segment->size, offset, size, address, flags);
  if (status != SCI_ERR_OK) return fail(status);
  window->desc = segment->desc;
  window->local = segment;
  segment->maps.fetch_add(1);
  *map = window.release();
  report(error, SCI_ERR_OK);
  return (*map)->base;
}

volatile void* SCIMapRemoteSegment(sci_remote_segment_t segment, sci_map_t* map, size_t offset, size_t size,
                                   void* address, unsigned int flags, sci_error_t* error) {
  const auto fail = [&](sci_error_t status) {
    report(error, status);
    return static_cast<volatile void*>(nullptr);
  };
  if (segment == nullptr || map == nullptr) return fail(SCI_ERR_ILLEGAL_PARAMETER);
  if (segment->lost.load()) return fail(SCI_ERR_SEGMENT_NOT_CONNECTED);
  // Pages of another process cannot be mapped here: only DMA reaches registered memory.
  if (segment->user_memory) return fail(SCI_ERR_NOT_SUPPORTED);
  if (segment->desc->session->link_down(0)) return fail(SCI_ERR_NO_LINK_ACCESS);
  auto window = std::make_unique<sci_map>();
  const sci_error_t status =
      open_window(window.get(), segment->memory, segment->size, offset, size, address, flags);
  if (status != SCI_ERR_OK) return fail(status);
  window->desc = segment->desc;
  window->remote = segment;
  segment->maps.fetch_add(1);
  *map = window.release();
  report(error, SCI_ERR_OK);
  return (*map)->base;
}

void SCIUnmapSegment(sci_map_t map, unsigned int flags, sci_error_t* error) {
  if (map == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  if (map->sequences.load() != 0) return report(error, SCI_ERR_BUSY);
  if (map->own_mapping != nullptr) munmap(map->own_mapping, map->own_bytes);
  if (map->local != nullptr) map->local->maps.fetch_sub(1);
  if (map->remote != nullptr) map->remote->maps.fetch_sub(1);
  delete map;
  report(error, SCI_ERR_OK);
}

volatile void* SCIGetMapPointer(sci_map_t map) { return map == nullptr ? nullptr : map->base; }

// No physical address exists; the virtual address is at least unique in this process.
sci_ioaddr_t SCIGetMapPhysAddr(sci_map_t map) {
  return map == nullptr ? 0 : static_cast<sci_ioaddr_t>(reinterpret_cast<std::uintptr_t>(map->base));
}

}  // extern "C"
