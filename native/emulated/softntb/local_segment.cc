#include "emulated/softntb/local_segment.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "emulated/softntb/dma/dma_transfer.h"
#include "emulated/softntb/handshake.h"
#include "emulated/softntb/threads.h"

using namespace collbench::softntb;

namespace {

constexpr unsigned kSegmentFlags = SCI_FLAG_USE_CALLBACK | SCI_FLAG_EMPTY | SCI_FLAG_PRIVATE |
                                   SCI_FLAG_DMA_SOURCE_ONLY | SCI_FLAG_DMA_GLOBAL | SCI_FLAG_AUTO_ID;
constexpr std::size_t kLargestSegment = std::size_t{1} << 46;

/// Reserves a segment id that no other segment with SCI_FLAG_AUTO_ID in the fabric has.
/// @param id receives it
/// @returns the socket that holds the reservation as long as it is open; empty if none is free
FileDescriptor claim_auto_id(const std::string& fabric, unsigned* id) {
  static std::atomic<unsigned> next{0};
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    const unsigned mixed = static_cast<unsigned>(getpid()) * 2654435761U + next.fetch_add(1);
    const unsigned candidate = 0x40000000U | (mixed & 0x3FFFFFFFU);
    FileDescriptor fd = listen_on(endpoint_name(fabric, 0, Endpoint::kAutoId, candidate));
    if (fd) {
      *id = candidate;
      return fd;
    }
    if (errno != EADDRINUSE) break;
  }
  return FileDescriptor();
}

