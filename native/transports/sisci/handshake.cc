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
/// Knocks are repeated until answered: an interrupt can be lost, or come before the listener looks.
constexpr std::int64_t kKnockIntervalNs = 20'000'000;
/// A visitor that gets no further for this long has been abandoned by its owner.
constexpr std::int64_t kVisitorPatienceNs = 30'000'000'000;

struct Handle {
  std::uint32_t magic, version, node_id, interrupt;
  std::uint64_t nonce;
};
static_assert(sizeof(Handle) <= sizeof(ConnectHandle));

struct Knock {
  std::uint32_t magic, version, node_id, desk_segment;
  std::uint64_t listener_nonce, nonce;
  std::uint64_t wants_proof;
  socket::Digest proof;  // HMAC of all above with the run's token
};

std::uint64_t random_word() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

socket::Digest sign(const Knock& knock, const std::string& token) {
  return socket::hmac_sha256(token, {reinterpret_cast<const std::uint8_t*>(&knock), offsetof(Knock, proof)});
}

void say_once(const std::string& text) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) log(LogLevel::kWarn, text);
}

}  // namespace

SisciListenComm::SisciListenComm(std::shared_ptr<Fabric> fabric)
    : fabric_(std::move(fabric)), door_(fabric_->adapter), nonce_(random_word()) {
  const Handle handle{kMagic, kVersion, fabric_->adapter.node_id, door_.number(), nonce_};
  std::memcpy(handle_.data(), &handle, sizeof handle);
}

void SisciListenComm::answer_knocks() {
  Knock knock{};
  while (const auto bytes = door_.receive(std::as_writable_bytes(std::span(&knock, 1)))) {
    if (*bytes != sizeof knock || knock.magic != kMagic || knock.version != kVersion ||
        knock.listener_nonce != nonce_)
      continue;
    if (!socket::equal_in_constant_time(sign(knock, fabric_->options.token), knock.proof)) {
      say_once("sisci: refused a connection from node " + std::to_string(knock.node_id) +
               " that does not know this run's token");
      continue;
    }
    if (std::find(seen_.begin(), seen_.end(), knock.nonce) != seen_.end()) continue;
    seen_.push_back(knock.nonce);
    Visitor& visitor = visitors_.emplace_back();
    visitor.nonce = knock.nonce;
    visitor.node_id = knock.node_id;
    visitor.inbox = std::make_unique<LocalSegment>(fabric_->adapter, sizeof(Inbox));
    visitor.desk = std::make_unique<RemoteSegment>(fabric_->adapter, knock.node_id, knock.desk_segment);
    visitor.last_step_ns = now_ns();
    if (fabric_->options.path_proof || knock.wants_proof != 0)
      visitor.proof = std::make_unique<PathProof>(fabric_->adapter);
  }
}

std::optional<Path> SisciListenComm::advance(Visitor& visitor) {
  auto* inbox = reinterpret_cast<Inbox*>(visitor.inbox->data());
  if (!visitor.greeted) {
    if (!visitor.desk->connect()) return std::nullopt;
    auto* desk = reinterpret_cast<Desk*>(visitor.desk->map(sizeof(Desk)));
    announce(*visitor.desk, desk->control.hello, 1,
             {visitor.inbox->id(), visitor.proof ? visitor.proof->segment_id() : kNoSegment,
              visitor.proof != nullptr});
    visitor.greeted = true;
    visitor.last_step_ns = now_ns();
  }
  if (load_flag(inbox->control.closed.flag) != 0)
    throw Error(ErrorCode::kConnectionLost, "the connector gave up");
  if (visitor.watch.due()) visitor.desk->check_alive();
  const Line& hello = inbox->control.hello;
  if (load_flag(hello.flag) == 0) return std::nullopt;
  if (visitor.proof == nullptr) return Path::kRegistered;
  if (!visitor.proving) {
    PathProof::End end;
    end.sends = false;
    end.nonce = visitor.nonce;
    end.own = &inbox->control;
    end.peer = visitor.desk.get();
    end.peer_control = &reinterpret_cast<Desk*>(visitor.desk->data())->control;
    end.staging = inbox->staging[0];
    visitor.proof->start(end, visitor.node_id, hello.words[1]);
    visitor.proving = true;
  }
  visitor.last_step_ns = now_ns();
  return visitor.proof->poll();
}

