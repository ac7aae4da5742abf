// Segments of the caller's own memory.
#include <sys/mman.h>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace memory {
namespace {

sci_error_t offer(LocalSegment& segment, std::byte* at, std::size_t bytes) {
  return segment.bench.lib.SCIRegisterSegmentMemory.code(static_cast<void*>(at), bytes, segment.handle,
                                                         segment.bench.lib.SCI_FLAG_LOCK_USER_MEM);
}

void whole_pages(SisciBench& bench) {
  const TestPages pages(4 * kPage);
  const RegisteredSegment segment(bench, bench.id(1), pages.at, pages.bytes);
  expect_equal("SCIGetLocalSegmentSize", pages.bytes, bench.lib.SCIGetLocalSegmentSize(segment.handle));
}

void odd_address(SisciBench& bench) {
  const TestPages pages(4 * kPage);
  {
    const RegisteredSegment works(bench, bench.id(1), pages.at, kPage);
  }
  LocalSegment segment(bench, bench.id(1), kPage, bench.lib.SCI_FLAG_EMPTY);
  expect_refused("SCIRegisterSegmentMemory from byte 64 of a page", offer(segment, pages.at + 64, kPage));
}

void odd_size(SisciBench& bench) {
  const TestPages pages(4 * kPage);
  {
    const RegisteredSegment works(bench, bench.id(1), pages.at, kPage);
  }
  const TestDescriptor descriptor(bench);
  sci_local_segment_t segment = nullptr;
  sci_error_t error = bench.lib.SCICreateSegment.code(descriptor.handle, &segment, bench.id(1), kPage + 64,
                                                      nullptr, nullptr, bench.lib.SCI_FLAG_EMPTY);
  if (error == SCI_ERR_OK) {
    error = bench.lib.SCIRegisterSegmentMemory.code(static_cast<void*>(pages.at), kPage + 64, segment,
                                                    bench.lib.SCI_FLAG_LOCK_USER_MEM);
    bench.lib.SCIRemoveSegment.code(segment, 0U);
  }
  expect_code("4160 B of registered memory", {SCI_ERR_OK, SCI_ERR_SIZE_ALIGNMENT, SCI_ERR_OUT_OF_RANGE},
              error);
}

void size_of_the_segment(SisciBench& bench) {
  const TestPages pages(4 * kPage);
  {
    const RegisteredSegment works(bench, bench.id(1), pages.at, kPage);
  }
  LocalSegment segment(bench, bench.id(1), 2 * kPage, bench.lib.SCI_FLAG_EMPTY);
  expect_code("memory larger than its segment", {SCI_ERR_OUT_OF_RANGE, SCI_ERR_SIZE_ALIGNMENT},
              offer(segment, pages.at, 4 * kPage));
}

void nothing_mapped(SisciBench& bench) {
  const TestPages pages(4 * kPage);
  {
    const RegisteredSegment works(bench, bench.id(1), pages.at, kPage);
  }
  munmap(pages.at + 2 * kPage, kPage);
  LocalSegment segment(bench, bench.id(1), 4 * kPage, bench.lib.SCI_FLAG_EMPTY);
  expect_refused("SCIRegisterSegmentMemory of pages with a hole", offer(segment, pages.at, 4 * kPage));
}

void not_empty(SisciBench& bench) {
  const TestPages pages(kPage);
  {
    const RegisteredSegment works(bench, bench.id(1), pages.at, kPage);
  }
  LocalSegment segment(bench, bench.id(1), kPage);
  expect_refused("SCIRegisterSegmentMemory for a segment that has memory", offer(segment, pages.at, kPage));
}

void no_memory_yet(SisciBench& bench) {
  LocalSegment segment(bench, bench.id(1), kPage, bench.lib.SCI_FLAG_EMPTY);
  expect_refused("SCIPrepareSegment of an empty segment", segment.prepare());
}

void pages_stay(SisciBench& bench) {
  const TestPages pages(2 * kPage);
  fill_pattern(pages.at, pages.bytes, 3);
  for (int round = 0; round < 10; ++round) {
    RegisteredSegment segment(bench, bench.id(1), pages.at, pages.bytes);
    expect_ok("SCISetSegmentUnavailable", segment.set_unavailable());
    expect_ok("SCIRemoveSegment", segment.remove());
  }
  const TestPages wanted(2 * kPage);
  fill_pattern(wanted.at, wanted.bytes, 3);
  expect_bytes(wanted.at, pages.at, pages.bytes);
}

constexpr SisciTest kTests[] = {
    {"whole pages of the caller become a segment", whole_pages},
    {"an address inside a page is refused", odd_address},
    {"a size that is no whole number of pages is taken or SCI_ERR_SIZE_ALIGNMENT", odd_size},
    {"memory larger than its segment is refused", size_of_the_segment},
    {"memory that is not mapped is refused", nothing_mapped},
    {"a segment that is not EMPTY takes no memory", not_empty},
    {"an EMPTY segment without memory cannot be prepared", no_memory_yet},
    {"memory is registered ten times over and keeps its bytes", pages_stay},
};

}  // namespace
}  // namespace memory

const std::span<const SisciTest> memory_tests = memory::kTests;

}  // namespace collbench::conformance::sisci
