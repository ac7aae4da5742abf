#include <doctest/doctest.h>
#include <sys/mman.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "core/spin.h"
#include "harness.h"

using namespace softntb_test;

namespace {
constexpr std::size_t kPage = 4096;

sci_error_t connect_error(sci_desc_t sd, unsigned node, unsigned id, unsigned adapter = 0) {
  sci_remote_segment_t segment = nullptr;
  return error_of(
      [&](auto* e) { SCIConnectSegment(sd, &segment, node, id, adapter, nullptr, nullptr, 0, 0, e); });
}
}  // namespace

TEST_CASE("nothing works before SCIInitialize or after SCITerminate") {
  sci_desc_t sd = nullptr;
  unsigned node = 0;
  CHECK(error_of([&](auto* e) { SCIOpen(&sd, 0, e); }) == SCI_ERR_NOT_INITIALIZED);
  CHECK(error_of([&](auto* e) { SCIGetLocalNodeId(0, &node, 0, e); }) == SCI_ERR_NOT_INITIALIZED);
  {
    const TestLibrary library;
  }
  CHECK(error_of([&](auto* e) { SCIOpen(&sd, 0, e); }) == SCI_ERR_NOT_INITIALIZED);
}

TEST_CASE("a setting that is not understood fails the initialisation") {
  setenv("SOFTNTB_LINK", "pcie-gen9-x8", 1);
  setenv("SOFTNTB_FAULT", "", 1);
  CHECK(error_of([](auto* e) { SCIInitialize(0, e); }) == SCI_ERR_ILLEGAL_PARAMETER);
}

TEST_CASE("adapter k has node id 4 (k + 1) and says that it is emulated") {
  const TestLibrary library("pcie-gen3-x8");
  unsigned node = 0;
  for (unsigned adapter : {0U, 1U, 63U}) {
    CHECK(error_of([&](auto* e) { SCIGetLocalNodeId(adapter, &node, 0, e); }) == SCI_ERR_OK);
    CHECK(node == 4 * (adapter + 1));
  }
  CHECK(error_of([&](auto* e) { SCIGetLocalNodeId(64, &node, 0, e); }) == SCI_ERR_NO_SUCH_ADAPTERNO);

  char text[128];
  sci_query_string_t version{text, sizeof text};
  CHECK(error_of([&](auto* e) { SCIQuery(SCI_Q_SISCI_DRIVER_VERSION, &version, 0, e); }) == SCI_ERR_OK);
  CHECK(std::string(text) == "softntb (emulated) 1.0, link pcie-gen3-x8");
  sci_query_string_t narrow{text, 4};
  CHECK(error_of([&](auto* e) { SCIQuery(SCI_Q_API, &narrow, 0, e); }) == SCI_ERR_OVERFLOW);

  unsigned value = 0;
  sci_query_adapter_t query{0, 0, SCI_Q_ADAPTER_LINK_WIDTH, &value};
  CHECK(error_of([&](auto* e) { SCIQuery(SCI_Q_ADAPTER, &query, 0, e); }) == SCI_ERR_OK);
  CHECK(value == 8);
  query.subcommand = SCI_Q_ADAPTER_LINK_SPEED;
  SCIQuery(SCI_Q_ADAPTER, &query, 0, nullptr);
  CHECK(value == 3);
  query.subcommand = SCI_Q_ADAPTER_LINK_OPERATIONAL;
  SCIQuery(SCI_Q_ADAPTER, &query, 0, nullptr);
  CHECK(value == 1);
  query.localAdapterNo = 33;
  query.subcommand = SCI_Q_ADAPTER_BDF;
  SCIQuery(SCI_Q_ADAPTER, &query, 0, nullptr);
  CHECK(((value >> 8) & 0xff) == 0xf1);
  CHECK(((value >> 3) & 0x1f) == 1);
  query.subcommand = 999;
  CHECK(error_of([&](auto* e) { SCIQuery(SCI_Q_ADAPTER, &query, 0, e); }) == SCI_ERR_ILLEGAL_QUERY);
  CHECK(error_of([&](auto* e) { SCIQuery(999, &query, 0, e); }) == SCI_ERR_ILLEGAL_QUERY);
}

