#include "transports/ibgda/handshake.h"

#include <cstring>

#include "core/error.h"
#include "transports/ibgda/recv_comm.h"
#include "transports/ibgda/send_comm.h"

namespace collbench::ibgda {
namespace {

constexpr std::size_t kMeetingBytes = 32;  // of the socket transport's handle

static_assert(kMeetingBytes + sizeof(End) <= sizeof(ConnectHandle));

}  // namespace

IbgdaListenComm::IbgdaListenComm(Transport& meeting, std::shared_ptr<const Device> device,
                                 std::shared_ptr<Ledger> ledger)
    : meeting_(meeting.listen(0)),
      link_(std::make_unique<Link>(std::move(device), sizeof(Inbox))),
      ledger_(std::move(ledger)) {
  const End end = link_->end();
  std::memcpy(handle_.data(), meeting_->handle().data(), kMeetingBytes);
  std::memcpy(handle_.data() + kMeetingBytes, &end, sizeof end);
}

std::unique_ptr<RecvComm> IbgdaListenComm::accept() {
  if (link_ == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "ibgda: this listener has accepted its connection");
  if (channel_ == nullptr && (channel_ = meeting_->accept()) == nullptr) return nullptr;
  if (!connected_) {
    if (request_ == nullptr) {
      const ReceiveBuffer buffer{&peer_, sizeof peer_, 0, nullptr};
      request_ = channel_->irecv(std::span(&buffer, 1));
      if (request_ == nullptr) return nullptr;
    }
    if (!channel_->test(request_, nullptr)) return nullptr;
    link_->connect(peer_);
    ready_end_ = link_->put_word(offsetof(Desk, ready), 1, true);
    link_->initiator().ring();
    connected_ = true;
  }
  link_->initiator().poll();
  if (!link_->initiator().has_completed(ready_end_)) return nullptr;
  channel_.reset();
  return std::make_unique<IbgdaRecvComm>(std::move(link_), ledger_);
}

IbgdaConnecting::IbgdaConnecting(Transport& meeting, std::shared_ptr<const Device> device,
                                 std::shared_ptr<Ledger> ledger, const ConnectHandle& handle)
    : link_(std::make_unique<Link>(std::move(device), sizeof(Desk))), ledger_(std::move(ledger)) {
  End peer;
  std::memcpy(&peer, handle.data() + kMeetingBytes, sizeof peer);
  link_->connect(peer);
  mine_ = link_->end();
  ConnectHandle meeting_handle{};
  std::memcpy(meeting_handle.data(), handle.data(), kMeetingBytes);
  meeting_ = meeting.connect(0, meeting_handle);
}

std::unique_ptr<SendComm> IbgdaConnecting::poll() {
  if (channel_ == nullptr && (channel_ = meeting_->poll()) == nullptr) return nullptr;
  if (!sent_) {
    if (request_ == nullptr && (request_ = channel_->isend(&mine_, sizeof mine_, 0, nullptr)) == nullptr)
      return nullptr;
    if (!channel_->test(request_)) return nullptr;
    sent_ = true;
  }
  link_->initiator().poll();
  if (read_flag(link_->memory<Desk>().ready) == 0) return nullptr;
  return std::make_unique<IbgdaSendComm>(std::move(link_), ledger_);
}

}  // namespace collbench::ibgda
