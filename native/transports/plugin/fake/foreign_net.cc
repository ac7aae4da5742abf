// A net plugin for tests, over TCP on lo. It behaves in ways that NCCL allows and real plugins show:
// - it exports a name and init, and fills in its other functions during init;
// - accept blocks until the peer has called connect;
// - test never writes a size.
// FI_FIXTURE names one additional fault (README.md). FOREIGN_SEND_DELAY_US, set by the compiler, makes every
// isend slower.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>

#include "net_plugin/nccl_net.h"

using namespace collbench::nccl;

namespace {

Logger logger;
char device_name[] = "foreign0";
constexpr int kDevices = 1;

bool has_fault(std::string_view word) {
  const char* fault = std::getenv("FI_FIXTURE");
  return fault != nullptr && word == fault;
}

[[gnu::noinline]] void crash_of_the_fixture() {
  volatile std::uintptr_t nowhere = 8;  // volatile, so that the compiler cannot know that this crashes
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

[[gnu::noinline]] void hang_of_the_fixture() {
  for (;;) pause();
}

/// Signal handler that exits, like the one that the library PSM installs below libfabric. The process that
/// loaded the plugin then sees an exit instead of a signal.
void exit_without_signal(int) { _exit(1); }
[[gnu::constructor]] void take_signals() {
  if (has_fault("init-crashes-caught")) signal(SIGSEGV, exit_without_signal);
}

struct NetRequest {
  char* data = nullptr;
  std::uint64_t bytes = 0;  // bytes to send, or capacity of the receive buffer
  bool done = false;
  std::uint64_t length = 0;  // message length, sent before the data
  std::size_t moved = 0;     // bytes of length and data together
};
constexpr std::size_t kHead = sizeof(std::uint64_t);

/// One end of a connection. Messages move in order; only the oldest unfinished one is in transfer.
struct Comm {
  int fd = -1;
  bool sends = false;
  std::deque<NetRequest*> open;
  int registered = 0;
  bool greets = false, is_greeted = false;  // for the fault offer-first
  std::uint64_t posted = 0, fault = 0;      // requests posted; bytes that the receiver wrote back
  std::uint64_t finished = 0;               // requests that test() reported done
};

/// Sends one byte to the peer. Repetition is not needed, because the loopback interface loses nothing.
void send_byte(const Comm& comm) {
  const char byte = 'x';
  if (send(comm.fd, &byte, 1, MSG_NOSIGNAL) < 0) return;  // the next move() notices a closed connection
}

/// Imitates UCX's first isend and irecv: neither end accepts a message before a byte from its peer has
/// arrived. True once it has.
bool has_exchanged_greeting(Comm& comm) {
  if (!comm.greets) send_byte(comm);
  comm.greets = true;
  char byte = 0;
  if (!comm.is_greeted) comm.is_greeted = recv(comm.fd, &byte, 1, MSG_DONTWAIT) == 1;
  return comm.is_greeted;
}

/// Returns for how many messages the receiver has sent a byte back: with the fault needs-receive, those with
/// a posted buffer; with done-when-taken, those that it has completed.
std::uint64_t receiver_progress(Comm& comm) {
  char bytes[64];
  const ssize_t n = recv(comm.fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n > 0) comm.fault += static_cast<std::uint64_t>(n);
  return comm.fault;
}

/// Moves data of the unfinished messages as far as possible without waiting.
/// @returns false if the peer has disconnected or sends a message longer than the receive
bool move(Comm& comm) {
  while (!comm.open.empty()) {
    NetRequest& request = *comm.open.front();
    if (comm.sends) request.length = request.bytes;
    while (request.moved < kHead + request.length) {
      const bool is_head = request.moved < kHead;
      char* at = is_head ? reinterpret_cast<char*>(&request.length) + request.moved
                         : request.data + (request.moved - kHead);
      const std::size_t left = (is_head ? kHead : kHead + request.length) - request.moved;
      const ssize_t n = comm.sends ? send(comm.fd, at, left, MSG_DONTWAIT | MSG_NOSIGNAL)
                                   : recv(comm.fd, at, left, MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return true;
      if (n <= 0) return false;
      request.moved += static_cast<std::size_t>(n);
      if (request.moved == kHead && request.length > request.bytes) return false;
    }
    request.done = true;
    comm.open.pop_front();
  }
  return true;
}

struct FakeRequest {
  NetRequest request;
  Comm* comm;
  std::uint64_t number = 0;  // number within the comm, from 1
};

NcclResult post(void* comm, void* data, std::size_t bytes, void** request) {
  auto* ticket = new FakeRequest{{}, static_cast<Comm*>(comm), ++static_cast<Comm*>(comm)->posted};
  ticket->request.data = static_cast<char*>(data);
  ticket->request.bytes = bytes;
  ticket->comm->open.push_back(&ticket->request);
  *request = ticket;
  return kSuccess;
}

NcclResult devices(int* count) {
  *count = has_fault("no-device") ? 0 : kDevices;
  return kSuccess;
}
std::size_t longest_message() {
  return has_fault("small-messages") ? 4096 : has_fault("no-messages") ? 0 : kMaxNetBytes;
}
/// True if the message is longer than the announced maximum (maxP2pBytes); logs a warning, like a plugin
/// whose device cannot transfer it.
bool is_too_long(std::size_t bytes) {
  if (bytes <= longest_message()) return false;
  logger(kLogWarn, kLogNet, __FILE__, __LINE__, "%zu bytes are more than maxP2pBytes", bytes);
  return true;
}
NcclResult properties(int, PropertiesV9* out) {
  *out = PropertiesV9{};
  out->name = has_fault("no-name") ? nullptr : device_name;
  out->ptrSupport = has_fault("gpu-only") ? kPtrCuda : kPtrHost;
  out->speed = 10000;
  out->maxComms = has_fault("one-comm") ? 1 : 1024;
  out->maxRecvs = 1;
  out->netDeviceType = has_fault("offload") ? 1 : kNetDeviceHost;
  out->vProps.count = 1;
  out->maxP2pBytes = longest_message();
  out->maxCollBytes = out->maxP2pBytes;
  return kSuccess;
}
NcclResult listen_on_lo(int, void* handle, void** comm) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || listen(fd, 64) != 0 || getsockname(fd, generic, &size) != 0)
    return kSystemError;
  std::memcpy(handle, &address, sizeof address);
  *comm = new Comm{fd, false, {}};
  return kSuccess;
}
void disable_nagle(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}
NcclResult connect_to(int, void* handle, void** comm, DeviceHandle**) {
  sockaddr_in address{};
  std::memcpy(&address, handle, sizeof address);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return kRemoteError;
  disable_nagle(fd);
  *comm = new Comm{fd, true, {}};
  return kSuccess;
}
NcclResult accept_connection(void* listener, void** comm, DeviceHandle**) {
  const int fd = accept4(static_cast<Comm*>(listener)->fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return kSystemError;
  disable_nagle(fd);
  *comm = new Comm{fd, false, {}};
  return kSuccess;
}
NcclResult reg(void* comm, void*, std::size_t bytes, int type, void** region) {
  if (type != kPtrHost) return kInvalidArgument;
  if (has_fault("registers-little") && bytes > 1 << 20) return static_cast<NcclResult>(99);
  ++static_cast<Comm*>(comm)->registered;
  *region = comm;
  return kSuccess;
}
NcclResult dereg(void* comm, void*) {
  --static_cast<Comm*>(comm)->registered;
  return has_fault("dereg-fails") ? kInternalError : kSuccess;
}
#ifndef FOREIGN_SEND_DELAY_US
#define FOREIGN_SEND_DELAY_US 0
#endif
/// Waits for FOREIGN_SEND_DELAY_US microseconds, to imitate a build of the plugin that became slower.
void delay_send() {
  constexpr std::chrono::microseconds kDelay{FOREIGN_SEND_DELAY_US};
  if constexpr (kDelay.count() > 0) {
    const auto end = std::chrono::steady_clock::now() + kDelay;
    while (std::chrono::steady_clock::now() < end) {
    }
  }
}

NcclResult isend(void* comm, void* data, std::size_t bytes, int, void*, void** request) {
  delay_send();
  if (has_fault("floods") && logger != nullptr)
    for (int i = 0; i < 100; ++i) logger(kLogWarn, kLogNet, __FILE__, __LINE__, "flood %d", i);
  if (has_fault("prints")) std::puts("{\"type\":\"stopped\"} is what this plugin prints");
  auto& out = *static_cast<Comm*>(comm);
  *request = nullptr;
  if (is_too_long(bytes)) return kInvalidArgument;
  if (has_fault("offer-first") && !has_exchanged_greeting(out)) return kSuccess;
  if (has_fault("needs-receive") && receiver_progress(out) <= out.posted) return kSuccess;
  static std::atomic<int> sent{0};
  const bool flips = has_fault("flips-once") ? ++sent == 100 : has_fault("flips");
  if (flips && bytes > 0) {  // the peer receives one wrong byte
    char* copy = static_cast<char*>(std::malloc(bytes));
    std::memcpy(copy, data, bytes);
    copy[bytes / 2] = static_cast<char>(copy[bytes / 2] ^ 4);
    return post(comm, copy, bytes, request);
  }
  return post(comm, data, bytes, request);
}
NcclResult irecv(void* comm, int n, void** data, std::size_t* bytes, int*, void**, void** request) {
  if (n != 1 || is_too_long(bytes[0])) return kInvalidArgument;
  auto& in = *static_cast<Comm*>(comm);
  *request = nullptr;
  if (has_fault("offer-first") && !has_exchanged_greeting(in)) return kSuccess;
  if (has_fault("needs-receive")) send_byte(in);
  return post(comm, data[0], bytes[0], request);
}
NcclResult iflush(void*, int, void**, int*, void**, void** request) {
  *request = nullptr;
  return kSuccess;
}
NcclResult test(void* request, int* done, int* sizes) {
  auto* ticket = static_cast<FakeRequest*>(request);
  *done = 0;
  if (has_fault("test-fails")) return kInternalError;
  if (has_fault("tests-in-order") && ticket->number != ticket->comm->finished + 1) return kInternalError;
  if (!ticket->request.done && !move(*ticket->comm)) return kRemoteError;
  static Comm* lagging = nullptr;  // comm whose message was reported done too early
  if (lagging != nullptr && !move(*lagging)) return kRemoteError;
  const bool is_late = !ticket->request.done && ticket->request.bytes > 65536;
  if (is_late && has_fault(ticket->comm->sends ? "early-send" : "early-receive")) {
    lagging = ticket->comm;
    *done = 1;
    ++ticket->comm->finished;
    return kSuccess;
  }
  if (!ticket->request.done) return kSuccess;
  if (has_fault("done-when-taken")) {
    if (!ticket->comm->sends)
      send_byte(*ticket->comm);
    else if (receiver_progress(*ticket->comm) < ticket->number)
      return kSuccess;
  }
  *done = 1;
  ++ticket->comm->finished;
  if (has_fault("wrong-sizes") && sizes != nullptr) *sizes = static_cast<int>(ticket->request.length) + 1;
  if (!has_fault("keeps-requests")) {
    delete ticket;
  } else {  // enough memory that a few messages on a busy machine show it
    static std::atomic<void*> kept;
    constexpr std::size_t kKept = 1024;
    kept = std::memset(std::malloc(kKept), 1, kKept);
  }
  return kSuccess;
}
NcclResult close_comm(void* comm) {
  auto* open = static_cast<Comm*>(comm);
  if (open->sends && has_fault("close-crashes")) crash_of_the_fixture();
  if (open->sends && has_fault("close-hangs")) hang_of_the_fixture();
  if (!open->sends || !has_fault("keeps-descriptors")) close(open->fd);
  delete open;
  return has_fault("close-fails") ? kSystemError : kSuccess;
}

NcclResult init(Logger host_logger);

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern NetV9 ncclNetPlugin_v9;
NetV9 ncclNetPlugin_v9 = {"Foreign", init,    nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr,   nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr,   nullptr, nullptr, nullptr, nullptr, nullptr};
}

namespace {

NcclResult init(Logger host_logger) {
  logger = host_logger;
  logger(kLogInfo, kLogInit, __FILE__, __LINE__, "foreign plugin starts");
  if (has_fault("prints")) std::puts("{\"type\":\"hello\"} is what this plugin prints");
  if (has_fault("init-fails")) {
    logger(kLogWarn, kLogInit, __FILE__, __LINE__, "the fabric 'none' is not there");
    std::fputs("foreign: a line of its own on stderr\n", stderr);
    return kSystemError;
  }
  if (has_fault("init-crashes") || has_fault("init-crashes-caught")) {
    logger(kLogWarn, kLogInit, __FILE__, __LINE__, "about to use a null pointer");
    crash_of_the_fixture();
  }
  if (has_fault("init-hangs")) hang_of_the_fixture();
  if (has_fault("init-exits")) _exit(7);
  // Left open, like a plugin for InfiniBand that uses the library until its end.
  if (has_fault("opens-verbs") && dlopen("libibverbs.so.1", RTLD_NOW) == nullptr) return kSystemError;
  ncclNetPlugin_v9 = {"Foreign",
                      init,
                      devices,
                      properties,
                      listen_on_lo,
                      connect_to,
                      accept_connection,
                      reg,
                      nullptr,
                      dereg,
                      isend,
                      irecv,
                      iflush,
                      has_fault("no-test") ? nullptr : test,
                      close_comm,
                      close_comm,
                      close_comm,
                      nullptr,
                      nullptr,
                      nullptr};
  return kSuccess;
}

}  // namespace
