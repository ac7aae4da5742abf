#include "transports/socket/handshake.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "core/error.h"

namespace collbench::socket {
namespace {

/// Returns the HMAC, with the token as key, over the listener's nonce and the fields of the connector's
/// proof.
/// @param side 'c' for the connector's proof, 's' for the listener's answer; it prevents that one is replayed
/// as the other
Digest digest_of(std::string_view token, char side, const Nonce& listener, const WireProof& proof) {
  std::vector<std::uint8_t> text{static_cast<std::uint8_t>(side)};
  text.insert(text.end(), listener.begin(), listener.end());
  text.insert(text.end(), proof.nonce.begin(), proof.nonce.end());
  text.insert(text.end(), proof.connection.begin(), proof.connection.end());
  for (const std::uint32_t number : {proof.stream, proof.streams})
    for (int shift = 0; shift < 32; shift += 8) text.push_back(static_cast<std::uint8_t>(number >> shift));
  return hmac_sha256(token, text);
}

}  // namespace

void require_token(std::string_view token) {
  if (token.size() >= kMinTokenBytes) return;
  throw Error(ErrorCode::kInvalidArgument,
              "socket: data listeners need the run's token (32 hex digits, at least " +
                  std::to_string(kMinTokenBytes) + " characters), got one of " +
                  std::to_string(token.size()));
}

Nonce random_nonce() {
  Nonce nonce;
  if (getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size()))
    throw system_error(ErrorCode::kInternal, "socket: getrandom", errno);
  return nonce;
}

StructTransfer::Outcome StructTransfer::advance(ssize_t result, std::size_t bytes) {
  if (result < 0) {
    const bool again = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return again ? Outcome::kPending : Outcome::kClosed;
  }
  if (result == 0) return Outcome::kClosed;
  done_ += static_cast<std::size_t>(result);
  if (done_ < bytes) return Outcome::kPending;
  done_ = 0;
  return Outcome::kDone;
}

StructTransfer::Outcome StructTransfer::send(int fd, const void* data, std::size_t bytes) {
  const ssize_t result =
      ::send(fd, static_cast<const char*>(data) + done_, bytes - done_, MSG_NOSIGNAL | MSG_DONTWAIT);
  return advance(result, bytes);
}

StructTransfer::Outcome StructTransfer::receive(int fd, void* data, std::size_t bytes) {
  return advance(::recv(fd, static_cast<char*>(data) + done_, bytes - done_, MSG_DONTWAIT), bytes);
}

ServerHandshake::Outcome ServerHandshake::step(std::string_view token, int streams) {
  StructTransfer::Outcome moved = StructTransfer::Outcome::kPending;
  switch (state_) {
    case State::kChallenge:
      moved = transfer_.send(fd_.get(), &challenge_, sizeof challenge_);
      if (moved != StructTransfer::Outcome::kDone) break;
      state_ = State::kProof;
      [[fallthrough]];
    case State::kProof: {
      moved = transfer_.receive(fd_.get(), &proof_, sizeof proof_);
      if (moved != StructTransfer::Outcome::kDone) break;
      const Digest request = digest_of(token, 'c', challenge_.nonce, proof_);
      const bool known = equal_in_constant_time(request, proof_.digest);
      if (known && proof_.streams == static_cast<std::uint32_t>(streams) && proof_.stream < proof_.streams) {
        answer_.accepted = 1;
        answer_.digest = digest_of(token, 's', challenge_.nonce, proof_);
      }
      state_ = State::kAnswer;
      [[fallthrough]];
    }
    case State::kAnswer:
      moved = transfer_.send(fd_.get(), &answer_, sizeof answer_);
      if (moved == StructTransfer::Outcome::kDone)
        return answer_.accepted ? Outcome::kAccepted : Outcome::kDropped;
      break;
  }
  return moved == StructTransfer::Outcome::kClosed ? Outcome::kDropped : Outcome::kPending;
}

ClientHandshake::ClientHandshake(FileDescriptor fd, const Nonce& connection, int stream, int streams)
    : fd_(std::move(fd)) {
  proof_.nonce = random_nonce();
  proof_.connection = connection;
  proof_.stream = static_cast<std::uint32_t>(stream);
  proof_.streams = static_cast<std::uint32_t>(streams);
}

ClientHandshake::Outcome ClientHandshake::step(std::string_view token, const SocketAddress& peer) {
  StructTransfer::Outcome moved = StructTransfer::Outcome::kPending;
  switch (state_) {
    case State::kConnecting: {
      pollfd writable{fd_.get(), POLLOUT, 0};
      if (::poll(&writable, 1, 0) <= 0) return Outcome::kPending;
      int error = 0;
      socklen_t length = sizeof error;
      getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &length);
      if (error == ECONNRESET) return Outcome::kClosed;
      if (error != 0)
        throw system_error(ErrorCode::kConnectionLost, "socket: cannot connect to " + peer.text(), error);
      state_ = State::kChallenge;
      [[fallthrough]];
    }
    case State::kChallenge:
      moved = transfer_.receive(fd_.get(), &challenge_, sizeof challenge_);
      if (moved != StructTransfer::Outcome::kDone) break;
      if (challenge_.magic != kWireMagic || challenge_.version != kWireVersion)
        throw Error(ErrorCode::kProtocol,
                    "socket: " + peer.text() + " is no listener of this collbench version");
      proof_.digest = digest_of(token, 'c', challenge_.nonce, proof_);
      state_ = State::kProof;
      [[fallthrough]];
    case State::kProof:
      moved = transfer_.send(fd_.get(), &proof_, sizeof proof_);
      if (moved != StructTransfer::Outcome::kDone) break;
      state_ = State::kAnswer;
      [[fallthrough]];
    case State::kAnswer:
      moved = transfer_.receive(fd_.get(), &answer_, sizeof answer_);
      if (moved != StructTransfer::Outcome::kDone) break;
      if (answer_.accepted == 0)
        throw Error(ErrorCode::kProtocol, "socket: " + peer.text() +
                                              " refused the connection: it belongs to a run "
                                              "with another token or another number of streams");
      if (!equal_in_constant_time(answer_.digest, digest_of(token, 's', challenge_.nonce, proof_)))
        throw Error(ErrorCode::kProtocol, "socket: " + peer.text() + " does not know this run's token");
      return Outcome::kConnected;
  }
  return moved == StructTransfer::Outcome::kClosed ? Outcome::kClosed : Outcome::kPending;
}

}  // namespace collbench::socket
