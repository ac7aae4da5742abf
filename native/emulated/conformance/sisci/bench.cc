#include "emulated/conformance/sisci/bench.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace collbench::conformance::sisci {
namespace {

unsigned node_of(const SisciLibrary& lib, unsigned adapter) {
  unsigned node = 0;
  const sci_error_t error = lib.SCIGetLocalNodeId.code(adapter, &node, 0U);
  if (error != SCI_ERR_OK)
    throw TestSkipped{"adapter " + std::to_string(adapter) + " has no node id: " + code_text(error)};
  return node;
}

}  // namespace

SisciBench::SisciBench(const SisciTarget& target)
    : lib(SisciLibrary::open(target.path)), exporter(target.exporter), importer(target.importer) {
  const sci_error_t error = lib.SCIInitialize.code(0U);
  if (error != SCI_ERR_OK)
    throw TestSkipped{"SCIInitialize: " + code_text(error) +
                      (lib.is_emulated ? "" : "; is the driver loaded?")};
  exporter_node = node_of(lib, exporter);
  importer_node = node_of(lib, importer);
}

SisciBench::~SisciBench() { lib.SCITerminate(); }

unsigned SisciBench::id(unsigned n) const {
  return 0xcb000000U | (static_cast<unsigned>(getpid()) & 0xffffU) << 8 | (n & 0xffU);
}

void SisciBench::expect_reached(const std::string& what, unsigned node, sci_error_t error) const {
  const bool is_link = error == SCI_ERR_NO_LINK_ACCESS || error == SCI_ERR_NO_REMOTE_LINK_ACCESS ||
                       error == SCI_ERR_ILLEGAL_NODEID || error == SCI_ERR_NO_SUCH_NODEID ||
                       error == SCI_ERR_NOT_SUPPORTED || error == SCI_ERR_NOT_IMPLEMENTED;
  if (is_link && !lib.is_emulated && node == importer_node)
    throw TestSkipped{"no loopback: " + what + ": " + code_text(error) +
                      "; needs two connected adapters and --adapters 0,1"};
  expect_ok(what, error);
}

unsigned SisciBench::absent_node() {
  const TestDescriptor descriptor(*this);
  for (unsigned node = 248; node > 0; node -= 4) {
    sci_error_t error = SCI_ERR_OK;
    const bool is_own = node == exporter_node || node == importer_node;
    if (!is_own && lib.SCIProbeNode(descriptor.handle, importer, node, 0U, &error) == 0) return node;
  }
  throw TestSkipped{"every node id from 4 to 248 answers"};
}

TestDescriptor::TestDescriptor(SisciBench& its_bench) : bench(its_bench) {
  expect_ok("SCIOpen", bench.lib.SCIOpen.code(&handle, 0U));
}
TestDescriptor::~TestDescriptor() { bench.lib.SCIClose.code(handle, 0U); }

LocalSegment::LocalSegment(SisciBench& its_bench, unsigned id, std::size_t bytes, unsigned flags,
                           sci_cb_local_segment_t callback, void* argument)
    : bench(its_bench), adapter(its_bench.exporter), descriptor(its_bench) {
  if (callback != nullptr) flags |= bench.lib.SCI_FLAG_USE_CALLBACK;
  const sci_error_t error =
      bench.lib.SCICreateSegment.code(descriptor.handle, &handle, id, bytes, callback, argument, flags);
  const bool is_full = error == SCI_ERR_NOSPC || error == SCI_ERR_API_NOSPC || error == SCI_ERR_HW_NOSPC;
  const std::string what = "SCICreateSegment of " + std::to_string(bytes) + " B";
  if (is_full && !bench.lib.is_emulated) throw TestSkipped{what + ": " + code_text(error)};
  expect_ok(what, error);
}

LocalSegment::~LocalSegment() {
  unmap();
  if (remove() == SCI_ERR_BUSY) {
    set_unavailable(bench.lib.SCI_FLAG_FORCE_DISCONNECT);
    remove(bench.lib.SCI_FLAG_FORCE_REMOVE);
  }
}