TEST_CASE("every error has a text") {
  CHECK(std::string(SCIGetErrorString(SCI_ERR_NO_SUCH_SEGMENT)) == "The specified segment ID is not found");
  CHECK(std::string(SCIGetErrorString(12345)) == "Unknown error code");
}

TEST_CASE("a segment goes through its life in order") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  sci_local_segment_t segment = nullptr;
  const auto create = [&](std::size_t size, unsigned flags) {
    return error_of(
        [&](auto* e) { SCICreateSegment(descriptor.handle, &segment, 5, size, nullptr, nullptr, flags, e); });
  };
  CHECK(create(0, 0) == SCI_ERR_ILLEGAL_PARAMETER);
  CHECK(create(kPage, 0x40000000) == SCI_ERR_ILLEGAL_FLAG);
  CHECK(create(kPage, SCI_FLAG_BROADCAST) == SCI_ERR_FLAG_NOT_IMPLEMENTED);
  CHECK(create(kPage, SCI_FLAG_USE_CALLBACK) == SCI_ERR_ILLEGAL_PARAMETER);
  CHECK(create(std::size_t{1} << 50, 0) == SCI_ERR_NOSPC);
  REQUIRE(create(kPage + 1, 0) == SCI_ERR_OK);
  CHECK(SCIGetLocalSegmentId(segment) == 5);
  CHECK(SCIGetLocalSegmentSize(segment) == kPage + 1);

  CHECK(error_of([&](auto* e) { SCISetSegmentAvailable(segment, 0, 0, e); }) == SCI_ERR_SEGMENT_NOT_PREPARED);
  CHECK(error_of([&](auto* e) { SCIPrepareSegment(segment, 64, 0, e); }) == SCI_ERR_NO_SUCH_ADAPTERNO);
  CHECK(error_of([&](auto* e) { SCIPrepareSegment(segment, 0, 0, e); }) == SCI_ERR_OK);
  CHECK(error_of([&](auto* e) { SCIPrepareSegment(segment, 0, 0, e); }) == SCI_ERR_ILLEGAL_OPERATION);
  CHECK(connect_error(descriptor.handle, 4, 5) == SCI_ERR_NO_SUCH_SEGMENT);  // segment not available yet
  CHECK(error_of([&](auto* e) { SCISetSegmentAvailable(segment, 0, 0, e); }) == SCI_ERR_OK);
  CHECK(error_of([&](auto* e) { SCISetSegmentUnavailable(segment, 0, 0, e); }) == SCI_ERR_OK);
  CHECK(connect_error(descriptor.handle, 4, 5) == SCI_ERR_CONNECTION_REFUSED);

  sci_map_t map = nullptr;
  void* at = SCIMapLocalSegment(segment, &map, 0, kPage, nullptr, 0, nullptr);
  REQUIRE(at != nullptr);
  CHECK(error_of([&](auto* e) { SCIRemoveSegment(segment, 0, e); }) == SCI_ERR_BUSY);
  CHECK(error_of([&](auto* e) { SCIClose(descriptor.handle, 0, e); }) == SCI_ERR_BUSY);
  sci_sequence_t sequence = nullptr;
  SCICreateMapSequence(map, &sequence, 0, nullptr);
  CHECK(error_of([&](auto* e) { SCIUnmapSegment(map, 0, e); }) == SCI_ERR_BUSY);
  SCIRemoveSequence(sequence, 0, nullptr);
  CHECK(error_of([&](auto* e) { SCIUnmapSegment(map, 0, e); }) == SCI_ERR_OK);
  CHECK(error_of([&](auto* e) { SCIRemoveSegment(segment, 0, e); }) == SCI_ERR_OK);
}

