// DMA queues: what they refuse, and how a transfer is aborted.
#include "emulated/conformance/sisci/dma_bench.h"

namespace collbench::conformance::sisci {
namespace dma_error {
namespace {

/// Size in bytes of a transfer that is still in flight at the test's next call; if it is not, the test is
/// skipped.
constexpr std::size_t kLong = std::size_t{16} << 20;

void past_the_end(SisciBench& bench) {
  DmaBench dma(bench);
  expect_code("past the local segment", {SCI_ERR_OUT_OF_RANGE}, dma.start(dma.bytes - kPage, 2 * kPage, 0));
  expect_code("past the remote segment", {SCI_ERR_OUT_OF_RANGE}, dma.start(0, 2 * kPage, dma.bytes - kPage));
  expect_code("an offset past all sizes", {SCI_ERR_OUT_OF_RANGE, SCI_ERR_OFFSET_ALIGNMENT},
              dma.start(0, kPage, ~std::size_t{0} - kPage + 1));
  for (std::size_t n = 0; n < dma.bytes; ++n)
    expect(dma.target.at[n] == std::byte{}, "memory untouched", "byte " + std::to_string(n) + " written");
}

void no_bytes(SisciBench& bench) {
  DmaBench dma(bench);
  expect_refused("a transfer of 0 B", dma.start(0, 0, 0));
}

void flags(SisciBench& bench) {
  DmaBench dma(bench);
  expect_code("an unknown flag", {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED},
              dma.start(0, kPage, 0, 0x80000000U));
}

void not_prepared(SisciBench& bench) {
  DmaBench dma(bench);
  const LocalSegment raw(bench, bench.id(3), kPage);
  expect_code(
      "a local segment that is not prepared", {SCI_ERR_SEGMENT_NOT_PREPARED},
      bench.lib.SCIStartDmaTransfer.code(dma.queue.handle, raw.handle, dma.remote.handle, std::size_t{0},
                                         kPage, std::size_t{0}, nullptr, nullptr, 0U));
}

void not_connected(SisciBench& bench) {
  DmaBench dma(bench);
  expect_ok("SCISetSegmentUnavailable", dma.target.set_unavailable(bench.lib.SCI_FLAG_FORCE_DISCONNECT));
  dma.remote.next_change();
  expect_refused("a remote segment that was disconnected", dma.start(0, kPage, 0));
}

void vector_pieces(SisciBench& bench) {
  DmaBench dma(bench);
  dis_dma_vec_t pieces[] = {{64, 0, 0, 0}, {64, 64, 64, 0}};
  expect_offered("SCIStartDmaTransferVec", dma.start_vector(2, pieces));
  dma.queue.finish();
  expect_refused("a vector of no pieces", dma.start_vector(0, pieces));
  pieces[1].local_offset = static_cast<unsigned>(dma.bytes);
  expect_code("a piece past the local segment", {SCI_ERR_OUT_OF_RANGE}, dma.start_vector(2, pieces));
  pieces[1] = {64, 64, static_cast<unsigned>(dma.bytes - 32), 0};
  expect_code("a piece past the remote segment", {SCI_ERR_OUT_OF_RANGE}, dma.start_vector(2, pieces));
}

void no_such_adapter(SisciBench& bench) {
  const TestDescriptor descriptor(bench);
  sci_dma_queue_t queue = nullptr;
  expect_code("SCICreateDMAQueue at adapter 9999", {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              bench.lib.SCICreateDMAQueue.code(descriptor.handle, &queue, kNoAdapter, 1U, 0U));
}

void close_in_use(SisciBench& bench) {
  const TestDmaQueue queue(bench);
  expect_code("SCIClose with a queue", {SCI_ERR_BUSY}, bench.lib.SCIClose.code(queue.descriptor.handle, 0U));
}

void busy(SisciBench& bench) {
  DmaBench dma(bench, kLong);
  expect_ok("SCIStartDmaTransfer", dma.start(0, kLong, 0));
  const sci_error_t second = dma.start(0, kPage, 0);
  if (second == SCI_ERR_OK) throw TestSkipped{"16 MiB were moved before the next call"};
  expect_code("a start while the queue is active", {SCI_ERR_BUSY, SCI_ERR_ILLEGAL_OPERATION}, second);
  dma.queue.finish();
  expect_bytes(dma.source.at, dma.target.at, kLong);
}

void removed_under_way(SisciBench& bench) {
  DmaBench dma(bench, kLong);
  expect_ok("SCIStartDmaTransfer", dma.start(0, kLong, 0));
  const sci_error_t error = bench.lib.SCIRemoveDMAQueue.code(dma.queue.handle, 0U);
  if (error == SCI_ERR_OK) {
    dma.queue.handle = nullptr;
    throw TestSkipped{"16 MiB were moved before the next call"};
  }
  expect_code("SCIRemoveDMAQueue while the queue is active", {SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_BUSY},
              error);
  dma.queue.finish();
}

void aborted(SisciBench& bench) {
  DmaBench dma(bench, kLong);
  expect_ok("SCIStartDmaTransfer", dma.start(0, kLong, 0));
  const sci_error_t error = bench.lib.SCIAbortDMAQueue.code(dma.queue.handle, 0U);
  if (error == SCI_ERR_ILLEGAL_OPERATION) throw TestSkipped{"16 MiB were moved before the next call"};
  expect_ok("SCIAbortDMAQueue", error);
  sci_error_t ignored = SCI_ERR_OK;
  const auto state = bench.lib.SCIWaitForDMAQueue(dma.queue.handle, kPatienceMs, 0U, &ignored);
  expect(state == SCI_DMAQUEUE_ABORTED || state == SCI_DMAQUEUE_DONE, "state ABORTED (4) or DONE (3)",
         std::to_string(state));
  // An aborted transfer writes no more, and the queue is free again.
  fill_pattern(dma.target.at, dma.bytes, 9);
  expect_ok("SCIStartDmaTransfer after SCIAbortDMAQueue", dma.start(0, kPage, 0));
  dma.queue.finish();
  expect_bytes(dma.source.at, dma.target.at, kPage);
  const TestPages wanted(kLong);
  fill_pattern(wanted.at, kLong, 9);
  expect_bytes(wanted.at + kPage, dma.target.at + kPage, kLong - kPage);
}

void short_wait(SisciBench& bench) {
  DmaBench dma(bench, kLong);
  expect_ok("SCIStartDmaTransfer", dma.start(0, kLong, 0));
  sci_error_t error = SCI_ERR_OK;
  const auto state = bench.lib.SCIWaitForDMAQueue(dma.queue.handle, 0U, 0U, &error);
  if (state == SCI_DMAQUEUE_DONE) throw TestSkipped{"16 MiB were moved before the next call"};
  expect_code("SCIWaitForDMAQueue of 0 ms", {SCI_ERR_TIMEOUT}, error);
  dma.queue.finish();
  expect_bytes(dma.source.at, dma.target.at, kLong);
}

constexpr SisciTest kTests[] = {
    {"a transfer past a segment's end is SCI_ERR_OUT_OF_RANGE and moves nothing", past_the_end},
    {"a transfer of 0 bytes is refused", no_bytes},
    {"an unknown flag is refused", flags},
    {"a local segment that is not prepared is SCI_ERR_SEGMENT_NOT_PREPARED", not_prepared},
    {"a disconnected remote segment is refused", not_connected},
    {"a vector with a wrong piece, or with none, is refused", vector_pieces},
    {"an adapter that does not exist is refused", no_such_adapter},
    {"SCIClose with a queue is SCI_ERR_BUSY", close_in_use},
    {"a queue that is active refuses a second transfer", busy},
    {"a queue that is active cannot be removed", removed_under_way},
    {"an aborted transfer writes no more, and its queue works again", aborted},
    {"SCIWaitForDMAQueue ends with SCI_ERR_TIMEOUT, and the transfer goes on", short_wait},
};

}  // namespace
}  // namespace dma_error

const std::span<const SisciTest> dma_error_tests = dma_error::kTests;

}  // namespace collbench::conformance::sisci
