#include "transports/socket/recv_comm.h"

#include <algorithm>

#include "transports/argument_checks.h"

namespace collbench::socket {

SocketRecvComm::SocketRecvComm(Connection connection)
    : connection_(std::move(connection)),
      streams_(connection_.streams.size()),
      buffer_(new std::byte[kBufferBytes]) {
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].fd = connection_.streams[i].get();
}

MemoryRegion* SocketRecvComm::register_memory(void*, std::size_t, MemoryKind kind) {
  require_host_memory("socket", kind);
  return nullptr;
}

Request* SocketRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  require_one_buffer("socket", buffers);
  Message* message = pool_.take();
  if (message == nullptr) return nullptr;
  const ReceiveBuffer& buffer = buffers.front();
  message->data = static_cast<std::byte*>(buffer.data);
  message->capacity = buffer.bytes;
  message->bytes = 0;
  message->tag = buffer.tag;
  message->parts_left = 1;
  streams_[0].queue.push(message);
  return message;
}

bool SocketRecvComm::test(Request* request, std::size_t* received_bytes) {
  auto* message = static_cast<Message*>(request);
  if (message->parts_left != 0) {
    progress();
    if (message->parts_left != 0) return false;
  }
  if (received_bytes != nullptr) *received_bytes = message->bytes;
  connection_.counters->add(message->bytes);
  pool_.give(message);
  return true;
}

void SocketRecvComm::add_to_poll(std::vector<pollfd>& set) const {
  for (const Stream& stream : streams_)
    if (!stream.queue.empty()) set.push_back({stream.fd, POLLIN, 0});
}

void SocketRecvComm::progress() {
  progress_first();
  for (int i = 1; i < static_cast<int>(streams_.size()); ++i) progress_further(i);
}

void SocketRecvComm::progress_first() {
  Stream& stream = streams_[0];
  std::size_t budget = kChunkBytes;
  while (!stream.queue.empty()) {
    Message& message = *stream.queue.front();
    if (!matched_ && !read_header(message)) return;
    const StreamPart part = stream_part(message.bytes, 0, static_cast<int>(streams_.size()));
    if (stream.done < part.bytes) {
      const std::size_t got = read_payload(stream, message, part);
      if (got == 0 || got >= budget) budget = 0;
      budget -= std::min(budget, got);
      if (stream.done < part.bytes) {
        if (budget == 0) return;
        continue;
      }
    }
    stream.done = 0;
    matched_ = false;
    --message.parts_left;
    stream.queue.pop();
    if (begin_ == end_) return;  // another recv() pays only if a receive is still waiting
  }
}

/// Reads the header of the oldest unfinished message from stream 0.
/// @returns true when the header is complete; the message is then also queued on the other streams that carry
/// parts of it
bool SocketRecvComm::read_header(Message& message) {
  while (end_ - begin_ < kHeaderBytes)
    if (!fill_buffer(message)) return false;
  WireHeader header;
  std::memcpy(&header, buffer_.get() + begin_, kHeaderBytes);
  begin_ += kHeaderBytes;
  if (header.magic != kWireMagic)
    throw Error(ErrorCode::kProtocol, "socket: " + connection_.peer + " sent something that is no message");
  if (header.bytes > message.capacity || header.tag != message.tag)
    refuse_message("socket: " + connection_.peer, header.bytes, header.tag, message.capacity, message.tag);
  matched_ = true;
  message.bytes = header.bytes;
  const int streams = static_cast<int>(streams_.size());
  for (int i = 1; i < streams; ++i) {
    if (stream_part(message.bytes, i, streams).bytes == 0) continue;
    streams_[i].queue.push(&message);
    ++message.parts_left;
  }
  return true;
}

bool SocketRecvComm::fill_buffer(const Message& message) {
  if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t limit =
      message.capacity + kHeaderBytes <= kFirstReadBytes ? kBufferBytes : kFirstReadBytes;
  const std::size_t room = std::max(limit, kHeaderBytes) - end_;
  const std::size_t got = moved_bytes_or_throw(
      ::recv(streams_[0].fd, buffer_.get() + end_, room, MSG_DONTWAIT), connection_.peer, true);
  end_ += got;
  return got != 0;
}

/// Reads payload bytes of one message that have arrived, at most kChunkBytes.
/// @param part share of the message that this stream carries
/// @returns number of bytes read; 0 = none have arrived
std::size_t SocketRecvComm::read_payload(Stream& stream, const Message& message, StreamPart part) {
  std::byte* to = message.data + part.offset + stream.done;
  const std::size_t missing = part.bytes - stream.done;
  std::size_t got = 0;
  if (&stream == &streams_[0] && begin_ != end_) {
    got = std::min(missing, end_ - begin_);
    std::memcpy(to, buffer_.get() + begin_, got);
    begin_ += got;
  } else {
    got = moved_bytes_or_throw(::recv(stream.fd, to, std::min(missing, kChunkBytes), MSG_DONTWAIT),
                               connection_.peer, true);
  }
  stream.done += got;
  return got;
}

void SocketRecvComm::progress_further(int index) {
  Stream& stream = streams_[index];
  while (!stream.queue.empty()) {
    Message& message = *stream.queue.front();
    const StreamPart part = stream_part(message.bytes, index, static_cast<int>(streams_.size()));
    const std::size_t got = read_payload(stream, message, part);
    if (stream.done == part.bytes) {
      stream.done = 0;
      --message.parts_left;
      stream.queue.pop();
    }
    if (got == 0 || got >= kChunkBytes) return;
  }
}

}  // namespace collbench::socket
