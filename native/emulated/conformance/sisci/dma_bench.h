#pragma once
// Two segments and a DMA queue between them.
#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {

struct DmaBench {
  explicit DmaBench(SisciBench& its_bench, std::size_t its_bytes = 4 * kPage)
      : bench(its_bench),
        bytes(its_bytes),
        queue(its_bench),
        source(its_bench, its_bench.id(2), its_bytes),
        target(its_bench, its_bench.id(1), its_bytes),
        remote(its_bench, its_bench.exporter_node, its_bench.id(1)) {
    source.adapter = bench.importer;
    expect_ok("SCIPrepareSegment", source.prepare());
    fill_pattern(source.map(), bytes, 1);
  }
  sci_error_t start(std::size_t local_offset, std::size_t count, std::size_t remote_offset,
                    unsigned flags = 0, sci_cb_dma_t callback = nullptr, void* argument = nullptr) {
    return bench.lib.SCIStartDmaTransfer.code(queue.handle, source.handle, remote.handle, local_offset, count,
                                              remote_offset, callback, argument, flags);
  }
  sci_error_t start_memory(std::byte* memory, std::size_t count, std::size_t remote_offset,
                           unsigned flags = 0) {
    return bench.lib.SCIStartDmaTransferMem.code(queue.handle, static_cast<void*>(memory), remote.handle,
                                                 count, remote_offset, nullptr, nullptr, flags);
  }
  sci_error_t start_vector(std::size_t count, dis_dma_vec_t* pieces) {
    return bench.lib.SCIStartDmaTransferVec.code(queue.handle, source.handle, remote.handle, count, pieces,
                                                 nullptr, nullptr, 0U);
  }
  SisciBench& bench;
  std::size_t bytes;
  TestDmaQueue queue;
  LocalSegment source;  // on the importing side
  ExportedSegment target;
  ImportedSegment remote;
};

}  // namespace collbench::conformance::sisci
