#include "transports/shm/handshake.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "core/log.h"
#include "core/process_memory.h"
#include "transports/shm/recv_comm.h"
#include "transports/shm/send_comm.h"

namespace collbench::shm {
namespace {

constexpr int kConnectMs = 5000;  // for a listener whose queue is full
constexpr char kReady = 'r';

template <class T>
T random_value() {
  T value{};
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
    throw system_error(ErrorCode::kInternal, "shm: getrandom", errno);
  return value;
}

/// Returns the name of the listener's socket. It is an abstract unix socket, so no file remains when the
/// listener's process ends.
std::string listener_name(const ListenerHandle& handle) {
  char name[64];
  std::snprintf(name, sizeof name, "collbench-shm-%016lx%016lx", static_cast<unsigned long>(handle.nonce[0]),
                static_cast<unsigned long>(handle.nonce[1]));
  return name;
}

/// Returns the proof for one direction of the handshake: the HMAC, with the run's secret token as key, of
/// `side` and the listener's nonce.
/// @param side 'c' for the connector's request, 's' for the listener's answer; it prevents that one is
/// replayed as the other
socket::Digest handshake_digest(const std::string& token, char side, const ListenerHandle& handle) {
  std::uint8_t text[1 + sizeof handle.nonce];
  text[0] = static_cast<std::uint8_t>(side);
  std::memcpy(text + 1, handle.nonce, sizeof handle.nonce);
  return socket::hmac_sha256(token, text);
}

}  // namespace

ShmListenComm::ShmListenComm(ConnectionOptions options) : options_(std::move(options)) {
  struct Nonce {
    std::uint64_t words[2];
  };
  const auto nonce = random_value<Nonce>();
  std::memcpy(own_.nonce, nonce.words, sizeof own_.nonce);
  std::memcpy(handle_.data(), &own_, sizeof own_);
  listener_ = ipc::listen_on(listener_name(own_));
  if (!listener_) throw system_error(ErrorCode::kUnavailable, "shm: cannot listen on a local socket", errno);
}

bool ShmListenComm::answer(PendingConnection& pending, const ConnectRequest& request) {
  ConnectAnswer answer;
  if (!socket::equal_in_constant_time(handshake_digest(options_.token, 'c', own_), request.digest)) {
    log(LogLevel::kWarn,
        "shm: refused process " + std::to_string(pending.process) + ", which does not know this run's token");
    ipc::send_message(pending.line.get(), &answer, sizeof answer);
    return false;
  }
  std::uint64_t seen = 0;
  const bool copies = options_.may_copy_once &&
                      ipc::copy_from_process(pending.process, request.proof_address,
                                             reinterpret_cast<std::byte*>(&seen), sizeof seen) &&
                      seen == request.proof;
  pending.sleeps = request.sleeps != 0;
  pending.copy_mode = copies ? CopyMode::kSingleCopy : CopyMode::kTwoCopies;
  auto memory = std::make_unique<ipc::SharedMemory>();
  if (!memory->create(sizeof(SharedChannel)))
    throw system_error(
        ErrorCode::kUnavailable,
        "shm: no memory to share with a rank (" + std::to_string(sizeof(SharedChannel)) + " bytes)", errno);
  answer.accepted = 1;
  answer.single_copy = copies ? 1 : 0;
  answer.sleeps = options_.sleeps ? 1 : 0;
  answer.digest = handshake_digest(options_.token, 's', own_);
  if (!ipc::send_message(pending.line.get(), &answer, sizeof answer, memory->fd())) return false;
  pending.memory = std::move(memory);
  return true;
}

ShmListenComm::HandshakeStep ShmListenComm::advance(PendingConnection& pending) {
  if (pending.memory == nullptr) {
    ConnectRequest request;
    const ssize_t got = ipc::receive_message(pending.line.get(), &request, sizeof request);
    if (got < 0 && errno == EAGAIN) return HandshakeStep::kPending;
    if (got != static_cast<ssize_t>(sizeof request) || !answer(pending, request))
      return HandshakeStep::kDropped;
  }
  char ready = 0;
  const ssize_t got = ipc::receive_message(pending.line.get(), &ready, sizeof ready);
  if (got < 0 && errno == EAGAIN) return HandshakeStep::kPending;
  return got == 1 && ready == kReady ? HandshakeStep::kConnected : HandshakeStep::kDropped;
}

std::unique_ptr<RecvComm> ShmListenComm::accept() {
  for (;;) {
    PendingConnection pending;
    pending.line = ipc::accept_from(listener_.get(), &pending.process);
    if (!pending.line) break;
    pending_.push_back(std::move(pending));
  }
  for (auto pending = pending_.begin(); pending != pending_.end();) {
    const HandshakeStep step = advance(*pending);
    if (step == HandshakeStep::kConnected) {
      auto counters = options_.make_counters(false, pending->copy_mode);
      auto end = std::make_unique<ShmConnection>(std::move(pending->memory), std::move(pending->line),
                                                 pending->process, pending->copy_mode,
                                                 SleepPolicy{options_.sleeps, pending->sleeps});
      pending_.erase(pending);
      return std::make_unique<ShmRecvComm>(std::move(end), std::move(counters));
    }
    pending = step == HandshakeStep::kDropped ? pending_.erase(pending) : std::next(pending);
  }
  return nullptr;
}

void ShmListenComm::add_to_poll(std::vector<pollfd>& set) const {
  set.push_back({listener_.get(), POLLIN, 0});
  for (const PendingConnection& pending : pending_) set.push_back({pending.line.get(), POLLIN, 0});
}

ShmConnecting::ShmConnecting(ConnectionOptions options, const ConnectHandle& handle)
    : options_(std::move(options)), proof_(random_value<std::uint64_t>()) {
  std::memcpy(&peer_, handle.data(), sizeof peer_);
  if (peer_.magic != kMagic || peer_.version != kVersion)
    throw Error(ErrorCode::kProtocol, "shm: the peer's connect handle is none of this transport and version");
  socket_ = ipc::connect_to(listener_name(peer_), kConnectMs, &process_);
  ConnectRequest request;
  request.digest = handshake_digest(options_.token, 'c', peer_);
  request.proof_address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&proof_));
  request.proof = proof_;
  request.sleeps = options_.sleeps ? 1 : 0;
  if (!socket_ || !ipc::send_message(socket_.get(), &request, sizeof request))
    throw system_error(ErrorCode::kConnectionLost,
                       "shm: cannot reach a rank; all must be processes of one machine, user and network "
                       "namespace",
                       errno);
}

