#include "transports/sisci/handshake.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "core/error.h"
#include "core/log.h"
#include "transports/sisci/recv_comm.h"
#include "transports/sisci/send_comm.h"
#include "transports/socket/hmac.h"

namespace collbench::sisci {
namespace {

constexpr std::uint32_t kMagic = 0x4E544243;  // "CBTN"
constexpr std::uint32_t kVersion = 2;
/// Time in nanoseconds after which the connector repeats an unanswered request. The interrupt that carries a
/// request can be lost, or come before the listener is ready.
constexpr std::int64_t kRequestIntervalNs = 20'000'000;
/// Time in nanoseconds after which the listener drops a connector that does not answer.
constexpr std::int64_t kPendingTimeoutNs = 30'000'000'000;

struct ListenerHandle {
  std::uint32_t magic, version, node_id, interrupt;
  std::uint64_t nonce;
};
static_assert(sizeof(ListenerHandle) <= sizeof(ConnectHandle));

struct ConnectRequest {
  std::uint32_t magic, version, node_id, sender_segment;
  std::uint64_t listener_nonce, nonce;
  std::uint64_t wants_proof;
  socket::Digest proof;  // HMAC of all fields above with the run's token
};

std::uint64_t random_word() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

socket::Digest sign(const ConnectRequest& send_request, const std::string& token) {
  return socket::hmac_sha256(
      token, {reinterpret_cast<const std::uint8_t*>(&send_request), offsetof(ConnectRequest, proof)});
}

void warn_refusal_once(const std::string& text) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) log(LogLevel::kWarn, text);
}

}  // namespace

SisciListenComm::SisciListenComm(std::shared_ptr<TransportState> state)
    : state_(std::move(state)), interrupt_(state_->adapter), nonce_(random_word()) {
  const ListenerHandle handle{kMagic, kVersion, state_->adapter.node_id, interrupt_.number(), nonce_};
  std::memcpy(handle_.data(), &handle, sizeof handle);
}

void SisciListenComm::accept_requests() {
  ConnectRequest send_request{};
  while (const auto bytes = interrupt_.receive(std::as_writable_bytes(std::span(&send_request, 1)))) {
    if (*bytes != sizeof send_request || send_request.magic != kMagic || send_request.version != kVersion ||
        send_request.listener_nonce != nonce_)
      continue;
    if (!socket::equal_in_constant_time(sign(send_request, state_->options.token), send_request.proof)) {
      warn_refusal_once("sisci: refused a connection from node " + std::to_string(send_request.node_id) +
                        " that does not know this run's token");
      continue;
    }
    if (std::find(seen_nonces_.begin(), seen_nonces_.end(), send_request.nonce) != seen_nonces_.end())
      continue;
    seen_nonces_.push_back(send_request.nonce);
    PendingConnection& pending = pending_.emplace_back();
    pending.nonce = send_request.nonce;
    pending.node_id = send_request.node_id;
    pending.receiver_segment = std::make_unique<LocalSegment>(state_->adapter, sizeof(ReceiverMemory));
    pending.sender_segment =
        std::make_unique<RemoteSegment>(state_->adapter, send_request.node_id, send_request.sender_segment);
    pending.last_step_ns = now_ns();
    if (state_->options.path_proof || send_request.wants_proof != 0)
      pending.proof = std::make_unique<PathProof>(state_->adapter);
  }
}

std::optional<DmaPath> SisciListenComm::advance(PendingConnection& pending) {
  auto* receiver_segment = reinterpret_cast<ReceiverMemory*>(pending.receiver_segment->data());
  if (!pending.greeted) {
    if (!pending.sender_segment->connect()) return std::nullopt;
    auto* sender_segment = reinterpret_cast<SenderMemory*>(pending.sender_segment->map(sizeof(SenderMemory)));
    announce(*pending.sender_segment, sender_segment->control.hello, 1,
             {pending.receiver_segment->id(), pending.proof ? pending.proof->segment_id() : kNoSegment,
              pending.proof != nullptr});
    pending.greeted = true;
    pending.last_step_ns = now_ns();
  }
  if (load_flag(receiver_segment->control.closed.flag) != 0)
    throw Error(ErrorCode::kConnectionLost, "the connector gave up");
  if (pending.check_timer.is_due()) pending.sender_segment->check_alive();
  const ControlLine& hello = receiver_segment->control.hello;
  if (load_flag(hello.flag) == 0) return std::nullopt;
  if (pending.proof == nullptr) return DmaPath::kRegistered;
  if (!pending.proving) {
    PathProof::ProofEndpoint end;
    end.sends = false;
    end.nonce = pending.nonce;
    end.own = &receiver_segment->control;
    end.peer = pending.sender_segment.get();
    end.peer_control = &reinterpret_cast<SenderMemory*>(pending.sender_segment->data())->control;
    end.staging = receiver_segment->staging[0];
    pending.proof->start(end, pending.node_id, hello.words[1]);
    pending.proving = true;
  }
  pending.last_step_ns = now_ns();
  return pending.proof->poll();
}

