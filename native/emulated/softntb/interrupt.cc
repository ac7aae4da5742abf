// Interrupts (a wake-up) and data interrupts (a wake-up with a small message). The two differ only in types.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "emulated/softntb/interrupt_port.h"
#include "emulated/softntb/threads.h"

using namespace collbench::softntb;

struct sci_local_interrupt {
  sci_desc_t desc = nullptr;
  bool counting = false;
  InterruptPort port;
};
struct sci_local_data_interrupt {
  sci_desc_t desc = nullptr;
  InterruptPort port;
};
struct sci_remote_interrupt {
  sci_desc_t desc = nullptr;
  FileDescriptor connection;
};
struct sci_remote_data_interrupt {
  sci_desc_t desc = nullptr;
  FileDescriptor connection;
};

namespace {

constexpr unsigned kCreateFlags =
    SCI_FLAG_USE_CALLBACK | SCI_FLAG_FIXED_INTNO | SCI_FLAG_SHARED_INT | SCI_FLAG_COUNTING_INT;
constexpr int kConnectMs = 1'000;

template <class Local>
sci_error_t create(sci_desc_t sd, Local** out, unsigned adapter, unsigned* number, bool has_callback,
                   unsigned flags, Endpoint kind, std::unique_ptr<Local> fresh,
                   InterruptPort::Callback forward) {
  if (sd == nullptr || out == nullptr || number == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if ((flags & SCI_FLAG_SHARED_INT) != 0) return SCI_ERR_FLAG_NOT_IMPLEMENTED;
  if ((flags & ~kCreateFlags) != 0) return SCI_ERR_ILLEGAL_FLAG;
  const bool wants_callback = (flags & SCI_FLAG_USE_CALLBACK) != 0;
  if (wants_callback != has_callback) return SCI_ERR_ILLEGAL_PARAMETER;
  sci_error_t status = sd->session->use_adapter(adapter);
  if (status != SCI_ERR_OK) return status;
  fresh->desc = sd;
  status = fresh->port.open(*sd->session, adapter, kind, (flags & SCI_FLAG_FIXED_INTNO) != 0, number,
                            wants_callback ? std::move(forward) : nullptr);
  if (status != SCI_ERR_OK) return status;
  sd->users.fetch_add(1);
  *out = fresh.release();
  return SCI_ERR_OK;
}

template <class Local>
sci_error_t remove(Local* interrupt, unsigned flags) {
  if (interrupt == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (flags != 0) return SCI_ERR_ILLEGAL_FLAG;
  interrupt->port.close();
  interrupt->desc->users.fetch_sub(1);
  delete interrupt;
  return SCI_ERR_OK;
}

template <class Remote>
sci_error_t connect_to_interrupt(sci_desc_t sd, Remote** out, unsigned node, unsigned adapter,
                                 unsigned number, unsigned timeout_ms, unsigned flags, Endpoint kind) {
  if (sd == nullptr || out == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (flags != 0) return SCI_ERR_ILLEGAL_FLAG;
  if (node == 0 || node % 4 != 0 || node > node_of_adapter(kAdapters - 1)) return SCI_ERR_ILLEGAL_NODEID;
  const sci_error_t status = sd->session->use_adapter(adapter);
  if (status != SCI_ERR_OK) return status;
  if (sd->session->link_down(0)) return SCI_ERR_NO_LINK_ACCESS;
  const std::string& fabric = sd->session->fabric;
  const int wait_ms = static_cast<int>(std::clamp(timeout_ms, 1U, static_cast<unsigned>(kConnectMs)));
  FileDescriptor fd = connect_to(endpoint_name(fabric, node, kind, number), wait_ms, nullptr);
  if (!fd) {
    if (errno == EPERM) return SCI_ERR_ACCESS;
    if (errno == EAGAIN) return SCI_ERR_TIMEOUT;
    if (errno != ECONNREFUSED && errno != ENOENT) return SCI_ERR_SYSTEM;
    return node_present(fabric, node) ? SCI_ERR_NO_SUCH_INTNO : SCI_ERR_NO_SUCH_NODEID;
  }
  sd->users.fetch_add(1);
  *out = new Remote{sd, std::move(fd)};
  return SCI_ERR_OK;
}

template <class Remote>
sci_error_t disconnect(Remote* interrupt, unsigned flags) {
  if (interrupt == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (flags != 0) return SCI_ERR_ILLEGAL_FLAG;
  interrupt->desc->users.fetch_sub(1);
  delete interrupt;
  return SCI_ERR_OK;
}

template <class Remote>
sci_error_t trigger(Remote* interrupt, const void* data, std::size_t length, unsigned flags) {
  if (interrupt == nullptr || (data == nullptr && length > 0)) return SCI_ERR_ILLEGAL_PARAMETER;
  if (flags != 0) return SCI_ERR_ILLEGAL_FLAG;
  if (length > kDataInterruptBytes) return SCI_ERR_OUT_OF_RANGE;
  Session& session = *interrupt->desc->session;
  if (session.link_down(0)) return SCI_ERR_NO_LINK_ACCESS;
  if (session.faults->lost_interrupt.strike()) return SCI_ERR_OK;
  std::byte message[kDataInterruptBytes + 1];
  message[0] = std::byte{1};
  if (length > 0) std::memcpy(message + 1, data, length);
  if (send_message(interrupt->connection.get(), message, length + 1)) return SCI_ERR_OK;
  return errno == EAGAIN || errno == EWOULDBLOCK ? SCI_ERR_BUSY : SCI_ERR_NOT_CONNECTED;
}

}  // namespace

extern "C" {

void SCICreateInterrupt(sci_desc_t sd, sci_local_interrupt_t* interrupt, unsigned int localAdapterNo,
                        unsigned int* interruptNo, sci_cb_interrupt_t callback, void* callbackArg,
                        unsigned int flags, sci_error_t* error) {
  auto fresh = std::make_unique<sci_local_interrupt>();
  sci_local_interrupt* handle = fresh.get();
  fresh->counting = (flags & SCI_FLAG_COUNTING_INT) != 0;
  report(error, create(sd, interrupt, localAdapterNo, interruptNo, callback != nullptr, flags,
                       Endpoint::kInterrupt, std::move(fresh), [=](const std::vector<std::byte>&) {
                         return callback(callbackArg, handle, SCI_ERR_OK);
                       }));
}

void SCIRemoveInterrupt(sci_local_interrupt_t interrupt, unsigned int flags, sci_error_t* error) {
  report(error, remove(interrupt, flags));
}

void SCIWaitForInterrupt(sci_local_interrupt_t interrupt, unsigned int timeout, unsigned int flags,
                         sci_error_t* error) {
  if (interrupt == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  std::size_t length = 0;
  const sci_error_t status = interrupt->port.wait(nullptr, 0, &length, timeout);
  // Triggers that arrived before this wait returned count as one, unless the interrupt counts them.
  if (status == SCI_ERR_OK && !interrupt->counting) interrupt->port.discard_pending();
  report(error, status);
}

void SCIConnectInterrupt(sci_desc_t sd, sci_remote_interrupt_t* interrupt, unsigned int nodeId,
                         unsigned int localAdapterNo, unsigned int interruptNo, unsigned int timeout,
                         unsigned int flags, sci_error_t* error) {
  report(error, connect_to_interrupt(sd, interrupt, nodeId, localAdapterNo, interruptNo, timeout, flags,
                                     Endpoint::kInterrupt));
}

void SCIDisconnectInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags, sci_error_t* error) {
  report(error, disconnect(interrupt, flags));
}

void SCITriggerInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags, sci_error_t* error) {
  const sci_error_t status = trigger(interrupt, nullptr, 0, flags);
  // If the queue of wake-ups is full, the receiver wakes anyway.
  report(error, status == SCI_ERR_BUSY ? SCI_ERR_OK : status);
}

void SCICreateDataInterrupt(sci_desc_t sd, sci_local_data_interrupt_t* interrupt, unsigned int localAdapterNo,
                            unsigned int* interruptNo, sci_cb_data_interrupt_t callback, void* callbackArg,
                            unsigned int flags, sci_error_t* error) {
  auto fresh = std::make_unique<sci_local_data_interrupt>();
  sci_local_data_interrupt* handle = fresh.get();
  report(error, create(sd, interrupt, localAdapterNo, interruptNo, callback != nullptr, flags,
                       Endpoint::kDataInterrupt, std::move(fresh), [=](std::vector<std::byte> data) {
                         return callback(callbackArg, handle, data.data(), static_cast<unsigned>(data.size()),
                                         SCI_ERR_OK);
                       }));
}

void SCIRemoveDataInterrupt(sci_local_data_interrupt_t interrupt, unsigned int flags, sci_error_t* error) {
  report(error, remove(interrupt, flags));
}

void SCIWaitForDataInterrupt(sci_local_data_interrupt_t interrupt, void* data, unsigned int* length,
                             unsigned int timeout, unsigned int flags, sci_error_t* error) {
  if (interrupt == nullptr || length == nullptr || (data == nullptr && *length > 0)) {
    return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  }
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  std::size_t got = 0;
  const sci_error_t status = interrupt->port.wait(data, *length, &got, timeout);
  if (status == SCI_ERR_OK || status == SCI_ERR_OVERFLOW) *length = static_cast<unsigned>(got);
  report(error, status);
}

void SCIConnectDataInterrupt(sci_desc_t sd, sci_remote_data_interrupt_t* interrupt, unsigned int nodeId,
                             unsigned int localAdapterNo, unsigned int interruptNo, unsigned int timeout,
                             unsigned int flags, sci_error_t* error) {
  report(error, connect_to_interrupt(sd, interrupt, nodeId, localAdapterNo, interruptNo, timeout, flags,
                                     Endpoint::kDataInterrupt));
}

void SCIDisconnectDataInterrupt(sci_remote_data_interrupt_t interrupt, unsigned int flags,
                                sci_error_t* error) {
  report(error, disconnect(interrupt, flags));
}

void SCITriggerDataInterrupt(sci_remote_data_interrupt_t interrupt, void* data, unsigned int length,
                             unsigned int flags, sci_error_t* error) {
  report(error, trigger(interrupt, data, length, flags));
}

}  // extern "C"