sci_error_t LocalSegment::prepare() { return bench.lib.SCIPrepareSegment.code(handle, adapter, 0U); }
sci_error_t LocalSegment::set_available() {
  return bench.lib.SCISetSegmentAvailable.code(handle, adapter, 0U);
}
sci_error_t LocalSegment::set_unavailable(unsigned flags) {
  return bench.lib.SCISetSegmentUnavailable.code(handle, adapter, flags);
}

std::byte* LocalSegment::map() {
  sci_error_t error = SCI_ERR_OK;
  void* address = bench.lib.SCIMapLocalSegment(handle, &window, std::size_t{0},
                                               bench.lib.SCIGetLocalSegmentSize(handle), nullptr, 0U, &error);
  expect_ok("SCIMapLocalSegment", error);
  at = static_cast<std::byte*>(address);
  return at;
}

sci_error_t LocalSegment::unmap() {
  const sci_error_t error = window == nullptr ? SCI_ERR_OK : bench.lib.SCIUnmapSegment.code(window, 0U);
  if (error == SCI_ERR_OK) window = nullptr;
  return error;
}

sci_error_t LocalSegment::remove(unsigned flags) {
  const sci_error_t error = handle == nullptr ? SCI_ERR_OK : bench.lib.SCIRemoveSegment.code(handle, flags);
  if (error == SCI_ERR_OK) handle = nullptr;
  return error;
}

sci_segment_cb_reason_t LocalSegment::next_event(unsigned* node) {
  unsigned source = 0, at_adapter = 0;
  sci_error_t error = SCI_ERR_OK;
  const auto reason =
      bench.lib.SCIWaitForLocalSegmentEvent(handle, &source, &at_adapter, kPatienceMs, 0U, &error);
  expect_ok("SCIWaitForLocalSegmentEvent", error);
  if (node != nullptr) *node = source;
  return reason;
}

ExportedSegment::ExportedSegment(SisciBench& its_bench, unsigned id, std::size_t bytes, unsigned flags,
                                 sci_cb_local_segment_t callback, void* argument)
    : LocalSegment(its_bench, id, bytes, flags, callback, argument) {
  expect_ok("SCIPrepareSegment", prepare());
  expect_ok("SCISetSegmentAvailable", set_available());
  map();
}

RegisteredSegment::RegisteredSegment(SisciBench& its_bench, unsigned id, std::byte* pages, std::size_t bytes)
    : RegisteredSegment(its_bench, id, pages, bytes, its_bench.exporter) {}

RegisteredSegment::RegisteredSegment(SisciBench& its_bench, unsigned id, std::byte* pages, std::size_t bytes,
                                     unsigned its_adapter)
    : LocalSegment(its_bench, id, bytes, its_bench.lib.SCI_FLAG_EMPTY) {
  adapter = its_adapter;
  expect_offered("SCIRegisterSegmentMemory",
                 bench.lib.SCIRegisterSegmentMemory.code(static_cast<void*>(pages), bytes, handle,
                                                         bench.lib.SCI_FLAG_LOCK_USER_MEM));
  expect_ok("SCIPrepareSegment", prepare());
  expect_ok("SCISetSegmentAvailable", set_available());
}

ImportedSegment::ImportedSegment(SisciBench& its_bench, unsigned node, unsigned id,
                                 sci_cb_remote_segment_t callback, void* argument)
    : bench(its_bench), descriptor(its_bench) {
  const unsigned flags = callback == nullptr ? 0U : bench.lib.SCI_FLAG_USE_CALLBACK;
  const sci_error_t error = bench.lib.SCIConnectSegment.code(
      descriptor.handle, &handle, node, id, bench.importer, callback, argument, kPatienceMs, flags);
  bench.expect_reached("SCIConnectSegment to node " + std::to_string(node), node, error);
}

ImportedSegment::~ImportedSegment() {
  unmap();
  disconnect();
}

