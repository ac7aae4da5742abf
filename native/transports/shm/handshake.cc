#include "transports/shm/handshake.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "core/log.h"
#include "softcard/process_memory.h"
#include "transports/shm/recv_comm.h"
#include "transports/shm/send_comm.h"

namespace collbench::shm {
namespace {

constexpr int kConnectMs = 5000;  // a listener's queue is full
constexpr char kReady = 'r';

template <class T>
T random_value() {
  T value{};
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
    throw system_error(ErrorCode::kInternal, "shm: getrandom", errno);
  return value;
}

/// In the abstract name space: gone with its process.
std::string door_of(const Handle& handle) {
  char name[64];
  std::snprintf(name, sizeof name, "collbench-shm-%016lx%016lx", static_cast<unsigned long>(handle.nonce[0]),
                static_cast<unsigned long>(handle.nonce[1]));
  return name;
}

/// @param side keeps an answer from being replayed as a greeting
socket::Digest digest_of(const std::string& token, char side, const Handle& handle) {
  std::uint8_t text[1 + sizeof handle.nonce];
  text[0] = static_cast<std::uint8_t>(side);
  std::memcpy(text + 1, handle.nonce, sizeof handle.nonce);
  return socket::hmac_sha256(token, text);
}

}  // namespace

ShmListenComm::ShmListenComm(Terms terms) : terms_(std::move(terms)) {
  struct Nonce {
    std::uint64_t words[2];
  };
  const auto nonce = random_value<Nonce>();
  std::memcpy(own_.nonce, nonce.words, sizeof own_.nonce);
  std::memcpy(handle_.data(), &own_, sizeof own_);
  listener_ = softcard::listen_on(door_of(own_));
  if (!listener_) throw system_error(ErrorCode::kUnavailable, "shm: cannot listen on a local socket", errno);
}

bool ShmListenComm::answer(Visitor& visitor, const Hello& hello) {
  Answer answer;
  if (!socket::equal_in_constant_time(digest_of(terms_.token, 'c', own_), hello.digest)) {
    log(LogLevel::kWarn,
        "shm: refused process " + std::to_string(visitor.process) + ", which does not know this run's token");
    softcard::send_message(visitor.line.get(), &answer, sizeof answer);
    return false;
  }
  std::uint64_t seen = 0;
  const bool copies = terms_.may_copy_once &&
                      softcard::copy_from_process(visitor.process, hello.proof_address,
                                                  reinterpret_cast<std::byte*>(&seen), sizeof seen) &&
                      seen == hello.proof;
  visitor.sleeps = hello.sleeps != 0;
  visitor.way = copies ? Way::kSingleCopy : Way::kTwoCopies;
  auto memory = std::make_unique<softcard::SharedMemory>();
  if (!memory->create(sizeof(Channel)))
    throw system_error(ErrorCode::kUnavailable,
                       "shm: no memory to share with a rank (" + std::to_string(sizeof(Channel)) + " bytes)",
                       errno);
  answer.accepted = 1;
  answer.single_copy = copies ? 1 : 0;
  answer.sleeps = terms_.sleeps ? 1 : 0;
  answer.digest = digest_of(terms_.token, 's', own_);
  if (!softcard::send_message(visitor.line.get(), &answer, sizeof answer, memory->fd())) return false;
  visitor.memory = std::move(memory);
  return true;
}

ShmListenComm::Step ShmListenComm::advance(Visitor& visitor) {
  if (visitor.memory == nullptr) {
    Hello hello;
    const ssize_t got = softcard::receive_message(visitor.line.get(), &hello, sizeof hello);
    if (got < 0 && errno == EAGAIN) return Step::kWaits;
    if (got != static_cast<ssize_t>(sizeof hello) || !answer(visitor, hello)) return Step::kGone;
  }
  char ready = 0;
  const ssize_t got = softcard::receive_message(visitor.line.get(), &ready, sizeof ready);
  if (got < 0 && errno == EAGAIN) return Step::kWaits;
  return got == 1 && ready == kReady ? Step::kConnected : Step::kGone;
}

std::unique_ptr<RecvComm> ShmListenComm::accept() {
  for (;;) {
    Visitor visitor;
    visitor.line = softcard::accept_from(listener_.get(), &visitor.process);
    if (!visitor.line) break;
    visitors_.push_back(std::move(visitor));
  }
  for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
    const Step step = advance(*visitor);
    if (step == Step::kConnected) {
      auto tally = terms_.make_tally(false, visitor->way);
      auto end = std::make_unique<End>(std::move(visitor->memory), std::move(visitor->line), visitor->process,
                                       visitor->way, Sleepers{terms_.sleeps, visitor->sleeps});
      visitors_.erase(visitor);
      return std::make_unique<ShmRecvComm>(std::move(end), std::move(tally));
    }
    visitor = step == Step::kGone ? visitors_.erase(visitor) : std::next(visitor);
  }
  return nullptr;
}

