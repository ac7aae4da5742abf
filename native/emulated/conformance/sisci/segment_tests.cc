// Local segments in driver memory: life cycle, ids and sizes.
#include <memory>
#include <vector>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace segment {
namespace {

sci_error_t create(SisciBench& bench, std::size_t bytes, unsigned flags) {
  const TestDescriptor descriptor(bench);
  sci_local_segment_t segment = nullptr;
  const sci_error_t error = bench.lib.SCICreateSegment.code(descriptor.handle, &segment, bench.id(9), bytes,
                                                            nullptr, nullptr, flags);
  if (error == SCI_ERR_OK) bench.lib.SCIRemoveSegment.code(segment, 0U);
  return error;
}

void life(SisciBench& bench) {
  LocalSegment segment(bench, bench.id(1), kPage);
  expect_equal("the id that was asked for,", bench.id(1), bench.lib.SCIGetLocalSegmentId(segment.handle));
  expect_code("SCISetSegmentAvailable before SCIPrepareSegment", {SCI_ERR_SEGMENT_NOT_PREPARED},
              segment.set_available());
  expect_ok("SCIPrepareSegment", segment.prepare());
  for (int round = 0; round < 3; ++round) {
    expect_ok("SCISetSegmentAvailable", segment.set_available());
    expect_ok("SCISetSegmentUnavailable", segment.set_unavailable());
  }
  expect_ok("SCIRemoveSegment", segment.remove());
}

void sizes(SisciBench& bench) {
  for (const std::size_t bytes : {kPage, 2 * kPage, std::size_t{64} << 10, std::size_t{1} << 20}) {
    LocalSegment segment(bench, bench.id(1), bytes);
    expect_equal("SCIGetLocalSegmentSize", bytes, bench.lib.SCIGetLocalSegmentSize(segment.handle));
    segment.map();
    fill_pattern(segment.at, bytes, 1);
    std::vector<std::byte> wanted(bytes);
    fill_pattern(wanted.data(), bytes, 1);
    expect_bytes(wanted.data(), segment.at, bytes);
  }
}

void odd_sizes(SisciBench& bench) {
  for (const std::size_t bytes : {std::size_t{1}, kPage - 1, kPage + 1}) {
    const sci_error_t error = create(bench, bytes, 0);
    expect_code("SCICreateSegment of " + std::to_string(bytes) + " B", {SCI_ERR_OK, SCI_ERR_SIZE_ALIGNMENT},
                error);
    if (error != SCI_ERR_OK) continue;
    LocalSegment segment(bench, bench.id(1), bytes);
    const std::size_t size = bench.lib.SCIGetLocalSegmentSize(segment.handle);
    expect(size >= bytes, "at least " + std::to_string(bytes) + " B", std::to_string(size));
  }
}

void no_size(SisciBench& bench) { expect_refused("SCICreateSegment of 0 B", create(bench, 0, 0)); }

void too_large(SisciBench& bench) {
  expect_code("SCICreateSegment of 1 PiB",
              {SCI_ERR_NOSPC, SCI_ERR_API_NOSPC, SCI_ERR_HW_NOSPC, SCI_ERR_SYSTEM, SCI_ERR_OUT_OF_RANGE,
               SCI_ERR_ILLEGAL_PARAMETER},
              create(bench, std::size_t{1} << 50, 0));
}

void create_flags(SisciBench& bench) {
  expect_code("SCICreateSegment with an unknown flag", {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED},
              create(bench, kPage, kNoFlag));
}

void id_in_use(SisciBench& bench) {
  const ExportedSegment first(bench, bench.id(1), kPage);
  const TestDescriptor descriptor(bench);
  sci_local_segment_t second = nullptr;
  sci_error_t error =
      bench.lib.SCICreateSegment.code(descriptor.handle, &second, bench.id(1), kPage, nullptr, nullptr, 0U);
  if (error == SCI_ERR_OK) {
    error = bench.lib.SCIPrepareSegment.code(second, bench.exporter, 0U);
    bench.lib.SCIRemoveSegment.code(second, 0U);
  }
  expect_code("the id of another segment, at SCICreateSegment or SCIPrepareSegment", {SCI_ERR_SEGMENTID_USED},
              error);
}

void id_again(SisciBench& bench) {
  for (int round = 0; round < 20; ++round) {
    ExportedSegment segment(bench, bench.id(1), kPage);
    expect_ok("SCISetSegmentUnavailable", segment.set_unavailable());
    expect_ok("SCIUnmapSegment", segment.unmap());
    expect_ok("SCIRemoveSegment", segment.remove());
  }
}

void automatic_ids(SisciBench& bench) {
  std::vector<std::unique_ptr<LocalSegment>> segments;
  for (int n = 0; n < 4; ++n) {
    segments.push_back(std::make_unique<LocalSegment>(bench, bench.id(1), kPage, bench.lib.SCI_FLAG_AUTO_ID));
    expect_ok("SCIPrepareSegment", segments.back()->prepare());
    expect_ok("SCISetSegmentAvailable", segments.back()->set_available());
    for (int other = 0; other < n; ++other)
      expect(bench.lib.SCIGetLocalSegmentId(segments.back()->handle) !=
                 bench.lib.SCIGetLocalSegmentId(segments[static_cast<std::size_t>(other)]->handle),
             "an id of its own", "that of another segment");
  }
}

void private_segment(SisciBench& bench) {
  LocalSegment segment(bench, bench.id(1), kPage, bench.lib.SCI_FLAG_PRIVATE);
  expect_ok("SCIPrepareSegment", segment.prepare());
  expect_code("SCISetSegmentAvailable of a private segment", {SCI_ERR_ILLEGAL_OPERATION},
              segment.set_available());
}

void not_available(SisciBench& bench) {
  LocalSegment segment(bench, bench.id(1), kPage);
  expect_ok("SCIPrepareSegment", segment.prepare());
  expect_code("SCISetSegmentUnavailable of a segment that is not available", {SCI_ERR_ILLEGAL_OPERATION},
              segment.set_unavailable());
}

void no_such_adapter(SisciBench& bench) {
  LocalSegment segment(bench, bench.id(1), kPage);
  expect_code("SCIPrepareSegment for adapter 9999", {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              bench.lib.SCIPrepareSegment.code(segment.handle, kNoAdapter, 0U));
  expect_ok("SCIPrepareSegment", segment.prepare());
  expect_code("SCISetSegmentAvailable at adapter 9999",
              {SCI_ERR_SEGMENT_NOT_PREPARED, SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              bench.lib.SCISetSegmentAvailable.code(segment.handle, kNoAdapter, 0U));
}

void removed_while_mapped(SisciBench& bench) {
  ExportedSegment segment(bench, bench.id(1), kPage);
  expect_code("SCIRemoveSegment with a map", {SCI_ERR_BUSY}, segment.remove());
  expect_ok("SCIUnmapSegment", segment.unmap());
  expect_ok("SCISetSegmentUnavailable", segment.set_unavailable());
  expect_ok("SCIRemoveSegment", segment.remove());
}

void many(SisciBench& bench) {
  constexpr unsigned kMany = 200;
  std::vector<std::unique_ptr<ExportedSegment>> segments;
  for (unsigned n = 0; n < kMany; ++n) {
    segments.push_back(std::make_unique<ExportedSegment>(bench, bench.id(n), kPage));
    fill_pattern(segments.back()->at, kPage, n);
  }
  std::vector<std::byte> wanted(kPage);
  for (unsigned n = 0; n < kMany; ++n) {
    fill_pattern(wanted.data(), kPage, n);
    expect_bytes(wanted.data(), segments[n]->at, kPage);
  }
}

constexpr SisciTest kTests[] = {
    {"a segment is created, prepared, made available and unavailable, and removed", life},
    {"a segment has the size that was asked for and keeps its bytes", sizes},
    {"a size that is no whole number of pages is rounded up or SCI_ERR_SIZE_ALIGNMENT", odd_sizes},
    {"a segment of 0 bytes is refused", no_size},
    {"a segment that no machine can hold is refused", too_large},
    {"SCICreateSegment refuses an unknown flag", create_flags},
    {"a segment id is used once per node: SCI_ERR_SEGMENTID_USED", id_in_use},
    {"the id of a removed segment is free again", id_again},
    {"AUTO_ID gives each segment an id of its own", automatic_ids},
    {"a private segment cannot be made available", private_segment},
    {"SCISetSegmentUnavailable needs an available segment", not_available},
    {"an adapter that does not exist is refused", no_such_adapter},
    {"SCIRemoveSegment with a map is SCI_ERR_BUSY", removed_while_mapped},
    {"200 segments exist at once", many},
};

}  // namespace
}  // namespace segment

const std::span<const SisciTest> segment_tests = segment::kTests;

}  // namespace collbench::conformance::sisci
