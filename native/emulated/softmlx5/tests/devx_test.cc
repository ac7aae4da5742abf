// Checks positions of DEVX bit fields against the numbering of the programmer's manual.
#include "vendor_api/mlx5/devx.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace devx = collbench::rdma::devx;
using devx::inside;

TEST_CASE("a field is read where the manual puts it, most significant bit first") {
  std::array<std::uint8_t, 512> mailbox{};
  mailbox[0] = 0x05;
  mailbox[1] = 0x00;
  CHECK(devx::get(mailbox.data(), devx::kOpcode) == devx::kCreateQp);
  mailbox[9] = 0x12;
  mailbox[10] = 0x34;
  mailbox[11] = 0x56;
  CHECK(devx::get(mailbox.data(), devx::kInObject) == 0x123456);
}

TEST_CASE("contexts lie in their mailboxes at the bytes that clients use") {
  const auto byte_of = [](devx::Field field) { return field.bit / 8; };
  const auto in_qpc = [&](devx::Field field) { return byte_of(inside(devx::kQpcInMailbox, field)); };
  CHECK(in_qpc(devx::qpc::kServiceType) == 24 + 1);
  CHECK(in_qpc(devx::qpc::kPd) == 24 + 5);
  CHECK(in_qpc(devx::qpc::kUarPage) == 24 + 13);
  CHECK(in_qpc(devx::qpc::kUserIndex) == 24 + 17);
  CHECK(in_qpc(devx::qpc::kRemoteQpn) == 24 + 21);
  CHECK(in_qpc(devx::qpc::kCqnSend) == 24 + 125);
  CHECK(in_qpc(devx::qpc::kRemoteRead) == 24 + 146);
  CHECK(in_qpc(devx::qpc::kDbrAddr) == 24 + 160);
  CHECK(in_qpc(devx::qpc::kSrqn) == 24 + 173);
  CHECK(in_qpc(devx::qpc::kDcAccessKey) == 24 + 200);
  CHECK(in_qpc(devx::qpc::kDbrUmemId) == 24 + 228);
  CHECK(in_qpc(inside(devx::qpc::kPrimaryPath, devx::path::kRlid)) == 24 + 24 + 6);
  CHECK(in_qpc(inside(devx::qpc::kPrimaryPath, devx::path::kPort)) == 24 + 24 + 37);
  CHECK(byte_of(devx::kWqUmemOffset) == 256);
  CHECK(byte_of(devx::kWqUmemId) == 264);
  CHECK(byte_of(devx::kWqUmemValid) == 268);
  const auto in_cqc = [&](devx::Field field) { return byte_of(inside(devx::kCqcInMailbox, field)); };
  CHECK(in_cqc(devx::cqc::kDbrUmemId) == 20);
  CHECK(in_cqc(devx::cqc::kLogSize) == 28);
  CHECK(in_cqc(devx::cqc::kUarPage) == 29);
  CHECK(in_cqc(devx::cqc::kDbrAddr) == 72);
  CHECK(byte_of(devx::kCqUmemOffset) == 80);
  CHECK(byte_of(devx::kCqUmemId) == 88);
  CHECK(byte_of(devx::kCqUmemValid) == 92);
}

TEST_CASE("writing a field leaves its neighbours alone and drops what does not fit") {
  for (const devx::Field field :
       {devx::qpc::kState, devx::qpc::kLogSqSize, devx::qpc::kCdMaster, devx::qpc::kPd, devx::qpc::kDbrUmemId,
        devx::qpc::kDbrAddr, devx::cap::kGidTableSize}) {
    std::array<std::uint8_t, 512> mailbox;
    mailbox.fill(0xff);
    devx::set(mailbox.data(), field, 0);
    CHECK(devx::get(mailbox.data(), field) == 0);
    std::size_t ones = 0;
    for (const std::uint8_t byte : mailbox)
      for (unsigned bit = 0; bit < 8; ++bit) ones += byte >> bit & 1U;
    CHECK(ones == mailbox.size() * 8 - field.bits);
    mailbox.fill(0);
    devx::set(mailbox.data(), field, 0x0123456789abcdefULL);
    const std::uint64_t mask = field.bits == 64 ? ~0ULL : (1ULL << field.bits) - 1;
    CHECK(devx::get(mailbox.data(), field) == (0x0123456789abcdefULL & mask));
  }
}
