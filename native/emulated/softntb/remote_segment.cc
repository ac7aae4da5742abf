#include "emulated/softntb/remote_segment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "emulated/softntb/handshake.h"
#include "emulated/softntb/threads.h"

using namespace collbench::softntb;

namespace {

// Used for a timeout of 0 (callers that loop by themselves), so that the other side's thread has time to
// answer.
constexpr unsigned kMinTimeoutMs = 1'000;
constexpr unsigned kMaxTimeoutMs = 3'600'000;

/// Connects to the process that exports the segment and asks for it. If the result is SCI_ERR_OK, `segment`
/// has the connection and the memory.
sci_error_t request_segment(sci_remote_segment* segment, unsigned timeout_ms) {
  const Session& session = *segment->desc->session;
  const int wait_ms = static_cast<int>(std::clamp(timeout_ms, kMinTimeoutMs, kMaxTimeoutMs));
  const std::string name = endpoint_name(session.fabric, segment->node, Endpoint::kSegment, segment->id);
  FileDescriptor fd = connect_to(name, wait_ms, &segment->owner);
  if (!fd) {
    if (errno == EPERM) return SCI_ERR_ACCESS;
    if (errno == EAGAIN || errno == EINPROGRESS) return SCI_ERR_TIMEOUT;
    if (errno != ECONNREFUSED && errno != ENOENT) return SCI_ERR_SYSTEM;
    return node_present(session.fabric, segment->node) ? SCI_ERR_NO_SUCH_SEGMENT : SCI_ERR_NO_SUCH_NODEID;
  }
  SegmentPacket packet;
  packet.node = node_of_adapter(segment->adapter);
  packet.adapter = segment->adapter;
  if (!send_message(fd.get(), &packet, sizeof packet)) return SCI_ERR_NO_SUCH_SEGMENT;
  FileDescriptor memory;
  const auto receive = [&]() -> sci_error_t {
    if (!wait_readable(fd.get(), wait_ms)) return SCI_ERR_TIMEOUT;
    const ssize_t got = receive_message(fd.get(), &packet, sizeof packet, &memory);
    // removed while the request was on its way
    if (got != static_cast<ssize_t>(sizeof packet)) return SCI_ERR_NO_SUCH_SEGMENT;
    return packet.magic == kHandshakeMagic ? SCI_ERR_OK : SCI_ERR_INCONSISTENT_VERSIONS;
  };
  sci_error_t status = receive();
  if (status == SCI_ERR_OK && packet.kind == SegmentMessage::kLinks) {
    if (!segment->use_links(std::move(memory))) return SCI_ERR_SYSTEM;
    status = receive();
  }
  if (status != SCI_ERR_OK) return status;
  if (packet.kind == SegmentMessage::kRefused) return packet.status;
  if (packet.kind != SegmentMessage::kWelcome) return SCI_ERR_NO_SUCH_SEGMENT;
  segment->size = packet.size;
  segment->user_memory = packet.user_memory != 0;
  segment->address = packet.address;
  if (!segment->user_memory && !segment->memory.adopt(std::move(memory), segment->size))
    return SCI_ERR_SYSTEM;
  segment->connection = std::move(fd);
  return SCI_ERR_OK;
}

sci_error_t connect_segment(sci_desc_t sd, sci_remote_segment_t* out, unsigned node, unsigned id,
                            unsigned adapter, sci_cb_remote_segment_t callback, void* callback_arg,
                            unsigned timeout_ms, unsigned flags) {
  if (sd == nullptr || out == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (node == DIS_BROADCAST_NODEID_GROUP_ALL && (flags & SCI_FLAG_BROADCAST) != 0) {
    return SCI_ERR_FLAG_NOT_IMPLEMENTED;
  }
  if ((flags & ~(SCI_FLAG_USE_CALLBACK | SCI_FLAG_ASYNCHRONOUS_CONNECT)) != 0) return SCI_ERR_ILLEGAL_FLAG;
  const bool wants_callback = (flags & SCI_FLAG_USE_CALLBACK) != 0;
  if (wants_callback != (callback != nullptr)) return SCI_ERR_ILLEGAL_PARAMETER;
  if (node == 0 || node % 4 != 0 || node > node_of_adapter(kAdapters - 1)) return SCI_ERR_ILLEGAL_NODEID;
  Session& session = *sd->session;
  const sci_error_t usable = session.use_adapter(adapter);
  if (usable != SCI_ERR_OK) return usable;
  if (session.link_down(0)) return SCI_ERR_NO_LINK_ACCESS;

  auto holder = std::make_shared<sci_remote_segment_t>(nullptr);
  SegmentEvents::Callback forward;
  if (wants_callback) {
    forward = [=](const SegmentEvent& e) { return callback(callback_arg, *holder, e.reason, e.status); };
  }
  auto segment = std::make_unique<sci_remote_segment>(std::move(forward));
  segment->desc = sd;
  segment->node = node;
  segment->id = id;
  segment->adapter = adapter;
  const sci_error_t status = request_segment(segment.get(), timeout_ms);
  if (status != SCI_ERR_OK) return status;
  sci_remote_segment* raw = segment.get();
  *holder = raw;
  *out = raw;  // set before the first callback may use it
  raw->deliver_event(SCI_CB_CONNECT, SCI_ERR_OK);
  raw->service_id = threads().service.add(raw->connection.get(), [raw] { raw->on_message(); });
  if (raw->service_id == 0) {
    raw->events.close();
    return SCI_ERR_SYSTEM;
  }
  session.add_remote(raw);
  sd->users.fetch_add(1);
  static_cast<void>(segment.release());
  return SCI_ERR_OK;
}

sci_error_t disconnect(sci_remote_segment_t segment, unsigned flags) {
  if (segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (flags != 0) return SCI_ERR_ILLEGAL_FLAG;
  if (segment->maps.load() != 0 || segment->transfers.load() != 0) return SCI_ERR_BUSY;
  segment->desc->session->remove_remote(segment);
  threads().service.remove(segment->service_id, segment->connection.get());
  SegmentPacket packet;
  packet.kind = SegmentMessage::kGoodbye;
  send_message(segment->connection.get(), &packet, sizeof packet);
  segment->events.close();
  segment->desc->users.fetch_sub(1);
  delete segment;
  return SCI_ERR_OK;
}

}  // namespace

bool sci_remote_segment::use_links(FileDescriptor shared) {
  if (!links_memory.adopt(std::move(shared), sizeof(Session::AdapterLinks))) return false;
  auto* links = reinterpret_cast<Session::AdapterLinks*>(links_memory.map());
  if (links == nullptr) return false;
  link = &(*links)[node / 4 - 1];
  return true;
}

void sci_remote_segment::deliver_event(sci_segment_cb_reason_t reason, sci_error_t status) {
  events.push({reason, node, adapter, status});
}

void sci_remote_segment::on_message() {
  SegmentPacket packet;
  const ssize_t got = receive_message(connection.get(), &packet, sizeof packet);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
  const bool understood = got == static_cast<ssize_t>(sizeof packet) && packet.magic == kHandshakeMagic;
  if (understood && packet.kind == SegmentMessage::kPleaseDisconnect) {
    return deliver_event(SCI_CB_DISCONNECT, SCI_ERR_OK);
  }
  const bool polite = understood && packet.kind == SegmentMessage::kGoodbye;
  threads().service.remove(service_id, connection.get());
  if (lost.exchange(true)) return;
  deliver_event(polite ? SCI_CB_DISCONNECT : SCI_CB_LOST, polite ? SCI_ERR_OK : SCI_ERR_NODE_NOT_RESPONDING);
}

extern "C" {

void SCIConnectSegment(sci_desc_t sd, sci_remote_segment_t* segment, unsigned int nodeId,
                       unsigned int segmentId, unsigned int localAdapterNo, sci_cb_remote_segment_t callback,
                       void* callbackArg, unsigned int timeout, unsigned int flags, sci_error_t* error) {
  report(error, connect_segment(sd, segment, nodeId, segmentId, localAdapterNo, callback, callbackArg,
                                timeout, flags));
}

void SCIDisconnectSegment(sci_remote_segment_t segment, unsigned int flags, sci_error_t* error) {
  report(error, disconnect(segment, flags));
}

size_t SCIGetRemoteSegmentSize(sci_remote_segment_t segment) {
  return segment == nullptr ? 0 : segment->size;
}

unsigned int SCIGetRemoteSegmentId(sci_remote_segment_t segment) {
  return segment == nullptr ? 0 : segment->id;
}

unsigned int SCIGetRemoteSegmentNodeId(sci_remote_segment_t segment) {
  return segment == nullptr ? 0 : segment->node;
}

sci_segment_cb_reason_t SCIWaitForRemoteSegmentEvent(sci_remote_segment_t segment, sci_error_t* status,
                                                     unsigned int timeout, unsigned int flags,
                                                     sci_error_t* error) {
  SegmentEvent event;
  sci_error_t outcome = SCI_ERR_ILLEGAL_PARAMETER;
  if (segment != nullptr) outcome = flags != 0 ? SCI_ERR_ILLEGAL_FLAG : segment->events.wait(timeout, &event);
  report(error, outcome);
  if (outcome != SCI_ERR_OK) return static_cast<sci_segment_cb_reason_t>(0);
  if (status != nullptr) *status = event.status;
  return event.reason;
}

}  // extern "C"
