#include "transports/socket/send_comm.h"

#include <sys/uio.h>

#include <algorithm>

#include "transports/argument_checks.h"

namespace collbench::socket {
namespace {

constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;

}  // namespace

SocketSendComm::SocketSendComm(Connection connection)
    : connection_(std::move(connection)), streams_(connection_.streams.size()) {
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].fd = connection_.streams[i].get();
}

MemoryRegion* SocketSendComm::register_memory(void*, std::size_t, MemoryKind kind) {
  require_host_memory("socket", kind);
  return nullptr;
}

Request* SocketSendComm::isend(const void* data, std::size_t bytes, int tag, MemoryRegion*) {
  Message* message = pool_.take();
  if (message == nullptr) return nullptr;
  message->data = static_cast<const std::byte*>(data);
  message->header = {bytes, tag, kWireMagic};
  message->parts_left = 0;
  connection_.counters->add(bytes);
  if (bytes <= kInlineBytes && streams_[0].queue.empty() && send_at_once(*message)) return message;

  const int streams = static_cast<int>(streams_.size());
  for (int i = 0; i < streams; ++i) {
    if (i > 0 && stream_part(bytes, i, streams).bytes == 0) continue;
    streams_[i].queue.push(message);
    ++message->parts_left;
  }
  progress();
  return message;
}

bool SocketSendComm::test(Request* request) {
  auto* message = static_cast<Message*>(request);
  if (message->parts_left != 0) {
    progress();
    if (message->parts_left != 0) return false;
  }
  pool_.give(message);
  return true;
}

void SocketSendComm::add_to_poll(std::vector<pollfd>& set) const {
  for (const Stream& stream : streams_)
    if (!stream.queue.empty()) set.push_back({stream.fd, POLLOUT, 0});
}

void SocketSendComm::progress() {
  for (int i = 0; i < static_cast<int>(streams_.size()); ++i) progress_stream(i);
}

/// Tries to send a small message and its header by one send().
/// @returns true if all was sent; if only a part was sent, the stream records how much, and the caller queues
/// the message
bool SocketSendComm::send_at_once(Message& message) {
  std::byte packet[kHeaderBytes + kInlineBytes];
  std::memcpy(packet, &message.header, kHeaderBytes);
  if (message.header.bytes != 0) std::memcpy(packet + kHeaderBytes, message.data, message.header.bytes);
  const std::size_t bytes = kHeaderBytes + message.header.bytes;
  const std::size_t sent =
      moved_bytes_or_throw(::send(streams_[0].fd, packet, bytes, kFlags), connection_.peer, false);
  if (sent == bytes) return true;
  streams_[0].done = sent;
  return false;
}

void SocketSendComm::progress_stream(int index) {
  Stream& stream = streams_[index];
  std::size_t budget = kChunkBytes;
  while (!stream.queue.empty()) {
    Message& message = *stream.queue.front();
    const StreamPart part = stream_part(message.header.bytes, index, static_cast<int>(streams_.size()));
    const std::size_t header = index == 0 ? kHeaderBytes : 0;
    const std::size_t sent = send_front(stream, message, part, index == 0);
    stream.done += sent;
    if (stream.done == header + part.bytes) {
      stream.done = 0;
      --message.parts_left;
      stream.queue.pop();
    }
    if (sent == 0 || sent >= budget) return;
    budget -= sent;
  }
}

std::size_t SocketSendComm::send_front(const Stream& stream, const Message& message, StreamPart part,
                                       bool with_header) {
  const std::size_t header = with_header ? kHeaderBytes : 0;
  ssize_t result = 0;
  if (stream.done < header) {
    iovec pieces[2] = {{reinterpret_cast<char*>(const_cast<WireHeader*>(&message.header)) + stream.done,
                        header - stream.done},
                       {const_cast<std::byte*>(message.data), std::min(part.bytes, kChunkBytes)}};
    msghdr packet{};
    packet.msg_iov = pieces;
    packet.msg_iovlen = part.bytes == 0 ? 1 : 2;
    result = ::sendmsg(stream.fd, &packet, kFlags);
  } else {
    const std::size_t at = stream.done - header;
    result =
        ::send(stream.fd, message.data + part.offset + at, std::min(part.bytes - at, kChunkBytes), kFlags);
  }
  return moved_bytes_or_throw(result, connection_.peer, false);
}

}  // namespace collbench::socket
