#pragma once
// What one rank does in a unit of work between pairs. Pure.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/engine.h"

namespace collbench::p2p {

enum class Kind : std::uint8_t { kPingpong, kPut, kGet, kExchange, kIncast };
inline constexpr std::string_view kKinds[] = {"pingpong", "put", "get", "exchange", "incast"};
inline constexpr std::string_view kDirections[] = {"uni", "bi"};

struct Shape {
  Kind kind = Kind::kPingpong;
  bool both_ways = false;  // put, get: both ranks of a pair start one
  std::size_t window = 1;
  std::size_t bytes = 0;
};

/// A request of `get`: short, but not empty, which not every engine takes for a message.
inline constexpr std::size_t kRequestBytes = 8;

/// Messages to or from one peer that stand behind each other in a buffer.
struct Lot {
  Message::Way way = Message::Way::kSend;
  int peer = 0;
  std::size_t offset = 0;  // in the send or the receive buffer
  std::size_t count = 0, bytes = 0;
  std::size_t landing = 0;  // of what is sent: in the receive buffer of the peer
  bool is_data = true;      // false: requests, whose content nobody looks at
};

/// Transfers of one unit, one after the other; the lots of one run at the same time.
using Steps = std::vector<std::vector<Lot>>;

/// @param paired Engine::pairs_transfers()
/// @throws Error(kInvalidArgument) for a number of ranks that makes no pairs
Steps plan(const Shape& shape, int rank, int ranks, bool paired = false);

struct Lengths {
  std::size_t send = 0, recv = 0;
};
/// Bytes of the buffers that the lots lie in.
Lengths lengths_of(const Steps& steps);

}  // namespace collbench::p2p
