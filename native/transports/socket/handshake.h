#pragma once
// Both sides of the proof that the other end knows the run's token, one object per TCP connection. The token
// never travels: the listener sends a nonce, the connector answers with an HMAC over both nonces, the
// listener likewise.
#include <poll.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "transports/socket/address.h"
#include "transports/socket/wire.h"

namespace collbench::socket {

/// Token length below which a guess is thinkable; the run's token has 32 hex digits.
inline constexpr std::size_t kMinTokenBytes = 16;

/// @throws Error(kInvalidArgument) shorter than kMinTokenBytes
void require_token(std::string_view token);

Nonce random_nonce();

/// Sends or receives one small struct over as many calls as the socket needs.
class Transfer {
 public:
  enum class Outcome { kPending, kDone, kClosed };
  Outcome send(int fd, const void* data, std::size_t bytes);
  Outcome receive(int fd, void* data, std::size_t bytes);

 private:
  Outcome advance(ssize_t result, std::size_t bytes);
  std::size_t done_ = 0;
};

/// The listener's side.
class ServerHandshake {
 public:
  enum class Outcome { kPending, kAccepted, kDropped };

  explicit ServerHandshake(FileDescriptor fd) : fd_(std::move(fd)) { challenge_.nonce = random_nonce(); }
  /// kDropped: the other end left, or does not know the token (it has been told so where it listened).
  Outcome step(std::string_view token, int streams);
  /// What the next step waits for.
  [[nodiscard]] pollfd wants() const noexcept {
    return {fd_.get(), static_cast<short>(state_ == State::kProof ? POLLIN : POLLOUT), 0};
  }
  [[nodiscard]] const WireProof& proof() const noexcept { return proof_; }
  FileDescriptor take() { return std::move(fd_); }

 private:
  enum class State { kChallenge, kProof, kAnswer };
  FileDescriptor fd_;
  State state_ = State::kChallenge;
  Transfer transfer_;
  WireChallenge challenge_;
  WireProof proof_;
  WireAnswer answer_;
};

/// The connector's side, from a started non-blocking connect() on.
class ClientHandshake {
 public:
  enum class Outcome { kPending, kConnected, kClosed };

  ClientHandshake(FileDescriptor fd, const Nonce& connection, int stream, int streams);
  /// kClosed: the listener hung up before it answered (it may be shedding a flood); worth another attempt.
  /// @throws Error(kConnectionLost) refused by the network, Error(kProtocol) refused for the token, or the
  /// listener
  ///   does not know it, or is none of ours
  Outcome step(std::string_view token, const SocketAddress& peer);
  /// What the next step waits for.
  [[nodiscard]] pollfd wants() const noexcept {
    const bool hears = state_ == State::kChallenge || state_ == State::kAnswer;
    return {fd_.get(), static_cast<short>(hears ? POLLIN : POLLOUT), 0};
  }
  FileDescriptor take() { return std::move(fd_); }

 private:
  enum class State { kConnecting, kChallenge, kProof, kAnswer };
  FileDescriptor fd_;
  State state_ = State::kConnecting;
  Transfer transfer_;
  WireChallenge challenge_;
  WireProof proof_;
  WireAnswer answer_;
};

}  // namespace collbench::socket