std::unique_ptr<RecvComm> SisciListenComm::accept() {
  answer_knocks();
  for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
    try {
      if (const auto path = advance(*visitor)) {
        auto comm = std::make_unique<SisciRecvComm>(fabric_, std::move(visitor->inbox),
                                                    std::move(visitor->desk), *path);
        visitors_.erase(visitor);
        return comm;
      }
      if (now_ns() - visitor->last_step_ns < kVisitorPatienceNs) {
        ++visitor;
        continue;
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kConnectionLost) {
        visitors_.erase(visitor);
        throw;
      }
    }
    visitor = visitors_.erase(visitor);
  }
  return nullptr;
}

SisciConnecting::SisciConnecting(std::shared_ptr<Fabric> fabric, const ConnectHandle& handle)
    : fabric_(std::move(fabric)), nonce_(random_word()) {
  Handle given{};
  std::memcpy(&given, handle.data(), sizeof given);
  if (given.magic != kMagic || given.version != kVersion)
    throw Error(ErrorCode::kProtocol, "the connect handle is not from a sisci listener of this version");
  listener_nonce_ = given.nonce;
  peer_node_ = given.node_id;
  desk_ = std::make_unique<LocalSegment>(fabric_->adapter, sizeof(Desk));
  door_ = std::make_unique<RemoteDataInterrupt>(fabric_->adapter, given.node_id, given.interrupt);
}

SisciConnecting::~SisciConnecting() {
  if (inbox_ != nullptr && inbox_->data() != nullptr)
    announce(*inbox_, reinterpret_cast<Inbox*>(inbox_->data())->control.closed, 1);
}

void SisciConnecting::knock() {
  const std::int64_t now = now_ns();
  if (knocked_ns_ != 0 && now - knocked_ns_ < kKnockIntervalNs) return;
  Knock knock{};
  knock.magic = kMagic;
  knock.version = kVersion;
  knock.node_id = fabric_->adapter.node_id;
  knock.desk_segment = desk_->id();
  knock.listener_nonce = listener_nonce_;
  knock.nonce = nonce_;
  knock.wants_proof = fabric_->options.path_proof ? 1 : 0;
  knock.proof = sign(knock, fabric_->options.token);
  if (door_->send(std::as_bytes(std::span(&knock, 1)))) knocked_ns_ = now;
}

/// Connects to the inbox that the listener's answer names; true when it is mapped and greeted.
bool SisciConnecting::enter() {
  const Line& hello = reinterpret_cast<Desk*>(desk_->data())->control.hello;
  if (load_flag(hello.flag) == 0) {
    knock();
    return false;
  }
  door_.reset();
  if (inbox_ == nullptr)
    inbox_ = std::make_unique<RemoteSegment>(fabric_->adapter, peer_node_,
                                             static_cast<unsigned int>(hello.words[0]));
  if (!inbox_->connect()) return false;
  auto* inbox = reinterpret_cast<Inbox*>(inbox_->map(sizeof(Inbox)));
  const bool prove = hello.words[2] != 0;
  if (prove) proof_ = std::make_unique<PathProof>(fabric_->adapter);
  announce(*inbox_, inbox->control.hello, 1, {kNoSegment, prove ? proof_->segment_id() : kNoSegment, prove});
  if (!prove) return true;
  PathProof::End end;
  end.sends = true;
  end.nonce = nonce_;
  end.own = &reinterpret_cast<Desk*>(desk_->data())->control;
  end.peer = inbox_.get();
  end.peer_control = &inbox->control;
  end.staging_offset = offsetof(Inbox, staging);
  proof_->start(end, peer_node_, hello.words[1]);
  return true;
}

std::unique_ptr<SendComm> SisciConnecting::poll() {
  if (!entered_ && !(entered_ = enter())) return nullptr;
  std::optional<Path> path = Path::kRegistered;
  if (proof_ != nullptr) path = proof_->poll();
  if (path)
    return std::make_unique<SisciSendComm>(fabric_, std::move(desk_), std::move(inbox_), peer_node_, *path);
  if (watch_.due()) inbox_->check_alive();
  return nullptr;
}

}  // namespace collbench::sisci
