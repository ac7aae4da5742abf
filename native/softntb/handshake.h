#pragma once
// Messages on the connection between the two sides of a segment. The connection stays open as long as the
// segment is connected: its end without kGoodbye means that the other process died.
#include <cstdint>

namespace collbench::softntb {

constexpr std::uint32_t kHandshakeMagic = 0x31425453;  // "STB1": another layout gets another number

enum class SegmentMessage : std::uint32_t { kHello, kWelcome, kRefused, kGoodbye, kPleaseDisconnect };

struct SegmentPacket {
  std::uint32_t magic = kHandshakeMagic;
  SegmentMessage kind = SegmentMessage::kHello;
  std::uint32_t node = 0;         // kHello: of the one who connects
  std::uint32_t adapter = 0;      // kHello: likewise
  std::uint32_t status = 0;       // kRefused: sci_error_t
  std::uint32_t user_memory = 0;  // kWelcome: 1 = `address` in the owner's process, 0 = a memfd comes along
  std::uint64_t size = 0;         // kWelcome: bytes of the segment
  std::uint64_t address = 0;
};

}  // namespace collbench::softntb