sci_error_t create(sci_desc_t sd, sci_local_segment_t* out, unsigned id, std::size_t size,
                   sci_cb_local_segment_t callback, void* callback_arg, unsigned flags) {
  if (sd == nullptr || out == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if ((flags & SCI_FLAG_BROADCAST) != 0) return SCI_ERR_FLAG_NOT_IMPLEMENTED;
  if ((flags & ~kSegmentFlags) != 0) return SCI_ERR_ILLEGAL_FLAG;
  const bool wants_callback = (flags & SCI_FLAG_USE_CALLBACK) != 0;
  if (size == 0 || wants_callback != (callback != nullptr)) return SCI_ERR_ILLEGAL_PARAMETER;
  if (size > kLargestSegment) return SCI_ERR_NOSPC;
  if (!sd->session->faults->take_segment()) return SCI_ERR_NOSPC;
  // The handle is set before any callback can run, because callbacks receive it.
  auto holder = std::make_shared<sci_local_segment_t>(nullptr);
  SegmentEvents::Callback forward;
  if (wants_callback) {
    forward = [=](const SegmentEvent& e) {
      return callback(callback_arg, *holder, e.reason, e.node, e.adapter, e.status);
    };
  }
  auto segment = std::make_unique<sci_local_segment>(std::move(forward));
  segment->desc = sd;
  segment->id = id;
  segment->size = size;
  segment->flags = flags;
  if ((flags & SCI_FLAG_AUTO_ID) != 0) {
    segment->auto_id = claim_auto_id(sd->session->fabric, &segment->id);
    if (!segment->auto_id) return SCI_ERR_SYSTEM;
  }
  if (!segment->registered() && !segment->memory.create(size)) {
    return errno == EMFILE || errno == ENFILE ? SCI_ERR_SYSTEM : SCI_ERR_NOSPC;
  }
  sd->users.fetch_add(1);
  *holder = segment.get();
  *out = segment.release();
  return SCI_ERR_OK;
}

sci_error_t prepare(sci_local_segment_t segment, unsigned adapter, unsigned flags) {
  if (segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if ((flags & ~(SCI_FLAG_DMA_SOURCE_ONLY | SCI_FLAG_DMA_GLOBAL)) != 0) return SCI_ERR_ILLEGAL_FLAG;
  const sci_error_t status = segment->desc->session->use_adapter(adapter);
  if (status != SCI_ERR_OK) return status;
  const std::lock_guard lock(segment->mutex);
  if (segment->state != sci_local_segment::State::kCreated) return SCI_ERR_ILLEGAL_OPERATION;
  if (segment->registered() && segment->user_memory == nullptr) return SCI_ERR_ILLEGAL_OPERATION;
  segment->adapter = adapter;
  if ((segment->flags & SCI_FLAG_PRIVATE) == 0 && !segment->serve()) {
    return errno == EADDRINUSE ? SCI_ERR_SEGMENTID_USED : SCI_ERR_SYSTEM;
  }
  segment->state = sci_local_segment::State::kPrepared;
  return SCI_ERR_OK;
}

sci_error_t set_available(sci_local_segment_t segment, unsigned adapter, unsigned flags) {
  if (segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (flags != 0) return SCI_ERR_ILLEGAL_FLAG;
  const std::lock_guard lock(segment->mutex);
  if (segment->state == sci_local_segment::State::kCreated || adapter != segment->adapter) {
    return SCI_ERR_SEGMENT_NOT_PREPARED;
  }
  if ((segment->flags & (SCI_FLAG_PRIVATE | SCI_FLAG_DMA_SOURCE_ONLY)) != 0) return SCI_ERR_ILLEGAL_OPERATION;
  segment->state = sci_local_segment::State::kAvailable;
  return SCI_ERR_OK;
}

sci_error_t set_unavailable(sci_local_segment_t segment, unsigned adapter, unsigned flags) {
  if (segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if ((flags & ~(SCI_FLAG_FORCE_DISCONNECT | SCI_FLAG_NOTIFY)) != 0) return SCI_ERR_ILLEGAL_FLAG;
  {
    const std::lock_guard lock(segment->mutex);
    if (segment->state == sci_local_segment::State::kCreated || adapter != segment->adapter) {
      return SCI_ERR_SEGMENT_NOT_PREPARED;
    }
    if (segment->state != sci_local_segment::State::kAvailable) return SCI_ERR_ILLEGAL_OPERATION;
    segment->state = sci_local_segment::State::kUnavailable;
    if ((flags & SCI_FLAG_NOTIFY) != 0) {
      SegmentPacket packet;
      packet.kind = SegmentMessage::kPleaseDisconnect;
      for (const auto& [key, peer] : segment->peers) send_message(peer.fd.get(), &packet, sizeof packet);
    }
  }
  if ((flags & SCI_FLAG_FORCE_DISCONNECT) != 0) segment->drop_peers();
  return SCI_ERR_OK;
}

sci_error_t remove(sci_local_segment_t segment, unsigned flags) {
  if (segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if ((flags & ~SCI_FLAG_FORCE_REMOVE) != 0) return SCI_ERR_ILLEGAL_FLAG;
  if (segment->maps.load() != 0 || segment->transfers.load() != 0) return SCI_ERR_BUSY;
  {
    const std::lock_guard lock(segment->mutex);
    if ((flags & SCI_FLAG_FORCE_REMOVE) == 0) {
      for (const auto& [key, peer] : segment->peers) {
        if (peer.welcomed) return SCI_ERR_BUSY;
      }
    }
    segment->removing = true;
  }
  threads().service.remove(segment->listener_id, segment->listener.get());
  segment->drop_peers();
  threads().service.settle();  // a callback may still be running for a peer that left
  segment->events.close();
  segment->desc->users.fetch_sub(1);
  delete segment;
  return SCI_ERR_OK;
}

}  // namespace

bool sci_local_segment::serve() {
  listener =
      listen_on(endpoint_name(desc->session->fabric, node_of_adapter(adapter), Endpoint::kSegment, id));
  if (!listener) return false;
  listener_id = threads().service.add(listener.get(), [this] { on_connection(); });
  if (listener_id != 0) return true;
  listener.reset();
  errno = ENOMEM;
  return false;
}

void sci_local_segment::drop_peers() {
  std::vector<std::pair<std::uint64_t, int>> handlers;
  {
    const std::lock_guard lock(mutex);
    for (const auto& [key, peer] : peers) handlers.emplace_back(peer.service_id, peer.fd.get());
  }
  for (const auto& [service_id, fd] : handlers) threads().service.remove(service_id, fd);
  SegmentPacket packet;
  packet.kind = SegmentMessage::kGoodbye;
  const std::lock_guard lock(mutex);
  for (const auto& [service_id, fd] : handlers) {
    for (auto peer = peers.begin(); peer != peers.end(); ++peer) {
      if (peer->second.service_id != service_id) continue;
      send_message(peer->second.fd.get(), &packet, sizeof packet);
      peers.erase(peer);
      break;
    }
  }
}

void sci_local_segment::on_connection() {
  for (;;) {
    FileDescriptor fd = accept_from(listener.get());
    if (!fd) return;
    const std::lock_guard lock(mutex);
    if (removing) continue;
    const std::uint64_t key = next_peer++;
    Peer& peer = peers[key];
    peer.fd = std::move(fd);
    peer.service_id = threads().service.add(peer.fd.get(), [this, key] { on_message(key); });
    if (peer.service_id == 0) peers.erase(key);
  }
}

void sci_local_segment::on_message(std::uint64_t peer_key) {
  SegmentEvent event;
  {
    const std::lock_guard lock(mutex);
    const auto found = peers.find(peer_key);
    if (found == peers.end()) return;
    Peer& peer = found->second;
    SegmentPacket packet;
    const ssize_t got = receive_message(peer.fd.get(), &packet, sizeof packet);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    event.node = peer.node;
    event.adapter = adapter;
    const bool understood = got == static_cast<ssize_t>(sizeof packet) && packet.magic == kHandshakeMagic;
    if (understood && packet.kind == SegmentMessage::kHello && !peer.welcomed && !removing) {
      SegmentPacket reply;
      const Session& session = *desc->session;
      if (state != State::kAvailable) {
        reply.kind = SegmentMessage::kRefused;
        reply.status = state == State::kUnavailable ? SCI_ERR_CONNECTION_REFUSED : SCI_ERR_NO_SUCH_SEGMENT;
        send_message(peer.fd.get(), &reply, sizeof reply);
        return;  // the other side closes the connection
      }
      peer.node = packet.node;
      peer.adapter = packet.adapter;
      if (session.links != nullptr) {
        reply.kind = SegmentMessage::kLinks;
        if (!send_message(peer.fd.get(), &reply, sizeof reply, session.links_memory.fd())) return;
      }
      reply.kind = SegmentMessage::kWelcome;
      reply.size = size;
      reply.user_memory = registered() ? 1 : 0;
      reply.address = reinterpret_cast<std::uintptr_t>(user_memory);
      peer.welcomed = send_message(peer.fd.get(), &reply, sizeof reply, registered() ? -1 : memory.fd());
      if (!peer.welcomed) return;
      event = {SCI_CB_CONNECT, packet.node, adapter, SCI_ERR_OK};
    } else {
      const bool polite = understood && packet.kind == SegmentMessage::kGoodbye;
      const bool told = peer.welcomed;
      event.reason = polite ? SCI_CB_DISCONNECT : SCI_CB_LOST;
      threads().service.remove(peer.service_id, peer.fd.get());
      peers.erase(found);
      if (!told) return;
    }
  }
  events.push(event);
}

extern "C" {

void SCICreateSegment(sci_desc_t sd, sci_local_segment_t* segment, unsigned int segmentId, size_t size,
                      sci_cb_local_segment_t callback, void* callbackArg, unsigned int flags,
                      sci_error_t* error) {
  report(error, create(sd, segment, segmentId, size, callback, callbackArg, flags));
}

void SCIPrepareSegment(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                       sci_error_t* error) {
  report(error, prepare(segment, localAdapterNo, flags));
}

void SCISetSegmentAvailable(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                            sci_error_t* error) {
  report(error, set_available(segment, localAdapterNo, flags));
}

void SCISetSegmentUnavailable(sci_local_segment_t segment, unsigned int localAdapterNo, unsigned int flags,
                              sci_error_t* error) {
  report(error, set_unavailable(segment, localAdapterNo, flags));
}

void SCIRemoveSegment(sci_local_segment_t segment, unsigned int flags, sci_error_t* error) {
  report(error, remove(segment, flags));
}

void SCIRegisterSegmentMemory(void* address, size_t size, sci_local_segment_t segment, unsigned int flags,
                              sci_error_t* error) {
  if (segment == nullptr || address == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if ((flags & ~SCI_FLAG_LOCK_USER_MEM) != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  const std::lock_guard lock(segment->mutex);
  if (!segment->registered() || segment->user_memory != nullptr ||
      segment->state != sci_local_segment::State::kCreated) {
    return report(error, SCI_ERR_ILLEGAL_OPERATION);
  }
  if (size != segment->size) return report(error, SCI_ERR_OUT_OF_RANGE);
  const sci_error_t status = check_user_memory(address, size);
  if (status == SCI_ERR_OK) segment->user_memory = static_cast<std::byte*>(address);
  report(error, status);
}

void SCIAttachPhysicalMemory(sci_ioaddr_t, void*, unsigned int, size_t, sci_local_segment_t segment,
                             unsigned int, sci_error_t* error) {
  // Bus addresses do not exist here, and a CPU copy cannot reach GPU memory.
  report(error, segment == nullptr ? SCI_ERR_ILLEGAL_PARAMETER : SCI_ERR_NOT_SUPPORTED);
}

unsigned int SCIGetLocalSegmentId(sci_local_segment_t segment) {
  return segment == nullptr ? 0 : segment->id;
}

size_t SCIGetLocalSegmentSize(sci_local_segment_t segment) { return segment == nullptr ? 0 : segment->size; }

sci_segment_cb_reason_t SCIWaitForLocalSegmentEvent(sci_local_segment_t segment, unsigned int* sourceNodeId,
                                                    unsigned int* localAdapterNo, unsigned int timeout,
                                                    unsigned int flags, sci_error_t* error) {
  SegmentEvent event;
  sci_error_t status = SCI_ERR_ILLEGAL_PARAMETER;
  if (segment != nullptr) status = flags != 0 ? SCI_ERR_ILLEGAL_FLAG : segment->events.wait(timeout, &event);
  report(error, status);
  if (status != SCI_ERR_OK) return static_cast<sci_segment_cb_reason_t>(0);
  if (sourceNodeId != nullptr) *sourceNodeId = event.node;
  if (localAdapterNo != nullptr) *localAdapterNo = event.adapter;
  return event.reason;
}

}  // extern "C"
