// Programmed I/O: SCIMemCpy, sequences, barriers.
#include <cstdint>
#include <vector>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace pio {
namespace {

constexpr std::size_t kBytes = 4 * kPage;
constexpr int kRepeats = 100;

struct Sequence {
  explicit Sequence(ConnectedSegments& its_pair) : pair(its_pair), lib(its_pair.remote.bench.lib) {
    expect_ok("SCICreateMapSequence", lib.SCICreateMapSequence.code(pair.remote.window, &handle, 0U));
  }
  ~Sequence() { lib.SCIRemoveSequence.code(handle, 0U); }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  sci_error_t copy(std::byte* memory, std::size_t offset, std::size_t bytes, unsigned flags = 0) {
    return lib.SCIMemCpy.code(handle, static_cast<void*>(memory), pair.remote.window, offset, bytes, flags);
  }
  sci_sequence_status_t start() {
    sci_error_t error = SCI_ERR_OK;
    sci_sequence_status_t status = SCI_SEQ_PENDING;
    for (int n = 0; n < kRepeats && status == SCI_SEQ_PENDING; ++n)
      status = lib.SCIStartSequence(handle, 0U, &error);
    expect_ok("SCIStartSequence", error);
    return status;
  }
  /// Performs `work`, which stores to the segment, and repeats it until SISCI reports that no error occurred
  /// on the link meanwhile.
  /// @throws TestFailure if that needs too many attempts
  template <typename Work>
  void do_checked(Work work, unsigned flags = 0) {
    sci_sequence_status_t status = start();
    expect_equal("SCIStartSequence: SCI_SEQ_OK,", static_cast<int>(SCI_SEQ_OK), static_cast<int>(status));
    for (int n = 0; n < kRepeats; ++n) {
      work();
      sci_error_t error = SCI_ERR_OK;
      do {
        status = lib.SCICheckSequence(handle, flags, &error);
        expect_ok("SCICheckSequence", error);
      } while (status == SCI_SEQ_PENDING && ++n < kRepeats);
      if (status == SCI_SEQ_OK) return;
      expect(status == SCI_SEQ_RETRIABLE, "SCI_SEQ_OK or SCI_SEQ_RETRIABLE", std::to_string(status));
    }
    throw TestFailure{"SCI_SEQ_OK after up to " + std::to_string(kRepeats) + " repeats",
                      std::to_string(status)};
  }
  ConnectedSegments& pair;
  const SisciLibrary& lib;
  sci_sequence_t handle = nullptr;
};

std::vector<std::byte> filled(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> data(bytes);
  fill_pattern(data.data(), bytes, seed);
  return data;
}

void copy_out(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  auto data = filled(kPage, 1);
  for (const std::size_t offset : {std::size_t{0}, kPage, std::size_t{1024}}) {
    sequence.do_checked([&] {
      expect_ok("SCIMemCpy", sequence.copy(data.data(), offset, kPage, bench.lib.SCI_FLAG_ERROR_CHECK));
    });
    expect_bytes(data.data(), pair.local.at + offset, kPage);
  }
  expect(pair.local.at[3 * kPage] == std::byte{}, "bytes behind it untouched", "written");
}

void copy_in(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  fill_pattern(pair.local.at, kBytes, 2);
  std::vector<std::byte> data(kPage);
  expect_ok("SCIMemCpy with BLOCK_READ",
            sequence.copy(data.data(), kPage, kPage, bench.lib.SCI_FLAG_BLOCK_READ));
  expect_bytes(pair.local.at + kPage, data.data(), kPage);
}

void crooked_copies(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  auto data = filled(kPage, 3);
  for (const std::size_t bytes : {1UL, 3UL, 8UL, 63UL, 1000UL})
    for (const std::size_t offset : {0UL, 1UL, 4UL, 8UL, 100UL}) {
      const sci_error_t error = sequence.copy(data.data(), offset, bytes);
      const std::string what =
          "SCIMemCpy of " + std::to_string(bytes) + " B to offset " + std::to_string(offset);
      if (bytes % 8 == 0 && offset % 8 == 0)
        expect_ok(what, error);
      else
        expect_code(what, {SCI_ERR_OK, SCI_ERR_SIZE_ALIGNMENT, SCI_ERR_OFFSET_ALIGNMENT}, error);
      if (error == SCI_ERR_OK) {
        bench.lib.SCIFlush(sequence.handle, 0U);
        static_cast<void>(pair.remote.at[offset]);  // a read waits for earlier writes
        expect_bytes(data.data(), pair.local.at + offset, bytes);
      }
    }
}

void copy_past_the_end(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  auto data = filled(2 * kPage, 4);
  expect_code("SCIMemCpy past the map's end", {SCI_ERR_OUT_OF_RANGE},
              sequence.copy(data.data(), kBytes - kPage, 2 * kPage));
  expect_code("SCIMemCpy from an offset past the map's end", {SCI_ERR_OUT_OF_RANGE},
              sequence.copy(data.data(), kBytes + kPage, 8));
  expect_code("SCIMemCpy from an offset past all sizes", {SCI_ERR_OUT_OF_RANGE},
              sequence.copy(data.data(), ~std::size_t{0} - 63, 128));
  expect(pair.local.at[kBytes - 1] == std::byte{}, "memory untouched", "written");
}

void copy_flags(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  auto data = filled(8, 5);
  expect_code("SCIMemCpy with an unknown flag", {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED},
              sequence.copy(data.data(), 0, 8, kNoFlag));
}

void checked_stores(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  const auto data = filled(kPage, 6);
  sequence.do_checked([&] {
    for (std::size_t n = 0; n < kPage; ++n) pair.remote.at[n] = data[n];
  });
  expect_bytes(data.data(), pair.local.at, kPage);
}

void check_flags(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  for (const unsigned flags : {bench.lib.SCI_FLAG_NO_FLUSH, bench.lib.SCI_FLAG_NO_STORE_BARRIER})
    sequence.do_checked([&] { bench.lib.SCIFlush(sequence.handle, 0U); }, flags);
}

void several_sequences(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence first(pair), second(pair);
  auto one = filled(kPage, 7), two = filled(kPage, 8);
  first.do_checked([&] { expect_ok("SCIMemCpy", first.copy(one.data(), 0, kPage)); });
  second.do_checked([&] { expect_ok("SCIMemCpy", second.copy(two.data(), kPage, kPage)); });
  expect_bytes(one.data(), pair.local.at, kPage);
  expect_bytes(two.data(), pair.local.at + kPage, kPage);
}

void barriers(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  Sequence sequence(pair);
  auto* words = reinterpret_cast<volatile std::uint64_t*>(pair.remote.at);
  const auto* seen = reinterpret_cast<volatile std::uint64_t*>(pair.local.at);
  for (std::uint64_t round = 1; round <= 1'000; ++round) {
    words[8] = round * 3;
    if (round % 2 == 0)
      bench.lib.SCIFlush(sequence.handle, 0U);
    else
      bench.lib.SCIStoreBarrier(sequence.handle, 0U);
    words[0] = round;
    bench.lib.SCIFlush(nullptr, 0U);
    expect_equal("the word that was stored,", round, static_cast<std::uint64_t>(words[0]));
    expect_equal("the word before it,", round * 3, static_cast<std::uint64_t>(seen[8]));
  }
}

void cache_sync(SisciBench& bench) {
  ConnectedSegments pair(bench, kBytes);
  fill_pattern(pair.local.at, kPage, 9);
  const unsigned flags = bench.lib.SCI_FLAG_CACHE_FLUSH | bench.lib.SCI_FLAG_CACHE_INVALIDATE;
  expect_offered("SCICacheSync", bench.lib.SCICacheSync.code(
                                     pair.local.window, static_cast<void*>(pair.local.at), kPage, flags));
  const auto wanted = filled(kPage, 9);
  expect_bytes(wanted.data(), pair.local.at, kPage);
}

constexpr SisciTest kTests[] = {
    {"SCIMemCpy writes, and a checked sequence has it arrive", copy_out},
    {"SCIMemCpy reads with BLOCK_READ", copy_in},
    {"SCIMemCpy of any size to any offset is right, or refused for its alignment", crooked_copies},
    {"SCIMemCpy past the map's end is SCI_ERR_OUT_OF_RANGE and writes nothing", copy_past_the_end},
    {"SCIMemCpy refuses an unknown flag", copy_flags},
    {"stores between SCIStartSequence and SCICheckSequence arrive", checked_stores},
    {"SCICheckSequence takes NO_FLUSH and NO_STORE_BARRIER", check_flags},
    {"a map has two sequences at once", several_sequences},
    {"a store after a flush or a barrier comes after those before it", barriers},
    {"SCICacheSync leaves the bytes right", cache_sync},
};

}  // namespace
}  // namespace pio

const std::span<const SisciTest> pio_tests = pio::kTests;

}  // namespace collbench::conformance::sisci
