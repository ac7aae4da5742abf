#pragma once
// Proof that both ends know the run's token, one object per TCP connection. The token is never sent: each end
// answers the other's nonce with an HMAC over both nonces.
#include <poll.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "transports/socket/address.h"
#include "transports/socket/wire.h"

namespace collbench::socket {

/// Shorter tokens could be guessed; the run's token has 32 hex digits.
inline constexpr std::size_t kMinTokenBytes = 16;

/// @throws Error(kInvalidArgument) if shorter than kMinTokenBytes
void require_token(std::string_view token);

Nonce random_nonce();

/// Sends or receives one small struct in as many calls as the socket needs.
class StructTransfer {
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
  /// kDropped: the connector left or does not know the token; the refusal was sent to it.
  Outcome step(std::string_view token, int streams);
  /// Descriptor and events for which the next step waits.
  [[nodiscard]] pollfd poll_entry() const noexcept {
    return {fd_.get(), static_cast<short>(state_ == State::kProof ? POLLIN : POLLOUT), 0};
  }
  [[nodiscard]] const WireProof& proof() const noexcept { return proof_; }
  FileDescriptor take() { return std::move(fd_); }

 private:
  enum class State { kChallenge, kProof, kAnswer };
  FileDescriptor fd_;
  State state_ = State::kChallenge;
  StructTransfer transfer_;
  WireChallenge challenge_;
  WireProof proof_;
  WireAnswer answer_;
};

/// The connector's side, starting from a non-blocking connect().
class ClientHandshake {
 public:
  enum class Outcome { kPending, kConnected, kClosed };

  ClientHandshake(FileDescriptor fd, const Nonce& connection, int stream, int streams);
  /// kClosed: the listener closed the connection before it answered (perhaps it sheds a flood); try again.
  /// @throws Error(kConnectionLost) refused by the network, Error(kProtocol) refused for the token, or the
  /// listener does not know the token or is not ours
  Outcome step(std::string_view token, const SocketAddress& peer);
  /// Descriptor and events for which the next step waits.
  [[nodiscard]] pollfd poll_entry() const noexcept {
    const bool reads = state_ == State::kChallenge || state_ == State::kAnswer;
    return {fd_.get(), static_cast<short>(reads ? POLLIN : POLLOUT), 0};
  }
  FileDescriptor take() { return std::move(fd_); }

 private:
  enum class State { kConnecting, kChallenge, kProof, kAnswer };
  FileDescriptor fd_;
  State state_ = State::kConnecting;
  StructTransfer transfer_;
  WireChallenge challenge_;
  WireProof proof_;
  WireAnswer answer_;
};

}  // namespace collbench::socket