std::unique_ptr<SendComm> ShmConnecting::poll() {
  ConnectAnswer answer;
  FileDescriptor passed;
  const ssize_t got = ipc::receive_message(socket_.get(), &answer, sizeof answer, &passed);
  if (got < 0 && errno == EAGAIN) return nullptr;
  const std::string peer = "shm: process " + std::to_string(process_);
  if (got != static_cast<ssize_t>(sizeof answer))
    throw Error(ErrorCode::kConnectionLost, peer + " has closed the connection or is gone");
  if (answer.accepted == 0)
    throw Error(ErrorCode::kProtocol,
                peer + " refused the connection: it belongs to a run with another token");
  if (!socket::equal_in_constant_time(handshake_digest(options_.token, 's', peer_), answer.digest))
    throw Error(ErrorCode::kProtocol, peer + " does not know this run's token");
  auto memory = std::make_unique<ipc::SharedMemory>();
  if (!memory->adopt(std::move(passed), sizeof(SharedChannel)))
    throw Error(ErrorCode::kProtocol, peer + " sent no memory of this version");
  const CopyMode copy_mode = answer.single_copy != 0 ? CopyMode::kSingleCopy : CopyMode::kTwoCopies;
  const int line = socket_.get();
  auto end = std::make_unique<ShmConnection>(std::move(memory), std::move(socket_), process_, copy_mode,
                                             SleepPolicy{options_.sleeps, answer.sleeps != 0});
  if (!ipc::send_message(line, &kReady, 1)) end->throw_lost();
  return std::make_unique<ShmSendComm>(std::move(end), options_.make_counters(true, copy_mode));
}

void ShmConnecting::add_to_poll(std::vector<pollfd>& set) const { set.push_back({socket_.get(), POLLIN, 0}); }

}  // namespace collbench::shm
