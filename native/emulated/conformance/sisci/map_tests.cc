// Maps of local and remote segments.
#include <sys/mman.h>

#include <csetjmp>
#include <csignal>
#include <vector>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace map {
namespace {

constexpr std::size_t kBytes = 4 * kPage;

/// Compares a mapped segment with the expected data. It reads byte by byte, because an adapter's memory may
/// not be read in larger units.
void expect_seen(const std::byte* wanted, const volatile std::byte* seen, std::size_t bytes) {
  std::vector<std::byte> copy(bytes);
  for (std::size_t n = 0; n < bytes; ++n) copy[n] = seen[n];
  expect_bytes(wanted, copy.data(), bytes);
}

sci_error_t map_remote(ConnectedSegments& pair, std::size_t offset, std::size_t bytes, unsigned flags = 0,
                       void* address = nullptr) {
  SisciBench& bench = pair.remote.bench;
  sci_map_t map = nullptr;
  const sci_error_t error =
      bench.lib.SCIMapRemoteSegment.code(pair.remote.handle, &map, offset, bytes, address, flags);
  if (error == SCI_ERR_OK) bench.lib.SCIUnmapSegment.code(map, 0U);
  return error;
}

void stores_arrive(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  std::vector<std::byte> wanted(kBytes);
  fill_pattern(wanted.data(), kBytes, 1);
  for (std::size_t n = 0; n < kBytes; ++n) pair.remote.at[n] = wanted[n];
  bench.lib.SCIFlush(nullptr, 0U);
  expect_seen(wanted.data(), pair.remote.at, 8);  // a read waits for earlier writes
  expect_seen(wanted.data(), pair.local.at, kBytes);
}

void loads_see(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  fill_pattern(pair.local.at, kBytes, 2);
  expect_seen(pair.local.at, pair.remote.at, kBytes);
}

void windows(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  fill_pattern(pair.local.at, kBytes, 3);
  sci_map_t local = nullptr, remote = nullptr;
  sci_error_t error = SCI_ERR_OK;
  void* near = bench.lib.SCIMapLocalSegment(pair.local.handle, &local, kPage, kPage, nullptr, 0U, &error);
  expect_ok("SCIMapLocalSegment at 4096", error);
  volatile void* far =
      bench.lib.SCIMapRemoteSegment(pair.remote.handle, &remote, 2 * kPage, kPage, nullptr, 0U, &error);
  expect_ok("SCIMapRemoteSegment at 8192", error);
  expect_seen(pair.local.at + kPage, static_cast<std::byte*>(near), kPage);
  expect_seen(pair.local.at + 2 * kPage, static_cast<volatile std::byte*>(far), kPage);
  expect(bench.lib.SCIGetMapPointer(remote) == far, "SCIGetMapPointer as SCIMapRemoteSegment said",
         "another address");
  expect_ok("SCIUnmapSegment", bench.lib.SCIUnmapSegment.code(local, 0U));
  expect_ok("SCIUnmapSegment", bench.lib.SCIUnmapSegment.code(remote, 0U));
}

void crooked_offset(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  expect_code("SCIMapRemoteSegment at 64", {SCI_ERR_OK, SCI_ERR_OFFSET_ALIGNMENT},
              map_remote(pair, 64, kPage));
  expect_ok("SCIMapRemoteSegment at 4096", map_remote(pair, kPage, kPage));
}

void past_the_end(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  expect_code("offset 0, one page too much", {SCI_ERR_OUT_OF_RANGE}, map_remote(pair, 0, kBytes + kPage));
  expect_code("an offset at the end", {SCI_ERR_OUT_OF_RANGE}, map_remote(pair, kBytes, kPage));
  expect_code("an offset past all sizes", {SCI_ERR_OUT_OF_RANGE},
              map_remote(pair, ~std::size_t{0} - kPage + 1, 2 * kPage));
  sci_map_t map = nullptr;
  expect_code("a local map of one page too much", {SCI_ERR_OUT_OF_RANGE},
              bench.lib.SCIMapLocalSegment.code(pair.local.handle, &map, kPage, kBytes, nullptr, 0U));
}

void no_bytes(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  expect_refused("SCIMapRemoteSegment of 0 B", map_remote(pair, 0, 0));
}

void map_flags(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  expect_code("SCIMapRemoteSegment with an unknown flag",
              {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED}, map_remote(pair, 0, kPage, kNoFlag));
}

sigjmp_buf fault_return;

void read_only(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  fill_pattern(pair.local.at, kBytes, 4);
  sci_map_t map = nullptr;
  sci_error_t error = SCI_ERR_OK;
  auto* at = static_cast<volatile std::byte*>(bench.lib.SCIMapRemoteSegment(
      pair.remote.handle, &map, std::size_t{0}, kPage, nullptr, bench.lib.SCI_FLAG_READONLY_MAP, &error));
  expect_offered("SCIMapRemoteSegment with READONLY_MAP", error);
  expect_seen(pair.local.at, at, kPage);
  struct sigaction handler{}, before{};
  handler.sa_handler = [](int) { siglongjmp(fault_return, 1); };
  sigaction(SIGSEGV, &handler, &before);
  const bool faulted = sigsetjmp(fault_return, 1) != 0;
  if (!faulted) at[0] = std::byte{1};
  sigaction(SIGSEGV, &before, nullptr);
  expect(faulted, "a store that the processor refuses", "a store that works");
  expect_ok("SCIUnmapSegment", bench.lib.SCIUnmapSegment.code(map, 0U));
}

void fixed_address(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  void* free_address = nullptr;
  {
    const TestPages room(kBytes);
    free_address = room.at;
  }
  sci_map_t map = nullptr;
  sci_error_t error = SCI_ERR_OK;
  const volatile void* at =
      bench.lib.SCIMapRemoteSegment(pair.remote.handle, &map, std::size_t{0}, kBytes, free_address,
                                    bench.lib.SCI_FLAG_FIXED_MAP_ADDR, &error);
  expect_offered("SCIMapRemoteSegment with FIXED_MAP_ADDR", error);
  expect(at == free_address, "the address that was asked for", "another one");
  expect_ok("SCIUnmapSegment", bench.lib.SCIUnmapSegment.code(map, 0U));
}

void unmap_in_use(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  sci_sequence_t sequence = nullptr;
  expect_ok("SCICreateMapSequence", bench.lib.SCICreateMapSequence.code(pair.remote.window, &sequence, 0U));
  expect_code("SCIUnmapSegment with a sequence", {SCI_ERR_BUSY}, pair.remote.unmap());
  expect_ok("SCIRemoveSequence", bench.lib.SCIRemoveSequence.code(sequence, 0U));
  expect_ok("SCIUnmapSegment", pair.remote.unmap());
}

void again(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  for (int round = 0; round < 200; ++round)
    expect_ok("SCIMapRemoteSegment, round " + std::to_string(round), map_remote(pair, 0, kBytes));
}

constexpr SisciTest kTests[] = {
    {"stores through a remote map arrive in the segment", stores_arrive},
    {"loads through a remote map see the segment", loads_see},
    {"a map may begin and end inside the segment", windows},
    {"an offset inside a page is taken or SCI_ERR_OFFSET_ALIGNMENT", crooked_offset},
    {"a map past the segment's end is SCI_ERR_OUT_OF_RANGE", past_the_end},
    {"a map of 0 bytes is refused", no_bytes},
    {"an unknown flag is refused", map_flags},
    {"a read-only map can be read and not written", read_only},
    {"a map comes to the address that was asked for", fixed_address},
    {"SCIUnmapSegment with a sequence is SCI_ERR_BUSY", unmap_in_use},
    {"a segment is mapped 200 times over", again},
};

}  // namespace
}  // namespace map

const std::span<const SisciTest> map_tests = map::kTests;

}  // namespace collbench::conformance::sisci
