// The library, descriptors, adapters and nodes.
#include <dlfcn.h>

#include <memory>
#include <vector>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace session {
namespace {

/// Functions that some versions of the library lack. A test that needs one of them is then skipped.
constexpr const char* kOptional[] = {"SCIStartDmaTransferMem",
                                     "SCIStartDmaTransferVec",
                                     "SCIRegisterSegmentMemory",
                                     "SCIAttachPhysicalMemory",
                                     "SCICacheSync",
                                     "SCIGetErrorString",
                                     "SCIGetMapPointer",
                                     "SCIGetMapPhysAddr",
                                     "SCIRequestDMAChannel",
                                     "SCIReturnDMAChannel",
                                     "SCIAssignDMAChannel",
                                     "SCIPrepareLocalSegmentForDMA",
                                     "SCIPrepareRemoteSegmentForDMA"};

bool is_optional(const std::string& name) {
  for (const char* one : kOptional)
    if (name == one) return true;
  return false;
}

void functions(SisciBench& bench) {
  std::string missing;
#define SISCI_FUNCTION(ret, name, params, args) \
  if (bench.lib.name.at == nullptr && !is_optional(#name)) missing += " " #name;
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION
  expect(missing.empty(), "the functions of API 2", "missing:" + missing);
}

void constants(SisciBench& bench) {
  std::string missing;
  for (const char* name : {"SCI_INFINITE_TIMEOUT", "SCI_FLAG_USE_CALLBACK", "SCI_FLAG_EMPTY",
                           "SCI_FLAG_DMA_READ", "SCI_Q_API", "SCI_Q_ADAPTER", "SCI_Q_ADAPTER_NODEID"})
    if (dlsym(bench.lib.handle, (std::string("_SISCI_PUBLIC_CONST_") + name).c_str()) == nullptr)
      missing += std::string(" ") + name;
  expect(missing.empty(), "flags and commands as variables _SISCI_PUBLIC_CONST_...", "missing:" + missing);
}

void before_initialize(SisciBench& bench) {
  bench.lib.SCITerminate();
  sci_desc_t descriptor = nullptr;
  const sci_error_t error = bench.lib.SCIOpen.code(&descriptor, 0U);
  const sci_error_t again = bench.lib.SCIInitialize.code(0U);
  expect_refused("SCIOpen after SCITerminate", error);
  expect_ok("SCIInitialize after SCITerminate", again);
  expect_ok("SCIOpen", bench.lib.SCIOpen.code(&descriptor, 0U));
  expect_ok("SCIClose", bench.lib.SCIClose.code(descriptor, 0U));
}

void many_descriptors(SisciBench& bench) {
  std::vector<std::unique_ptr<TestDescriptor>> open;
  for (int n = 0; n < 64; ++n) {
    open.push_back(std::make_unique<TestDescriptor>(bench));
    for (int other = 0; other < n; ++other)
      expect(open.back()->handle != open[static_cast<std::size_t>(other)]->handle, "a handle of its own",
             "that of another descriptor");
  }
  for (auto& one : open) {
    expect_ok("SCIClose", bench.lib.SCIClose.code(one->handle, 0U));
    expect_ok("SCIOpen", bench.lib.SCIOpen.code(&one->handle, 0U));
  }
}

void open_flags(SisciBench& bench) {
  sci_desc_t descriptor = nullptr;
  expect_code("SCIOpen with an unknown flag", {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED},
              bench.lib.SCIOpen.code(&descriptor, kNoFlag));
}

void close_in_use(SisciBench& bench) {
  LocalSegment segment(bench, bench.id(1), kPage);
  expect_code("SCIClose with a segment", {SCI_ERR_BUSY},
              bench.lib.SCIClose.code(segment.descriptor.handle, 0U));
  expect_ok("SCIRemoveSegment", segment.remove());
}

void node_ids(SisciBench& bench) {
  unsigned again = 0;
  expect_ok("SCIGetLocalNodeId", bench.lib.SCIGetLocalNodeId.code(bench.exporter, &again, 0U));
  expect_equal("the same node id,", bench.exporter_node, again);
  expect(again > 0 && again % 4 == 0, "a multiple of 4 above 0", std::to_string(again));
}

void no_such_adapter(SisciBench& bench) {
  unsigned node = 0;
  expect_code("SCIGetLocalNodeId of adapter 9999", {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              bench.lib.SCIGetLocalNodeId.code(kNoAdapter, &node, 0U));
  const TestDescriptor descriptor(bench);
  expect_code("SCIProbeNode through adapter 9999", {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              bench.lib.SCIProbeNode.code(descriptor.handle, kNoAdapter, bench.exporter_node, 0U));
}

void probe(SisciBench& bench) {
  const TestDescriptor descriptor(bench);
  sci_error_t error = SCI_ERR_OK;
  const int answers =
      bench.lib.SCIProbeNode(descriptor.handle, bench.importer, bench.exporter_node, 0U, &error);
  bench.expect_reached("SCIProbeNode of node " + std::to_string(bench.exporter_node), bench.exporter_node,
                       error);
  expect(answers != 0, "the node answers", "it does not, without an error");
}

void probe_nobody(SisciBench& bench) {
  const unsigned node = bench.absent_node();
  const TestDescriptor descriptor(bench);
  expect_code("SCIProbeNode of node " + std::to_string(node),
              {SCI_ERR_NO_SUCH_NODEID, SCI_ERR_NODE_NOT_RESPONDING, SCI_ERR_ILLEGAL_NODEID,
               SCI_ERR_NO_LINK_ACCESS, SCI_ERR_NO_REMOTE_LINK_ACCESS},
              bench.lib.SCIProbeNode.code(descriptor.handle, bench.importer, node, 0U));
}

void error_texts(SisciBench& bench) {
  const auto text = [&](sci_error_t code) {
    const char* found = bench.lib.SCIGetErrorString(code);
    return std::string(found == nullptr ? "" : found);
  };
  for (const sci_error_t code : {SCI_ERR_OK, SCI_ERR_BUSY, SCI_ERR_NO_SUCH_SEGMENT, SCI_ERR_TIMEOUT,
                                 SCI_ERR_OUT_OF_RANGE, SCI_ERR_CONNECTION_REFUSED})
    expect(!text(code).empty(), "a text for " + code_text(code), "none");
  expect(text(SCI_ERR_BUSY) != text(SCI_ERR_TIMEOUT), "a text of its own for each code", text(SCI_ERR_BUSY));
}

constexpr SisciTest kTests[] = {
    {"the functions of the interface are there", functions},
    {"flags and commands are public variables", constants},
    {"SCIOpen needs SCIInitialize, which may come again after SCITerminate", before_initialize},
    {"64 descriptors are open at once and can be opened again", many_descriptors},
    {"SCIOpen refuses an unknown flag", open_flags},
    {"SCIClose with a segment is SCI_ERR_BUSY", close_in_use},
    {"an adapter has one node id, a multiple of 4", node_ids},
    {"an adapter that does not exist is refused", no_such_adapter},
    {"SCIProbeNode finds the exporting node", probe},
    {"SCIProbeNode of a node that nobody has is an error", probe_nobody},
    {"each error code has a text", error_texts},
};

}  // namespace
}  // namespace session

const std::span<const SisciTest> session_tests = session::kTests;

}  // namespace collbench::conformance::sisci
