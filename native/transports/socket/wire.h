#pragma once
// Formats on the wire: connect handle, handshake, message header. Both ends are little-endian builds of the
// same version; the version in the handle is checked first.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transports/socket/hmac.h"
#include "transports/transport.h"

namespace collbench::socket {

inline constexpr std::uint32_t kWireMagic = 0x4b534243;  // "CBSK"
inline constexpr std::uint16_t kWireVersion = 1;
inline constexpr int kMaxStreams = 16;

using Nonce = std::array<std::uint8_t, 16>;

/// Address of a socket listener, as it is stored in a ConnectHandle and sent to the peer.
struct WireHandle {
  std::uint32_t magic = kWireMagic;
  std::uint16_t version = kWireVersion;
  std::uint16_t family = 0;   // AF_INET or AF_INET6
  std::uint16_t port = 0;     // in host byte order
  std::uint16_t streams = 1;  // TCP connections the listener waits for
  std::uint8_t address[16] = {};
};
static_assert(sizeof(WireHandle) <= sizeof(ConnectHandle));

/// First message of the handshake, from listener to connector: a random number (nonce), which the connector's
/// proof must include.
struct WireChallenge {
  std::uint32_t magic = kWireMagic;
  std::uint32_t version = kWireVersion;
  Nonce nonce{};
};

/// Second message of the handshake, from connector to listener; it proves that the connector knows the token.
/// `digest` is the HMAC, with the token as key, of 'c', both nonces, connection and stream numbers.
struct WireProof {
  Nonce nonce{};
  Nonce connection{};  // the same for all streams of one connection
  std::uint32_t stream = 0;
  std::uint32_t streams = 1;
  Digest digest{};
};

/// Last message of the handshake, from listener to connector. `digest` proves that the listener knows the
/// token too; all zero if it refuses the connection.
struct WireAnswer {
  std::uint32_t accepted = 0;
  Digest digest{};
};

/// Header that precedes every message on stream 0. The other streams carry payload only.
struct WireHeader {
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;
  std::uint32_t magic = kWireMagic;
};
inline constexpr std::size_t kHeaderBytes = sizeof(WireHeader);
static_assert(kHeaderBytes == 16);

/// Part of a message that one TCP stream carries: bytes [offset, offset + bytes). Sender and receiver compute
/// it from the message's length, so it is not sent.
struct StreamPart {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// Minimum length in bytes of a message that is split among the streams. Shorter ones use stream 0 only,
/// because a second system call would cost more time than it saves.
inline constexpr std::size_t kStripeBytes = std::size_t{256} << 10;

/// Returns the part of a message of this length that stream number `stream` carries; 0 bytes if it carries
/// none. Parts start at multiples of 4096.
inline StreamPart stream_part(std::size_t message_bytes, int stream, int streams) noexcept {
  if (streams == 1 || message_bytes < kStripeBytes) return {0, stream == 0 ? message_bytes : 0};
  const std::size_t count = static_cast<std::size_t>(streams);
  const std::size_t share = ((message_bytes + count - 1) / count + 4095) / 4096 * 4096;
  const std::size_t offset = share * static_cast<std::size_t>(stream);
  if (offset >= message_bytes) return {message_bytes, 0};
  return {offset, message_bytes - offset < share ? message_bytes - offset : share};
}

}  // namespace collbench::socket
