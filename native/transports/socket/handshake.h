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

/// Minimum length of a token in characters; shorter ones could be guessed. The token of a run has 32 hex
/// digits.
inline constexpr std::size_t kMinTokenBytes = 16;

/// Checks the length of the run's token.
/// @throws Error(kInvalidArgument) if it is shorter than kMinTokenBytes
void require_token(std::string_view token);

Nonce random_nonce();

/// Sends or receives one small struct over a non-blocking socket. Call send() or receive() with the same
/// arguments until it returns kDone (all bytes moved) or kClosed (the peer has disconnected).
class StructTransfer {
 public:
  enum class Outcome { kPending, kDone, kClosed };
  Outcome send(int fd, const void* data, std::size_t bytes);
  Outcome receive(int fd, void* data, std::size_t bytes);

 private:
  Outcome advance(ssize_t result, std::size_t bytes);
  std::size_t done_ = 0;
};

/// The listener's side of the handshake on one accepted TCP connection.
class ServerHandshake {
 public:
  enum class Outcome { kPending, kAccepted, kDropped };

  explicit ServerHandshake(FileDescriptor fd) : fd_(std::move(fd)) { challenge_.nonce = random_nonce(); }
  /// Performs the handshake as far as possible without waiting. kAccepted: the connector has proved that it
  /// knows the token. kDropped: the connector has disconnected; or it proved no knowledge of the token or
  /// uses another number of streams, and the listener has answered that it refuses.
  /// @param streams number of TCP connections that the listener expects from its peer
  Outcome step(std::string_view token, int streams);
  /// Returns the descriptor and the events to wait for in poll() before the next step().
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

/// The connector's side of the handshake on one TCP connection, for which non-blocking connect() has been
/// called.
class ClientHandshake {
 public:
  enum class Outcome { kPending, kConnected, kClosed };

  ClientHandshake(FileDescriptor fd, const Nonce& connection, int stream, int streams);
  /// Performs the handshake as far as possible without waiting. kConnected: both ends have proved that they
  /// know the token. kClosed: the listener closed the connection before it answered, perhaps because it drops
  /// the oldest connections in a flood; the caller should connect again.
  /// @throws Error(kConnectionLost) if the network refuses; Error(kProtocol) if the listener refuses token or
  /// number of streams, does not know the token, or is not one of ours
  Outcome step(std::string_view token, const SocketAddress& peer);
  /// Returns the descriptor and the events to wait for in poll() before the next step().
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
