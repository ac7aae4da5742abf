#include <dirent.h>
#include <doctest/doctest.h>

#include <fstream>

#include "harness.h"

using namespace softntb_test;

namespace {

constexpr std::size_t kPage = 4096;

/// Number of the fabric's sockets that any process has open.
int sockets_of(const std::string& fabric) {
  std::ifstream table("/proc/net/unix");
  int count = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.find("@softntb/" + fabric + "/") != std::string::npos) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a killed exporter is noticed as LOST and leaves nothing behind") {
  const TestLibrary library;
  PeerProcess peer([](const PeerChannel& talk) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const ExportedSegment exported(77, kPage, 1);
    talk.say();
    return talk.await() == '.';
  });
  peer.start();
  static_cast<void>(peer.talk().await());
  {
    const ImportedSegment remote(8, 77);
    sci_error_t status = SCI_ERR_OK;
    sci_error_t error = SCI_ERR_OK;
    CHECK(SCIWaitForRemoteSegmentEvent(remote.segment, &status, SCI_INFINITE_TIMEOUT, 0, &error) ==
          SCI_CB_CONNECT);
    peer.kill();
    CHECK(SCIWaitForRemoteSegmentEvent(remote.segment, &status, SCI_INFINITE_TIMEOUT, 0, &error) ==
          SCI_CB_LOST);
    CHECK(status == SCI_ERR_NODE_NOT_RESPONDING);
    remote.at[0] = std::byte{1};  // mapped pages stay memory: no SIGBUS
    const TestDmaQueue queue;
    std::byte data[16] = {};
    CHECK(error_of([&](auto* e) {
            SCIStartDmaTransferMem(queue.handle, data, remote.segment, sizeof data, 0, nullptr, nullptr, 0,
                                   e);
          }) == SCI_ERR_SEGMENT_NOT_CONNECTED);
  }
  // The number is free at once for a new segment on the same node.
  const ExportedSegment again(77, kPage, 1);
  const ImportedSegment remote(8, 77);
  CHECK(SCIGetRemoteSegmentSize(remote.segment) == kPage);
}

TEST_CASE("a killed importer is noticed as LOST by the exporter") {
  const TestLibrary library;
  PeerProcess peer([](const PeerChannel& talk) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const ImportedSegment remote(4, 78, true, 1);
    talk.say();
    return talk.await() == '.';
  });
  const ExportedSegment exported(78, kPage);
  peer.start();
  static_cast<void>(peer.talk().await());
  sci_error_t error = SCI_ERR_OK;
  unsigned node = 0;
  CHECK(SCIWaitForLocalSegmentEvent(exported.segment, &node, nullptr, SCI_INFINITE_TIMEOUT, 0, &error) ==
        SCI_CB_CONNECT);
  peer.kill();
  CHECK(SCIWaitForLocalSegmentEvent(exported.segment, &node, nullptr, SCI_INFINITE_TIMEOUT, 0, &error) ==
        SCI_CB_LOST);
  CHECK(node == 8);
  CHECK(error_of([&](auto* e) {
          sci_remote_segment_t segment = nullptr;
          SCIConnectSegment(exported.descriptor.handle, &segment, 8, 1, 0, nullptr, nullptr, 0, 0, e);
        }) == SCI_ERR_NO_SUCH_NODEID);
}

TEST_CASE("an orderly end leaves no socket and no descriptor") {
  const auto open_descriptors = [] {
    int count = 0;
    DIR* directory = opendir("/proc/self/fd");
    while (readdir(directory) != nullptr) ++count;
    closedir(directory);
    return count;
  };
  const int before = open_descriptors();
  std::string fabric;
  {
    const TestLibrary library;
    fabric = library.fabric;
    const ExportedSegment exported(1, kPage);
    const ImportedSegment imported(4, 1);
    CHECK(sockets_of(fabric) > 0);
  }
  CHECK(sockets_of(fabric) == 0);
  CHECK(open_descriptors() == before);
}
