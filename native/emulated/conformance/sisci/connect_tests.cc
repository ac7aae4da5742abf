// Connections to segments: made, refused, ended.
#include <memory>
#include <vector>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace connect {
namespace {

sci_error_t connect(SisciBench& bench, unsigned id) {
  return try_connect(bench, bench.exporter_node, id, bench.importer);
}

void connected(SisciBench& bench) {
  const ExportedSegment local(bench, bench.id(1), 3 * kPage);
  const ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  expect_equal("SCIGetRemoteSegmentSize", 3 * kPage, bench.lib.SCIGetRemoteSegmentSize(remote.handle));
  expect_equal("SCIGetRemoteSegmentId", bench.id(1), bench.lib.SCIGetRemoteSegmentId(remote.handle));
  expect_equal("SCIGetRemoteSegmentNodeId", bench.exporter_node,
               bench.lib.SCIGetRemoteSegmentNodeId(remote.handle));
}

/// Skips the test if the adapter cannot reach the node even with valid arguments. Tests of refused
/// connections would then prove nothing.
/// @throws TestSkipped
void expect_works(SisciBench& bench) {
  const ExportedSegment local(bench, bench.id(99), kPage);
  const ImportedSegment remote(bench, bench.exporter_node, bench.id(99));
}

void before_it_exists(SisciBench& bench) {
  expect_works(bench);
  expect_code("SCIConnectSegment", {SCI_ERR_NO_SUCH_SEGMENT}, connect(bench, bench.id(1)));
  const ExportedSegment local(bench, bench.id(1), kPage);
  expect_ok("SCIConnectSegment after SCISetSegmentAvailable", connect(bench, bench.id(1)));
}

void before_it_is_available(SisciBench& bench) {
  expect_works(bench);
  LocalSegment local(bench, bench.id(1), kPage);
  expect_ok("SCIPrepareSegment", local.prepare());
  expect_code("SCIConnectSegment before SCISetSegmentAvailable",
              {SCI_ERR_NO_SUCH_SEGMENT, SCI_ERR_CONNECTION_REFUSED}, connect(bench, bench.id(1)));
}

void unavailable(SisciBench& bench) {
  expect_works(bench);
  ExportedSegment local(bench, bench.id(1), kPage);
  expect_ok("SCISetSegmentUnavailable", local.set_unavailable());
  expect_code("SCIConnectSegment of an unavailable segment",
              {SCI_ERR_CONNECTION_REFUSED, SCI_ERR_NO_SUCH_SEGMENT}, connect(bench, bench.id(1)));
  expect_ok("SCISetSegmentAvailable", local.set_available());
  expect_ok("SCIConnectSegment of the segment that is available again", connect(bench, bench.id(1)));
}

void removed(SisciBench& bench) {
  expect_works(bench);
  ExportedSegment local(bench, bench.id(1), kPage);
  expect_ok("SCISetSegmentUnavailable", local.set_unavailable());
  expect_ok("SCIUnmapSegment", local.unmap());
  expect_ok("SCIRemoveSegment", local.remove());
  expect_code("SCIConnectSegment of a removed segment", {SCI_ERR_NO_SUCH_SEGMENT},
              connect(bench, bench.id(1)));
}

void private_segment(SisciBench& bench) {
  expect_works(bench);
  LocalSegment local(bench, bench.id(1), kPage, bench.lib.SCI_FLAG_PRIVATE);
  expect_ok("SCIPrepareSegment", local.prepare());
  expect_code("SCIConnectSegment of a private segment", {SCI_ERR_NO_SUCH_SEGMENT, SCI_ERR_CONNECTION_REFUSED},
              connect(bench, bench.id(1)));
}

void nobody(SisciBench& bench) {
  const unsigned node = bench.absent_node();
  expect_code("SCIConnectSegment to node " + std::to_string(node),
              {SCI_ERR_NO_SUCH_NODEID, SCI_ERR_NODE_NOT_RESPONDING, SCI_ERR_ILLEGAL_NODEID,
               SCI_ERR_NO_LINK_ACCESS, SCI_ERR_NO_REMOTE_LINK_ACCESS, SCI_ERR_TIMEOUT},
              try_connect(bench, node, bench.id(1), bench.importer));
}

void odd_node(SisciBench& bench) {
  expect_code("SCIConnectSegment to node 3", {SCI_ERR_ILLEGAL_NODEID, SCI_ERR_NO_SUCH_NODEID},
              try_connect(bench, 3, bench.id(1), bench.importer));
}

void no_such_adapter(SisciBench& bench) {
  expect_code("SCIConnectSegment through adapter 9999",
              {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              try_connect(bench, bench.exporter_node, bench.id(1), kNoAdapter));
}

void connect_flags(SisciBench& bench) {
  expect_code("SCIConnectSegment with an unknown flag", {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED},
              try_connect(bench, bench.exporter_node, bench.id(1), bench.importer, kNoFlag));
}

void several(SisciBench& bench) {
  const ExportedSegment local(bench, bench.id(1), kPage);
  std::vector<std::unique_ptr<ImportedSegment>> remote;
  for (unsigned n = 0; n < 8; ++n) {
    remote.push_back(std::make_unique<ImportedSegment>(bench, bench.exporter_node, bench.id(1)));
    remote.back()->map()[n] = static_cast<std::byte>(n + 1);
    bench.lib.SCIFlush(nullptr, 0U);
  }
  // A read through the last map comes after all writes through it.
  for (unsigned n = 0; n < 8; ++n)
    expect_equal("byte " + std::to_string(n) + ":", n + 1, static_cast<unsigned>(remote[n]->at[n]));
}

void again(SisciBench& bench) {
  const ExportedSegment local(bench, bench.id(1), kPage);
  for (int round = 0; round < 50; ++round) {
    ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
    remote.map();
    expect_ok("SCIUnmapSegment", remote.unmap());
    expect_ok("SCIDisconnectSegment", remote.disconnect());
  }
}

void disconnect_mapped(SisciBench& bench) {
  ConnectedSegments pair(bench, kPage);
  expect_code("SCIDisconnectSegment with a map", {SCI_ERR_BUSY}, pair.remote.disconnect());
  expect_ok("SCIUnmapSegment", pair.remote.unmap());
  expect_ok("SCIDisconnectSegment", pair.remote.disconnect());
}

void remove_connected(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPage);
  expect_ok("SCIUnmapSegment", local.unmap());
  {
    const ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
    expect_ok("SCISetSegmentUnavailable", local.set_unavailable());
    expect_code("SCIRemoveSegment with a connection", {SCI_ERR_BUSY}, local.remove());
  }
  // The disconnection event is on its way; each wait returns one event.
  sci_error_t error = local.remove();
  for (int events = 0; error == SCI_ERR_BUSY && events < 2; ++events) {
    local.next_event();
    error = local.remove();
  }
  expect_ok("SCIRemoveSegment after SCIDisconnectSegment", error);
}

constexpr SisciTest kTests[] = {
    {"a connection knows the segment's size, id and node", connected},
    {"a segment that does not exist is SCI_ERR_NO_SUCH_SEGMENT, until it does", before_it_exists},
    {"a segment that is not yet available is not connected", before_it_is_available},
    {"an unavailable segment is refused, until it is available again", unavailable},
    {"a removed segment is SCI_ERR_NO_SUCH_SEGMENT", removed},
    {"a private segment is not connected", private_segment},
    {"a node that nobody has is an error", nobody},
    {"a node id that is no multiple of 4 is refused", odd_node},
    {"an adapter that does not exist is refused", no_such_adapter},
    {"SCIConnectSegment refuses an unknown flag", connect_flags},
    {"a segment has 8 connections at once", several},
    {"a segment is connected and left 50 times", again},
    {"SCIDisconnectSegment with a map is SCI_ERR_BUSY", disconnect_mapped},
    {"SCIRemoveSegment with a connection is SCI_ERR_BUSY", remove_connected},
};

}  // namespace
}  // namespace connect

const std::span<const SisciTest> connect_tests = connect::kTests;

}  // namespace collbench::conformance::sisci