std::unique_ptr<RecvComm> SisciListenComm::accept() {
  accept_requests();
  for (auto pending = pending_.begin(); pending != pending_.end();) {
    try {
      if (const auto path = advance(*pending)) {
        auto comm = std::make_unique<SisciRecvComm>(state_, std::move(pending->receiver_segment),
                                                    std::move(pending->sender_segment), *path);
        pending_.erase(pending);
        return comm;
      }
      if (now_ns() - pending->last_step_ns < kPendingTimeoutNs) {
        ++pending;
        continue;
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kConnectionLost) {
        pending_.erase(pending);
        throw;
      }
    }
    pending = pending_.erase(pending);
  }
  return nullptr;
}

SisciConnecting::SisciConnecting(std::shared_ptr<TransportState> state, const ConnectHandle& handle)
    : state_(std::move(state)), nonce_(random_word()) {
  ListenerHandle given{};
  std::memcpy(&given, handle.data(), sizeof given);
  if (given.magic != kMagic || given.version != kVersion)
    throw Error(ErrorCode::kProtocol, "the connect handle is not from a sisci listener of this version");
  listener_nonce_ = given.nonce;
  peer_node_ = given.node_id;
  sender_memory_ = std::make_unique<LocalSegment>(state_->adapter, sizeof(SenderMemory));
  interrupt_ = std::make_unique<RemoteDataInterrupt>(state_->adapter, given.node_id, given.interrupt);
}

SisciConnecting::~SisciConnecting() {
  if (receiver_memory_ != nullptr && receiver_memory_->data() != nullptr)
    announce(*receiver_memory_, reinterpret_cast<ReceiverMemory*>(receiver_memory_->data())->control.closed,
             1);
}

void SisciConnecting::send_request() {
  const std::int64_t now = now_ns();
  if (request_sent_ns_ != 0 && now - request_sent_ns_ < kRequestIntervalNs) return;
  ConnectRequest send_request{};
  send_request.magic = kMagic;
  send_request.version = kVersion;
  send_request.node_id = state_->adapter.node_id;
  send_request.sender_segment = sender_memory_->id();
  send_request.listener_nonce = listener_nonce_;
  send_request.nonce = nonce_;
  send_request.wants_proof = state_->options.path_proof ? 1 : 0;
  send_request.proof = sign(send_request, state_->options.token);
  if (interrupt_->send(std::as_bytes(std::span(&send_request, 1)))) request_sent_ns_ = now;
}

/// Once the listener's answer names its segment: connects to it, maps it, and tells the listener. Until then
/// repeats the request.
/// @returns true when this is done
bool SisciConnecting::connect_receiver_memory() {
  const ControlLine& hello = reinterpret_cast<SenderMemory*>(sender_memory_->data())->control.hello;
  if (load_flag(hello.flag) == 0) {
    send_request();
    return false;
  }
  interrupt_.reset();
  if (receiver_memory_ == nullptr)
    receiver_memory_ = std::make_unique<RemoteSegment>(state_->adapter, peer_node_,
                                                       static_cast<unsigned int>(hello.words[0]));
  if (!receiver_memory_->connect()) return false;
  auto* receiver_segment = reinterpret_cast<ReceiverMemory*>(receiver_memory_->map(sizeof(ReceiverMemory)));
  const bool prove = hello.words[2] != 0;
  if (prove) proof_ = std::make_unique<PathProof>(state_->adapter);
  announce(*receiver_memory_, receiver_segment->control.hello, 1,
           {kNoSegment, prove ? proof_->segment_id() : kNoSegment, prove});
  if (!prove) return true;
  PathProof::ProofEndpoint end;
  end.sends = true;
  end.nonce = nonce_;
  end.own = &reinterpret_cast<SenderMemory*>(sender_memory_->data())->control;
  end.peer = receiver_memory_.get();
  end.peer_control = &receiver_segment->control;
  end.staging_offset = offsetof(ReceiverMemory, staging);
  proof_->start(end, peer_node_, hello.words[1]);
  return true;
}

std::unique_ptr<SendComm> SisciConnecting::poll() {
  if (!receiver_connected_ && !(receiver_connected_ = connect_receiver_memory())) return nullptr;
  std::optional<DmaPath> path = DmaPath::kRegistered;
  if (proof_ != nullptr) path = proof_->poll();
  if (path)
    return std::make_unique<SisciSendComm>(state_, std::move(sender_memory_), std::move(receiver_memory_),
                                           peer_node_, *path);
  if (check_timer_.is_due()) receiver_memory_->check_alive();
  return nullptr;
}

}  // namespace collbench::sisci
