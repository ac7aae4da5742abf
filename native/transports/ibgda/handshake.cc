#include "transports/ibgda/handshake.h"

#include <cstring>

#include "core/error.h"
#include "transports/ibgda/recv_comm.h"
#include "transports/ibgda/send_comm.h"

namespace collbench::ibgda {
namespace {

constexpr std::size_t kBootstrapHandleBytes = 32;  // length of the socket transport's handle

static_assert(kBootstrapHandleBytes + sizeof(EndpointAddress) <= sizeof(ConnectHandle));

}  // namespace

IbgdaListenComm::IbgdaListenComm(Transport& bootstrap, std::shared_ptr<const IbgdaDevice> device,
                                 std::shared_ptr<CounterTable> counter_table)
    : bootstrap_(bootstrap.listen(0)),
      connection_(std::make_unique<IbgdaConnection>(std::move(device), sizeof(ReceiverMemory))),
      counter_table_(std::move(counter_table)) {
  const EndpointAddress end = connection_->end();
  std::memcpy(handle_.data(), bootstrap_->handle().data(), kBootstrapHandleBytes);
  std::memcpy(handle_.data() + kBootstrapHandleBytes, &end, sizeof end);
}

std::unique_ptr<RecvComm> IbgdaListenComm::accept() {
  if (connection_ == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "ibgda: this listener has accepted its connection");
  if (channel_ == nullptr && (channel_ = bootstrap_->accept()) == nullptr) return nullptr;
  if (!connected_) {
    if (request_ == nullptr) {
      const ReceiveBuffer buffer{&peer_, sizeof peer_, 0, nullptr};
      request_ = channel_->irecv(std::span(&buffer, 1));
      if (request_ == nullptr) return nullptr;
    }
    if (!channel_->test(request_, nullptr)) return nullptr;
    connection_->connect(peer_);
    ready_end_ = connection_->put_word(offsetof(SenderMemory, ready), 1, true);
    connection_->initiator().ring();
    connected_ = true;
  }
  connection_->initiator().poll();
  if (!connection_->initiator().has_completed(ready_end_)) return nullptr;
  channel_.reset();
  return std::make_unique<IbgdaRecvComm>(std::move(connection_), counter_table_);
}

IbgdaConnecting::IbgdaConnecting(Transport& bootstrap, std::shared_ptr<const IbgdaDevice> device,
                                 std::shared_ptr<CounterTable> counter_table, const ConnectHandle& handle)
    : connection_(std::make_unique<IbgdaConnection>(std::move(device), sizeof(SenderMemory))),
      counter_table_(std::move(counter_table)) {
  EndpointAddress peer;
  std::memcpy(&peer, handle.data() + kBootstrapHandleBytes, sizeof peer);
  connection_->connect(peer);
  own_address_ = connection_->end();
  ConnectHandle bootstrap_handle{};
  std::memcpy(bootstrap_handle.data(), handle.data(), kBootstrapHandleBytes);
  bootstrap_ = bootstrap.connect(0, bootstrap_handle);
}

std::unique_ptr<SendComm> IbgdaConnecting::poll() {
  if (channel_ == nullptr && (channel_ = bootstrap_->poll()) == nullptr) return nullptr;
  if (!sent_) {
    if (request_ == nullptr &&
        (request_ = channel_->isend(&own_address_, sizeof own_address_, 0, nullptr)) == nullptr)
      return nullptr;
    if (!channel_->test(request_)) return nullptr;
    sent_ = true;
  }
  connection_->initiator().poll();
  if (read_flag(connection_->memory<SenderMemory>().ready) == 0) return nullptr;
  return std::make_unique<IbgdaSendComm>(std::move(connection_), counter_table_);
}

}  // namespace collbench::ibgda
