#include <fcntl.h>
#include <sys/socket.h>

#include "transports/socket/connect.h"
#include "transports/socket/hmac.h"
#include "transports/socket/tests/pair.h"

using namespace collbench;
using namespace collbench::socket_tests;
using collbench::FileDescriptor;

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string hex(const socket::Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest)
    for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
  return text;
}

/// A blocking TCP connection to a listener, made without the handshake.
FileDescriptor stranger(const ConnectHandle& handle) {
  const auto peer = socket::read_handle(handle, 0);
  FileDescriptor fd(::socket(peer.address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(fd.get(), peer.address.data(), peer.address.length) == 0);
  return fd;
}

void set_nonblocking(const FileDescriptor& fd) { fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

void check_works(Channel& channel) {
  const auto data = pattern(10'000, 9);
  std::vector<std::uint8_t> into(data.size());
  transfer(channel, data, into);
  CHECK(into == data);
}

}  // namespace

TEST_CASE("buffers have the named size; without one the kernel chooses") {
  const auto sizes = [](int buffer_bytes) {
    const FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socket::tune_socket(fd.get(), buffer_bytes);
    std::vector<int> found;
    for (const int buffer : {SO_SNDBUF, SO_RCVBUF}) {
      int bytes = 0;
      socklen_t length = sizeof bytes;
      REQUIRE(getsockopt(fd.get(), SOL_SOCKET, buffer, &bytes, &length) == 0);
      found.push_back(bytes);
    }
    return found;
  };
  constexpr int kBytes = 32'768;
  CHECK(sizes(kBytes) ==
        std::vector<int>{2 * kBytes, 2 * kBytes});  // The kernel doubles them for its own data.
  CHECK(sizes(0) != sizes(kBytes));
}

TEST_CASE("SHA-256 and HMAC give the published digests") {
  // FIPS 180-4 examples; RFC 4231 test cases 1, 2 and 6.
  CHECK(hex(socket::sha256(bytes_of("abc"))) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex(socket::sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(socket::hmac_sha256(std::string(20, '\x0b'), bytes_of("Hi There"))) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex(socket::hmac_sha256("Jefe", bytes_of("what do ya want for nothing?"))) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(socket::hmac_sha256(std::string(131, '\xaa'),
                                bytes_of("Test Using Larger Than Block-Size Key - Hash Key First"))) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("a connector with another token is refused in words, and the right peer still gets in") {
  const auto right = create_socket(options_with()), here = create_socket(options_with());
  TransportOptions other = options_with();
  other.token = "ffffffffffffffffffffffffffffffff";
  const auto wrong = create_socket(other);
  auto listener = here->listen(0);
  auto intruder = wrong->connect(0, listener->handle());
  bool let_in = false;
  const Error error =
      error_of([&] { let_in = let_in || listener->accept() != nullptr || intruder->poll() != nullptr; });
  CHECK_FALSE(let_in);
  CHECK(error.code() == ErrorCode::kProtocol);
  CHECK(contains(error.what(), "another token"));
  auto connecting = right->connect(0, listener->handle());
  Channel channel = finish(*listener, *connecting);
  check_works(channel);
}

TEST_CASE("a raw client that sends a made-up proof gets a refusal and a closed connection, nothing else") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  auto listener = b->listen(0);
  const FileDescriptor raw = stranger(listener->handle());
  socket::WireProof proof;
  proof.digest.fill(0x5a);
  REQUIRE(::send(raw.get(), &proof, sizeof proof, 0) == sizeof proof);
  set_nonblocking(raw);
  struct {
    socket::WireChallenge challenge;
    socket::WireAnswer answer;
    std::uint8_t excess;
  } got{};
  static_assert(sizeof got.challenge == 24 && sizeof got.answer == 36);
  std::size_t bytes = 0;
  for (;;) {
    CHECK(listener->accept() == nullptr);
    const ssize_t n = ::recv(raw.get(), reinterpret_cast<char*>(&got) + bytes, sizeof got - bytes, 0);
    if (n == 0) break;
    if (n > 0) bytes += static_cast<std::size_t>(n);
  }
  CHECK(bytes == 24 + 36);
  CHECK(got.answer.accepted == 0);
  CHECK(got.answer.digest == socket::Digest{});
  auto connecting = a->connect(0, listener->handle());
  Channel channel = finish(*listener, *connecting);
  check_works(channel);
}

TEST_CASE("silent clients, however many, neither block accept nor keep the right peer out") {
  for (const int streams : {1, 4}) {
    const auto a = create_socket(options_with(streams)), b = create_socket(options_with(streams));
    auto listener = b->listen(0);
    std::vector<FileDescriptor> silent;
    for (int i = 0; i < 200; ++i) {
      silent.push_back(stranger(listener->handle()));
      CHECK(listener->accept() == nullptr);
    }
    auto connecting = a->connect(0, listener->handle());
    for (int i = 0; i < 200; ++i) silent.push_back(stranger(listener->handle()));
    Channel channel = finish(*listener, *connecting);
    check_works(channel);
  }
}

TEST_CASE("once the peer is accepted nobody else can connect, and the listener says so") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  auto listener = b->listen(0);
  auto connecting = a->connect(0, listener->handle());
  Channel channel = finish(*listener, *connecting);
  CHECK_THROWS_AS(listener->accept(), Error);
  const Error error = error_of([&] { a->connect(0, listener->handle())->poll(); });
  CHECK(error.code() == ErrorCode::kConnectionLost);
  CHECK(contains(error.what(), "127.0.0.1:"));
  check_works(channel);
}

TEST_CASE("a listener that goes away before the handshake ends the attempt with an error") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  auto listener = b->listen(0);
  auto connecting = a->connect(0, listener->handle());
  listener.reset();
  CHECK(error_of([&] { connecting->poll(); }).code() == ErrorCode::kConnectionLost);
}

TEST_CASE(
    "tokens too short, stream counts out of range and foreign handles are refused before anything starts") {
  TransportOptions no_token = options_with();
  no_token.token = "";
  CHECK(contains(error_of([&] { create_socket(no_token); }).what(), "need the run's token"));
  for (const int streams : {-1, socket::kMaxStreams + 1})
    CHECK(contains(error_of([&] { create_socket(options_with(streams)); }).what(), std::to_string(streams)));
  const auto a = create_socket(options_with());
  CHECK(error_of([&] { a->connect(0, ConnectHandle{}); }).code() == ErrorCode::kProtocol);
  CHECK(error_of([&] { a->listen(1); }).code() == ErrorCode::kInvalidArgument);
}