TEST_CASE("what cannot be connected says why") {
  const TestLibrary library;
  const ExportedSegment exported(1, kPage);
  const TestDescriptor descriptor;
  CHECK(connect_error(descriptor.handle, 4, 99) == SCI_ERR_NO_SUCH_SEGMENT);
  CHECK(connect_error(descriptor.handle, 40, 1) == SCI_ERR_NO_SUCH_NODEID);
  CHECK(connect_error(descriptor.handle, 7, 1) == SCI_ERR_ILLEGAL_NODEID);
  CHECK(connect_error(descriptor.handle, 4, 1, 64) == SCI_ERR_NO_SUCH_ADAPTERNO);
  CHECK(SCIProbeNode(descriptor.handle, 0, 4, 0, nullptr) == 1);
  CHECK(error_of([&](auto* e) { SCIProbeNode(descriptor.handle, 0, 40, 0, e); }) ==
        SCI_ERR_NODE_NOT_RESPONDING);
}

TEST_CASE("a segment id is used once per node, and AUTO_ID finds free ones") {
  const TestLibrary library;
  const ExportedSegment exported(1, kPage);
  const TestDescriptor descriptor;
  sci_local_segment_t second = nullptr;
  SCICreateSegment(descriptor.handle, &second, 1, kPage, nullptr, nullptr, 0, nullptr);
  CHECK(error_of([&](auto* e) { SCIPrepareSegment(second, 0, 0, e); }) == SCI_ERR_SEGMENTID_USED);
  // a node that does not own it
  CHECK(error_of([&](auto* e) { SCIPrepareSegment(second, 1, 0, e); }) == SCI_ERR_OK);
  SCIRemoveSegment(second, 0, nullptr);

  sci_local_segment_t automatic[2] = {};
  for (auto& segment : automatic) {
    SCICreateSegment(descriptor.handle, &segment, 1, kPage, nullptr, nullptr, SCI_FLAG_AUTO_ID, nullptr);
    CHECK(error_of([&](auto* e) { SCIPrepareSegment(segment, 0, 0, e); }) == SCI_ERR_OK);
  }
  CHECK(SCIGetLocalSegmentId(automatic[0]) != SCIGetLocalSegmentId(automatic[1]));
  for (auto& segment : automatic) SCIRemoveSegment(segment, 0, nullptr);
}

