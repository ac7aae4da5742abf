#pragma once
// Messages of one rank in a unit of point-to-point work, as plain data.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/engine.h"

namespace collbench::p2p {

/// Pattern of the messages between the ranks i and i + n/2 of a pair. kPingpong: i sends, then i + n/2
/// answers. kPut: from i to i + n/2. kGet: i sends requests, i + n/2 answers with data. kExchange: both send
/// at the same time. kIncast has no pairs: all other ranks send to rank 0.
enum class PairOperation : std::uint8_t { kPingpong, kPut, kGet, kExchange, kIncast };
inline constexpr std::string_view kKinds[] = {"pingpong", "put", "get", "exchange", "incast"};
inline constexpr std::string_view kDirections[] = {"uni", "bi"};

struct PairOptions {
  PairOperation kind = PairOperation::kPingpong;
  bool both_ways = false;  // put, get: both ranks of a pair start one.
  std::size_t window = 1;  // Number of messages in each direction that are under way at the same time.
  std::size_t bytes = 0;   // Length of one message.
};

/// Length in bytes of the message that requests data in a get. It is not 0, because not every engine accepts
/// empty messages.
inline constexpr std::size_t kRequestBytes = 8;

/// Messages of one rank to or from one peer, all of length `bytes`, at consecutive offsets in the rank's
/// buffer.
struct MessageBatch {
  PeerMessage::Direction direction = PeerMessage::Direction::kSend;
  int peer = 0;
  std::size_t offset = 0;  // Offset of the first message in the send or the receive buffer.
  std::size_t count = 0, bytes = 0;
  std::size_t landing = 0;  // Sends: offset in the receive buffer of the peer.
  bool is_data = true;      // False for requests, whose content is not checked.
};

/// Messages of one rank in one unit of work (one ping-pong, put, get, exchange or incast). The outer list has
/// the steps, which run one after the other. All messages of a step run at the same time.
using TransferSteps = std::vector<std::vector<MessageBatch>>;

/// Returns the messages of `rank`, of `ranks` ranks, in one unit of work.
/// @param paired true: each step must match exactly one step of the peer (Engine::pairs_transfers())
/// @throws Error(kInvalidArgument) if this number of ranks cannot form pairs; for kIncast if it is below 2
TransferSteps plan(const PairOptions& shape, int rank, int ranks, bool paired = false);

struct BufferLengths {
  std::size_t send = 0, recv = 0;
};
/// Returns the lengths in bytes of the send and receive buffer that these messages need.
BufferLengths lengths_of(const TransferSteps& steps);

}  // namespace collbench::p2p