void ShmListenComm::add_to_poll(std::vector<pollfd>& set) const {
  set.push_back({listener_.get(), POLLIN, 0});
  for (const Visitor& visitor : visitors_) set.push_back({visitor.line.get(), POLLIN, 0});
}

ShmConnecting::ShmConnecting(Terms terms, const ConnectHandle& handle)
    : terms_(std::move(terms)), proof_(random_value<std::uint64_t>()) {
  std::memcpy(&peer_, handle.data(), sizeof peer_);
  if (peer_.magic != kMagic || peer_.version != kVersion)
    throw Error(ErrorCode::kProtocol, "shm: the peer's connect handle is none of this transport and version");
  line_ = softcard::connect_to(door_of(peer_), kConnectMs, &process_);
  Hello hello;
  hello.digest = digest_of(terms_.token, 'c', peer_);
  hello.proof_address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&proof_));
  hello.proof = proof_;
  hello.sleeps = terms_.sleeps ? 1 : 0;
  if (!line_ || !softcard::send_message(line_.get(), &hello, sizeof hello))
    throw system_error(ErrorCode::kConnectionLost,
                       "shm: cannot reach a rank; all must be processes of one machine, user and network "
                       "namespace",
                       errno);
}

std::unique_ptr<SendComm> ShmConnecting::poll() {
  Answer answer;
  softcard::Fd passed;
  const ssize_t got = softcard::receive_message(line_.get(), &answer, sizeof answer, &passed);
  if (got < 0 && errno == EAGAIN) return nullptr;
  const std::string peer = "shm: process " + std::to_string(process_);
  if (got != static_cast<ssize_t>(sizeof answer))
    throw Error(ErrorCode::kConnectionLost, peer + " has closed the connection or is gone");
  if (answer.accepted == 0)
    throw Error(ErrorCode::kProtocol,
                peer + " refused the connection: it belongs to a run with another token");
  if (!socket::equal_in_constant_time(digest_of(terms_.token, 's', peer_), answer.digest))
    throw Error(ErrorCode::kProtocol, peer + " does not know this run's token");
  auto memory = std::make_unique<softcard::SharedMemory>();
  if (!memory->adopt(std::move(passed), sizeof(Channel)))
    throw Error(ErrorCode::kProtocol, peer + " sent no memory of this version");
  const Way way = answer.single_copy != 0 ? Way::kSingleCopy : Way::kTwoCopies;
  const int line = line_.get();
  auto end = std::make_unique<End>(std::move(memory), std::move(line_), process_, way,
                                   Sleepers{terms_.sleeps, answer.sleeps != 0});
  if (!softcard::send_message(line, &kReady, 1)) end->lost();
  return std::make_unique<ShmSendComm>(std::move(end), terms_.make_tally(true, way));
}

void ShmConnecting::add_to_poll(std::vector<pollfd>& set) const { set.push_back({line_.get(), POLLIN, 0}); }

}  // namespace collbench::shm