TEST_CASE("maps keep to the segment and to whole pages") {
  const TestLibrary library;
  const ExportedSegment exported(1, 3 * kPage);
  const ImportedSegment imported(4, 1);
  CHECK(SCIGetRemoteSegmentSize(imported.segment) == 3 * kPage);
  CHECK(SCIGetRemoteSegmentId(imported.segment) == 1);
  CHECK(SCIGetRemoteSegmentNodeId(imported.segment) == 4);
  sci_map_t map = nullptr;
  const auto map_error = [&](std::size_t offset, std::size_t size, unsigned flags) {
    return error_of(
        [&](auto* e) { SCIMapRemoteSegment(imported.segment, &map, offset, size, nullptr, flags, e); });
  };
  CHECK(map_error(0, 3 * kPage + 1, 0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(map_error(0, 0, 0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(map_error(64, kPage, 0) == SCI_ERR_OFFSET_ALIGNMENT);
  CHECK(map_error(0, kPage, 0x400) == SCI_ERR_ILLEGAL_FLAG);
  CHECK(map_error(0, kPage, SCI_FLAG_FIXED_MAP_ADDR) == SCI_ERR_ILLEGAL_ADDRESS);
  REQUIRE(map_error(2 * kPage, kPage, SCI_FLAG_READONLY_MAP) == SCI_ERR_OK);
  exported.at[2 * kPage] = std::byte{42};
  CHECK(*static_cast<volatile std::byte*>(SCIGetMapPointer(map)) == std::byte{42});
  SCIUnmapSegment(map, 0, nullptr);
}

TEST_CASE("the exporter hears of connections, polite partings and removal") {
  const TestLibrary library;
  const ExportedSegment exported(1, kPage, 2);
  unsigned node = 0;
  unsigned adapter = 0;
  sci_error_t error = SCI_ERR_OK;
  const auto wait = [&](unsigned ms) {
    return SCIWaitForLocalSegmentEvent(exported.segment, &node, &adapter, ms, 0, &error);
  };
  wait(0);
  CHECK(error == SCI_ERR_TIMEOUT);
  {
    const ImportedSegment imported(12, 1, true, 5);
    CHECK(wait(SCI_INFINITE_TIMEOUT) == SCI_CB_CONNECT);
    CHECK(node == 24);
    CHECK(adapter == 2);
    CHECK(error_of([&](auto* e) { SCIRemoveSegment(exported.segment, 0, e); }) == SCI_ERR_BUSY);
  }
  CHECK(wait(SCI_INFINITE_TIMEOUT) == SCI_CB_DISCONNECT);
}

TEST_CASE("a segment taken away is noticed by who had it") {
  const TestLibrary library;
  const ExportedSegment exported(1, kPage);
  const ImportedSegment imported(4, 1, false);
  sci_error_t status = SCI_ERR_OK;
  sci_error_t error = SCI_ERR_OK;
  CHECK(SCIWaitForRemoteSegmentEvent(imported.segment, &status, SCI_INFINITE_TIMEOUT, 0, &error) ==
        SCI_CB_CONNECT);
  SCISetSegmentUnavailable(exported.segment, 0, SCI_FLAG_FORCE_DISCONNECT, &error);
  CHECK(SCIWaitForRemoteSegmentEvent(imported.segment, &status, SCI_INFINITE_TIMEOUT, 0, &error) ==
        SCI_CB_DISCONNECT);
  sci_map_t map = nullptr;
  CHECK(error_of([&](auto* e) { SCIMapRemoteSegment(imported.segment, &map, 0, kPage, nullptr, 0, e); }) ==
        SCI_ERR_SEGMENT_NOT_CONNECTED);
}

TEST_CASE("callbacks take the place of events") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  struct CallbackLog {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<sci_segment_cb_reason_t> local, remote;
    void await(std::vector<sci_segment_cb_reason_t> CallbackLog::* which, std::size_t count) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return (this->*which).size() >= count; });
    }
  } seen;
  const sci_cb_local_segment_t on_local = [](void* arg, sci_local_segment_t, sci_segment_cb_reason_t reason,
                                             unsigned, unsigned, sci_error_t) {
    auto* to = static_cast<CallbackLog*>(arg);
    const std::lock_guard lock(to->mutex);
    to->local.push_back(reason);
    to->changed.notify_all();
    return SCI_CALLBACK_CONTINUE;
  };
  const sci_cb_remote_segment_t on_remote = [](void* arg, sci_remote_segment_t,
                                               sci_segment_cb_reason_t reason, sci_error_t) {
    auto* to = static_cast<CallbackLog*>(arg);
    const std::lock_guard lock(to->mutex);
    to->remote.push_back(reason);
    to->changed.notify_all();
    return SCI_CALLBACK_CONTINUE;
  };
  sci_local_segment_t local = nullptr;
  sci_remote_segment_t remote = nullptr;
  sci_error_t error = SCI_ERR_OK;
  SCICreateSegment(descriptor.handle, &local, 1, kPage, on_local, &seen, SCI_FLAG_USE_CALLBACK, &error);
  SCIPrepareSegment(local, 0, 0, &error);
  SCISetSegmentAvailable(local, 0, 0, &error);
  REQUIRE(error == SCI_ERR_OK);
  SCIWaitForLocalSegmentEvent(local, nullptr, nullptr, 0, 0, &error);
  CHECK(error == SCI_ERR_ILLEGAL_OPERATION);
  SCIConnectSegment(descriptor.handle, &remote, 4, 1, 0, on_remote, &seen, 60'000, SCI_FLAG_USE_CALLBACK,
                    &error);
  REQUIRE(error == SCI_ERR_OK);
  seen.await(&CallbackLog::local, 1);
  seen.await(&CallbackLog::remote, 1);
  SCISetSegmentUnavailable(local, 0, SCI_FLAG_NOTIFY, &error);
  seen.await(&CallbackLog::remote, 2);
  SCIDisconnectSegment(remote, 0, &error);
  seen.await(&CallbackLog::local, 2);
  SCIRemoveSegment(local, 0, &error);
  CHECK(error == SCI_ERR_OK);
  CHECK(seen.local == std::vector{SCI_CB_CONNECT, SCI_CB_DISCONNECT});
  CHECK(seen.remote == std::vector{SCI_CB_CONNECT, SCI_CB_DISCONNECT});
}

