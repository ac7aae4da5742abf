#pragma once
// Messages between the two sides of a segment. Their connection stays open as long as the segment is
// connected. If it ends without kGoodbye, the other process has died.
#include <cstdint>

namespace collbench::softntb {

constexpr std::uint32_t kHandshakeMagic = 0x32425453;  // "STB2"; changes with the layout

enum class SegmentMessage : std::uint32_t { kHello, kLinks, kWelcome, kRefused, kGoodbye, kPleaseDisconnect };

/// One message between the owner of a segment and a process that connects to it. If the owner has a link
/// model, the owner sends kLinks before kWelcome, with the file descriptor of its Session::AdapterLinks.
struct SegmentPacket {
  std::uint32_t magic = kHandshakeMagic;
  SegmentMessage kind = SegmentMessage::kHello;
  std::uint32_t node = 0;     // kHello: node of the connecting side
  std::uint32_t adapter = 0;  // kHello: adapter of the connecting side
  std::uint32_t status = 0;   // kRefused: the error, an sci_error_t
  /// kWelcome: 1 = the segment is memory of the owner's process, from `address` on; 0 = it is a memfd, whose
  /// descriptor comes with the message
  std::uint32_t user_memory = 0;
  std::uint64_t size = 0;  // kWelcome: size of the segment in bytes
  std::uint64_t address = 0;
};

}  // namespace collbench::softntb