volatile std::byte* ImportedSegment::map() {
  sci_error_t error = SCI_ERR_OK;
  volatile void* address = bench.lib.SCIMapRemoteSegment(
      handle, &window, std::size_t{0}, bench.lib.SCIGetRemoteSegmentSize(handle), nullptr, 0U, &error);
  expect_ok("SCIMapRemoteSegment", error);
  at = static_cast<volatile std::byte*>(address);
  return at;
}

sci_error_t ImportedSegment::unmap() {
  const sci_error_t error = window == nullptr ? SCI_ERR_OK : bench.lib.SCIUnmapSegment.code(window, 0U);
  if (error == SCI_ERR_OK) window = nullptr;
  return error;
}

sci_error_t ImportedSegment::disconnect() {
  const sci_error_t error = handle == nullptr ? SCI_ERR_OK : bench.lib.SCIDisconnectSegment.code(handle, 0U);
  if (error == SCI_ERR_OK) handle = nullptr;
  return error;
}

sci_segment_cb_reason_t ImportedSegment::next_change() {
  for (;;) {
    sci_error_t status = SCI_ERR_OK, error = SCI_ERR_OK;
    const auto reason = bench.lib.SCIWaitForRemoteSegmentEvent(handle, &status, kPatienceMs, 0U, &error);
    expect_ok("SCIWaitForRemoteSegmentEvent", error);
    if (reason != SCI_CB_CONNECT) return reason;
  }
}

sci_error_t try_connect(SisciBench& bench, unsigned node, unsigned id, unsigned adapter, unsigned flags) {
  const TestDescriptor descriptor(bench);
  sci_remote_segment_t segment = nullptr;
  const sci_error_t error = bench.lib.SCIConnectSegment.code(descriptor.handle, &segment, node, id, adapter,
                                                             nullptr, nullptr, kPatienceMs, flags);
  if (error == SCI_ERR_OK) bench.lib.SCIDisconnectSegment.code(segment, 0U);
  return error;
}

ConnectedSegments::ConnectedSegments(SisciBench& bench, std::size_t bytes)
    : local(bench, bench.id(1), bytes), remote(bench, bench.exporter_node, bench.id(1)) {
  remote.map();
}

TestDmaQueue::TestDmaQueue(SisciBench& its_bench) : bench(its_bench), descriptor(its_bench) {
  expect_offered("SCICreateDMAQueue",
                 bench.lib.SCICreateDMAQueue.code(descriptor.handle, &handle, bench.importer, 1U, 0U));
}

TestDmaQueue::~TestDmaQueue() {
  if (handle == nullptr) return;
  bench.lib.SCIAbortDMAQueue.code(handle, 0U);
  bench.lib.SCIRemoveDMAQueue.code(handle, 0U);
}

void TestDmaQueue::finish() {
  sci_error_t error = SCI_ERR_OK;
  const auto state = bench.lib.SCIWaitForDMAQueue(handle, kPatienceMs, 0U, &error);
  expect_ok("SCIWaitForDMAQueue", error);
  expect_equal("state DONE:", static_cast<int>(SCI_DMAQUEUE_DONE), static_cast<int>(state));
}

TestPages::TestPages(std::size_t size) : bytes(size) {
  // At a low address, a page that a test unmaps stays unmapped.
  void* memory = mmap(reinterpret_cast<void*>(kLowAddress), size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(memory != MAP_FAILED, "memory", "none");
  at = static_cast<std::byte*>(memory);
}
TestPages::~TestPages() { munmap(at, bytes); }

bool read_adapters(const std::string& text, SisciTarget* target) {
  char rest = 0;
  const int count = std::sscanf(text.c_str(), "%u,%u%c", &target->exporter, &target->importer, &rest);
  if (count == 1 && text.find_first_not_of("0123456789") == std::string::npos)
    target->importer = target->exporter;
  else if (count != 2)
    return false;
  return true;
}

}  // namespace collbench::conformance::sisci