TEST_CASE("a waiting thread is let go when the segment is removed") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  sci_local_segment_t segment = nullptr;
  SCICreateSegment(descriptor.handle, &segment, 1, kPage, nullptr, nullptr, 0, nullptr);
  sci_error_t error = SCI_ERR_OK;
  std::atomic<bool> started{false};
  std::thread waiter([&] {
    started = true;
    SCIWaitForLocalSegmentEvent(segment, nullptr, nullptr, SCI_INFINITE_TIMEOUT, 0, &error);
  });
  // The handle must not be used after the removal, so the removal waits until the other thread is inside the
  // call.
  while (!started) collbench::yield_core();
  SCIWaitForLocalSegmentEvent(segment, nullptr, nullptr, 20, 0, nullptr);
  SCIRemoveSegment(segment, 0, nullptr);
  waiter.join();
  CHECK(error == SCI_ERR_CANCELLED);
}

TEST_CASE("registered memory must be whole mapped pages of an EMPTY segment") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  // Other threads map nothing at this low address, so the unmapped page stays unmapped.
  void* memory = mmap(reinterpret_cast<void*>(0x20000000), 4 * kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(static_cast<std::byte*>(memory) + 3 * kPage, kPage);
  sci_local_segment_t plain = nullptr;
  SCICreateSegment(descriptor.handle, &plain, 1, kPage, nullptr, nullptr, 0, nullptr);
  CHECK(error_of([&](auto* e) { SCIRegisterSegmentMemory(memory, kPage, plain, 0, e); }) ==
        SCI_ERR_ILLEGAL_OPERATION);
  SCIRemoveSegment(plain, 0, nullptr);

  const auto attempt = [&](std::size_t skip, std::size_t size) {
    sci_local_segment_t empty = nullptr;
    SCICreateSegment(descriptor.handle, &empty, 2, size, nullptr, nullptr, SCI_FLAG_EMPTY, nullptr);
    CHECK(error_of([&](auto* e) { SCIPrepareSegment(empty, 0, 0, e); }) == SCI_ERR_ILLEGAL_OPERATION);
    CHECK(error_of([&](auto* e) { SCIAttachPhysicalMemory(0, memory, 0, size, empty, 0, e); }) ==
          SCI_ERR_NOT_SUPPORTED);
    const sci_error_t error = error_of([&](auto* e) {
      SCIRegisterSegmentMemory(static_cast<std::byte*>(memory) + skip, size, empty, SCI_FLAG_LOCK_USER_MEM,
                               e);
    });
    SCIRemoveSegment(empty, 0, nullptr);
    return error;
  };
  CHECK(attempt(0, 2 * kPage) == SCI_ERR_OK);
  CHECK(attempt(64, kPage) == SCI_ERR_OFFSET_ALIGNMENT);
  CHECK(attempt(0, kPage + 64) == SCI_ERR_SIZE_ALIGNMENT);
  CHECK(attempt(2 * kPage, 2 * kPage) == SCI_ERR_ILLEGAL_ADDRESS);
  munmap(memory, 3 * kPage);
}
