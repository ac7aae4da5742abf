#include "engines/nvshmem/messages.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

using namespace collbench;
using namespace collbench::nvshmem;

namespace {

constexpr std::size_t kPacket = 64 * 1024;
std::array<std::byte, std::size_t{16} << 20> there, here;

PeerMessage send_to(int peer, std::size_t from, std::size_t to, std::size_t bytes) {
  return {PeerMessage::Direction::kSend, peer, here.data() + from, bytes, there.data() + to};
}
PeerMessage receive_from(int peer, std::size_t at, std::size_t bytes) {
  return {PeerMessage::Direction::kReceive, peer, there.data() + at, bytes};
}

}  // namespace

TEST_CASE("messages that follow each other at both ends are one lot, divided into pieces") {
  const PeerMessage all[] = {send_to(1, 0, 0, 100'000), send_to(1, 100'000, 100'000, 100'000),
                             send_to(1, 200'000, 300'000, 100'000)};
  const auto transfers = transfers_of(all, {});
  REQUIRE(transfers.size() == 1);
  REQUIRE(transfers[0].lots == 2);
  CHECK(transfers[0].point.packet_bytes == kPacket);
  CHECK(transfers[0].lot[0].count == 2);
  CHECK(transfers[0].lot[0].first == 0);
  CHECK(transfers[0].lot[1].first == 4);
  CHECK(transfers[0].lot[1].total == 6);
}

TEST_CASE("both ends divide what one sends to the other in the same way, whatever else they have") {
  std::vector<PeerMessage> sends, receives;
  for (std::size_t n = 0; n < 150; ++n) {
    sends.push_back(send_to(1, n * 30'000, 2 * n * 30'000, 30'000));
    receives.push_back(receive_from(0, n * 30'000, 30'000));
  }
  sends.push_back(send_to(2, 0, 0, 8));
  receives.push_back(receive_from(3, 5'000'000, 2'000'000));
  const auto sent = transfers_of(sends, {}), received = transfers_of(receives, {});
  REQUIRE(sent.size() == 3);
  REQUIRE(received.size() == 1);
  REQUIRE(received[0].lots == 2);
  const CollbenchNvshmemLot& awaited = received[0].lot[0];
  CHECK(awaited.total == 150);
  unsigned next = 0;
  for (const CollbenchNvshmemTransfer& one : sent)
    for (int n = 0; n < one.lots; ++n) {
      const CollbenchNvshmemLot& lot = one.lot[n];
      if (lot.peer == 2) {
        CHECK(lot.total == 1);
        continue;
      }
      CHECK(lot.first == next++);
      CHECK(lot.total == awaited.total);
      CHECK(lot.blocks == awaited.blocks);
      CHECK(lot.blocks <= one.point.blocks);
    }
  CHECK(next == awaited.total);
}

TEST_CASE("everything is sent before a kernel waits for a peer") {
  std::vector<PeerMessage> all = {receive_from(1, 0, 64), receive_from(2, 64, 64)};
  for (std::size_t n = 0; n < 63; ++n) all.push_back(send_to(1, n * 128, n * 256, 64));
  const auto transfers = transfers_of(all, {});
  REQUIRE(transfers.size() == 2);
  CHECK(transfers[0].lots == 63);
  REQUIRE(transfers[1].lots == 2);
  CHECK(transfers[1].lot[0].from == nullptr);
  CHECK(transfers_of({}, {}).empty());
  const PeerMessage nothing[] = {send_to(1, 0, 0, 0)};
  CHECK(transfers_of(nothing, {}).empty());
}
