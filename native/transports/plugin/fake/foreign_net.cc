// A net plugin of nobody's make, over TCP on lo, with ways that real ones have and NCCL allows:
// - it exports a name and init, and fills in the rest of its table there;
// - accept blocks until the other side has called connect;
// - test never writes a size.
// FI_FIXTURE names one thing that it does wrong besides (README.md).
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
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

bool does(std::string_view word) {
  const char* told = std::getenv("FI_FIXTURE");
  return told != nullptr && word == told;
}

[[gnu::noinline]] void crash_of_the_fixture() {
  volatile std::uintptr_t nowhere = 8;  // the compiler must not know that this ends badly
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

[[gnu::noinline]] void hang_of_the_fixture() {
  for (;;) pause();
}

/// As PSM does below libfabric: the host would see an exit, and no signal.
void end_quietly(int) { _exit(1); }
[[gnu::constructor]] void take_signals() {
  if (does("init-crashes-caught")) signal(SIGSEGV, end_quietly);
}

struct Request {
  char* data = nullptr;
  std::uint64_t bytes = 0;  // to send, or room for what comes
  bool done = false;
  std::uint64_t length = 0;  // goes before the data
  std::size_t moved = 0;     // of both
};
constexpr std::size_t kHead = sizeof(std::uint64_t);

/// One direction of one pair. Messages move in their order; only the oldest is under way.
struct Comm {
  int fd = -1;
  bool sends = false;
  std::deque<Request*> open;
  int registered = 0;
  bool greets = false, is_greeted = false;  // offer-first
  std::uint64_t posted = 0, told = 0;       // requests; bytes that the receiver wrote back
  std::uint64_t finished = 0;               // requests that test said are done
};

/// One byte to the other end; nothing is lost on lo.
void say(const Comm& comm) {
  const char byte = 'x';
  if (send(comm.fd, &byte, 1, MSG_NOSIGNAL) < 0) return;  // the next move() sees that it is gone
}

/// As UCX does in its first isend and irecv: neither end takes a message before it has heard of the other's.
bool have_met(Comm& comm) {
  if (!comm.greets) say(comm);
  comm.greets = true;
  char byte = 0;
  if (!comm.is_greeted) comm.is_greeted = recv(comm.fd, &byte, 1, MSG_DONTWAIT) == 1;
  return comm.is_greeted;
}

/// How many messages the receiver has made room for (needs-receive), or has taken (done-when-taken).
std::uint64_t told_by_receiver(Comm& comm) {
  char bytes[64];
  const ssize_t n = recv(comm.fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n > 0) comm.told += static_cast<std::uint64_t>(n);
  return comm.told;
}

/// @returns false when the other side is gone
bool move(Comm& comm) {
  while (!comm.open.empty()) {
    Request& request = *comm.open.front();
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

struct Ticket {
  Request request;
  Comm* comm;
  std::uint64_t number = 0;  // of the comm, from 1
};

Result post(void* comm, void* data, std::size_t bytes, void** request) {
  auto* ticket = new Ticket{{}, static_cast<Comm*>(comm), ++static_cast<Comm*>(comm)->posted};
  ticket->request.data = static_cast<char*>(data);
  ticket->request.bytes = bytes;
  ticket->comm->open.push_back(&ticket->request);
  *request = ticket;
  return kSuccess;
}

Result devices(int* count) {
  *count = does("no-device") ? 0 : kDevices;
  return kSuccess;
}
std::size_t longest_message() {
  return does("small-messages") ? 4096 : does("no-messages") ? 0 : kMaxNetBytes;
}
/// Refuses a message above maxP2pBytes, as a plugin whose device cannot take it.
bool is_too_long(std::size_t bytes) {
  if (bytes <= longest_message()) return false;
  logger(kLogWarn, kLogNet, __FILE__, __LINE__, "%zu bytes are more than maxP2pBytes", bytes);
  return true;
}
Result properties(int, PropertiesV9* out) {
  *out = PropertiesV9{};
  out->name = does("no-name") ? nullptr : device_name;
  out->ptrSupport = does("gpu-only") ? kPtrCuda : kPtrHost;
  out->speed = 10000;
  out->maxComms = does("one-comm") ? 1 : 1024;
  out->maxRecvs = 1;
  out->netDeviceType = does("offload") ? 1 : kNetDeviceHost;
  out->vProps.count = 1;
  out->maxP2pBytes = longest_message();
  out->maxCollBytes = out->maxP2pBytes;
  return kSuccess;
}
Result listen_for(int, void* handle, void** comm) {
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
void without_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}
Result connect_to(int, void* handle, void** comm, DeviceHandle**) {
  sockaddr_in address{};
  std::memcpy(&address, handle, sizeof address);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return kRemoteError;
  without_delay(fd);
  *comm = new Comm{fd, true, {}};
  return kSuccess;
}
Result accept_one(void* listener, void** comm, DeviceHandle**) {
  const int fd = accept4(static_cast<Comm*>(listener)->fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return kSystemError;
  without_delay(fd);
  *comm = new Comm{fd, false, {}};
  return kSuccess;
}
Result reg(void* comm, void*, std::size_t bytes, int type, void** region) {
  if (type != kPtrHost) return kInvalidArgument;
  if (does("registers-little") && bytes > 1 << 20) return static_cast<Result>(99);
  ++static_cast<Comm*>(comm)->registered;
  *region = comm;
  return kSuccess;
}
Result dereg(void* comm, void*) {
  --static_cast<Comm*>(comm)->registered;
  return does("dereg-fails") ? kInternalError : kSuccess;
}
Result isend(void* comm, void* data, std::size_t bytes, int, void*, void** request) {
  if (does("floods") && logger != nullptr)
    for (int i = 0; i < 100; ++i) logger(kLogWarn, kLogNet, __FILE__, __LINE__, "flood %d", i);
  if (does("prints")) std::puts("{\"type\":\"stopped\"} is what this plugin prints");
  auto& out = *static_cast<Comm*>(comm);
  *request = nullptr;
  if (is_too_long(bytes)) return kInvalidArgument;
  if (does("offer-first") && !have_met(out)) return kSuccess;
  if (does("needs-receive") && told_by_receiver(out) <= out.posted) return kSuccess;
  static std::atomic<int> sent{0};
  const bool flips = does("flips-once") ? ++sent == 100 : does("flips");
  if (flips && bytes > 0) {  // the peer gets one wrong byte
    char* copy = static_cast<char*>(std::malloc(bytes));
    std::memcpy(copy, data, bytes);
    copy[bytes / 2] = static_cast<char>(copy[bytes / 2] ^ 4);
    return post(comm, copy, bytes, request);
  }
  return post(comm, data, bytes, request);
}
Result irecv(void* comm, int n, void** data, std::size_t* bytes, int*, void**, void** request) {
  if (n != 1 || is_too_long(bytes[0])) return kInvalidArgument;
  auto& in = *static_cast<Comm*>(comm);
  *request = nullptr;
  if (does("offer-first") && !have_met(in)) return kSuccess;
  if (does("needs-receive")) say(in);
  return post(comm, data[0], bytes[0], request);
}
Result iflush(void*, int, void**, int*, void**, void** request) {
  *request = nullptr;
  return kSuccess;
}
Result test(void* request, int* done, int* sizes) {
  auto* ticket = static_cast<Ticket*>(request);
  *done = 0;
  if (does("test-fails")) return kInternalError;
  if (does("tests-in-order") && ticket->number != ticket->comm->finished + 1) return kInternalError;
  if (!ticket->request.done && !move(*ticket->comm)) return kRemoteError;
  static Comm* lagging = nullptr;  // its message was said to be done before
  if (lagging != nullptr && !move(*lagging)) return kRemoteError;
  const bool is_late = !ticket->request.done && ticket->request.bytes > 65536;
  if (is_late && does(ticket->comm->sends ? "early-send" : "early-receive")) {
    lagging = ticket->comm;
    *done = 1;
    ++ticket->comm->finished;
    return kSuccess;
  }
  if (!ticket->request.done) return kSuccess;
  if (does("done-when-taken")) {
    if (!ticket->comm->sends)
      say(*ticket->comm);
    else if (told_by_receiver(*ticket->comm) < ticket->number)
      return kSuccess;
  }
  *done = 1;
  ++ticket->comm->finished;
  if (does("wrong-sizes") && sizes != nullptr) *sizes = static_cast<int>(ticket->request.length) + 1;
  if (!does("keeps-requests")) delete ticket;
  return kSuccess;
}
Result close_comm(void* comm) {
  auto* open = static_cast<Comm*>(comm);
  if (open->sends && does("close-crashes")) crash_of_the_fixture();
  if (open->sends && does("close-hangs")) hang_of_the_fixture();
  if (!open->sends || !does("keeps-descriptors")) close(open->fd);
  delete open;
  return does("close-fails") ? kSystemError : kSuccess;
}

Result init(Logger host_logger);

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern NetV9 ncclNetPlugin_v9;
NetV9 ncclNetPlugin_v9 = {"Foreign", init,    nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr,   nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr,   nullptr, nullptr, nullptr, nullptr, nullptr};
}

namespace {

Result init(Logger host_logger) {
  logger = host_logger;
  logger(kLogInfo, kLogInit, __FILE__, __LINE__, "foreign plugin starts");
  if (does("prints")) std::puts("{\"type\":\"hello\"} is what this plugin prints");
  if (does("init-fails")) {
    logger(kLogWarn, kLogInit, __FILE__, __LINE__, "the fabric 'none' is not there");
    std::fputs("foreign: a line of its own on stderr\n", stderr);
    return kSystemError;
  }
  if (does("init-crashes") || does("init-crashes-caught")) {
    logger(kLogWarn, kLogInit, __FILE__, __LINE__, "about to use a null pointer");
    crash_of_the_fixture();
  }
  if (does("init-hangs")) hang_of_the_fixture();
  if (does("init-exits")) _exit(7);
  // Kept open: a plugin for InfiniBand uses it until it ends.
  if (does("opens-verbs") && dlopen("libibverbs.so.1", RTLD_NOW) == nullptr) return kSystemError;
  ncclNetPlugin_v9 = {"Foreign",  init,
                      devices,    properties,
                      listen_for, connect_to,
                      accept_one, reg,
                      nullptr,    dereg,
                      isend,      irecv,
                      iflush,     does("no-test") ? nullptr : test,
                      close_comm, close_comm,
                      close_comm, nullptr,
                      nullptr,    nullptr};
  return kSuccess;
}

}  // namespace
