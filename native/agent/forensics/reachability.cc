#include "agent/forensics/reachability.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "core/clock.h"
#include "core/error.h"
#include "transports/socket/interfaces.h"

namespace collbench::agent {
namespace {

constexpr std::size_t kMaxVisitors = 256;

int tcp_socket(int family) { return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

std::optional<int> option(int fd, int level, int name) {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(fd, level, name, &value, &length) == 0 ? std::optional(value) : std::nullopt;
}

std::int64_t wall_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Converts a target's address and port to a socket address. @returns false if the text is not an address
bool parse_address(const ProbeTarget& target, socket::SocketAddress& address) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, target.address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    address.length = sizeof *v4;
  } else if (inet_pton(AF_INET6, target.address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    address.length = sizeof *v6;
  } else {
    return false;
  }
  address.set_port(static_cast<std::uint16_t>(target.port));
  return true;
}

enum class Transferred { kSome, kNotNow, kEnd };

/// Receives the available bytes into `buffer`, from position `done` on, and adds their number to `done`.
/// @returns kSome if the buffer is full, kNotNow if more must arrive, kEnd if the connection has ended or
/// failed (errno has the reason)
Transferred receive(int fd, std::string& buffer, std::size_t& done) {
  while (done < buffer.size()) {
    const ssize_t n = recv(fd, buffer.data() + done, buffer.size() - done, 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? Transferred::kNotNow : Transferred::kEnd;
    if (n == 0) {
      errno = ECONNRESET;
      return Transferred::kEnd;
    }
    done += static_cast<std::size_t>(n);
  }
  return Transferred::kSome;
}
Transferred send_all(int fd, const std::string& buffer, std::size_t& done) {
  while (done < buffer.size()) {
    const ssize_t n = send(fd, buffer.data() + done, buffer.size() - done, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? Transferred::kNotNow : Transferred::kEnd;
    done += static_cast<std::size_t>(n);
  }
  return Transferred::kSome;
}

}  // namespace

struct ReachabilityProber::ListenerConnection {
  FileDescriptor fd;
  std::string in, out;
  std::size_t got = 0, sent = 0;
  /// Continues the exchange of test data without waiting.
  /// @param word secret word that the connecting agent must send
  /// @returns false when the exchange is over or the word is wrong
  bool step(const std::string& word) {
    if (got < in.size()) {
      const Transferred moved = receive(fd.get(), in, got);
      if (moved == Transferred::kEnd) return false;
      const std::size_t known = std::min(got, word.size());
      if (in.compare(0, known, word, 0, known) != 0) return false;
      if (moved == Transferred::kNotNow) return true;
    }
    if (send_all(fd.get(), out, sent) == Transferred::kEnd) return false;
    char byte = 0;
    // Waits until the other side closes.
    const ssize_t n = sent == out.size() ? recv(fd.get(), &byte, 1, 0) : 1;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }
};

struct ReachabilityProber::OpenListener {
  FileDescriptor fd;
  std::string word;
  std::vector<ListenerConnection> connections;
  void step() {
    for (int guest = 0; (guest = accept4(fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
      if (connections.size() >= kMaxVisitors) connections.erase(connections.begin());
      connections.push_back({FileDescriptor(guest), std::string(word.size() + kProbeBytes, '\0'),
                             std::string(kProbeBytes, 'k')});
    }
    std::erase_if(connections, [this](ListenerConnection& visitor) { return !visitor.step(word); });
  }
};

struct ReachabilityProber::TargetConnection {
  FileDescriptor fd;
  ReachabilityProbeResult result;
  std::string out, in;
  std::size_t sent = 0, got = 0;
  bool connected = false, over = false;
  std::int64_t started_ns = 0;

  void end(const char* outcome, int error = 0) {
    result.outcome = outcome;
    if (error != 0) result.detail = std::strerror(error);
    result.elapsed_ns = now_ns() - started_ns;
    over = true;
    fd.reset();
  }
  void end_with(int error) {
    if (error == ECONNREFUSED) return end("refused", error);
    if (error == ETIMEDOUT) return end(connected ? "stalled" : "unanswered", error);
    if (error == ENETUNREACH || error == EHOSTUNREACH) return end("unreachable", error);
    end("failed", error);
  }
  void begin(const socket::SocketAddress& from, const ProbeTarget& target, const std::string& word) {
    started_ns = now_ns();
    socket::SocketAddress to;
    if (!parse_address(target, to)) return end("failed", EINVAL);
    out = word + std::string(kProbeBytes, 'k');
    in.assign(kProbeBytes, '\0');
    fd = FileDescriptor(tcp_socket(to.family()));
    if (fd.get() < 0) return end("failed", errno);
    // Ranks also connect from the address of their interface.
    if (from.family() == to.family() && bind(fd.get(), from.data(), from.length) != 0)
      return end("failed", errno);
    if (::connect(fd.get(), to.data(), to.length) != 0 && errno != EINPROGRESS) end_with(errno);
  }
  void step(std::int64_t deadline_ns) {
    if (over) return;
    if (!connected) {
      pollfd ready{fd.get(), POLLOUT, 0};
      if (poll(&ready, 1, 0) > 0) {
        if (const int error = option(fd.get(), SOL_SOCKET, SO_ERROR).value_or(EBADF); error != 0)
          return end_with(error);
        connected = true;
        result.connect_ns = now_ns() - started_ns;
        const bool is_v6 = socket::SocketAddress::peer_of(fd.get()).family() == AF_INET6;
        result.path_mtu =
            is_v6 ? option(fd.get(), IPPROTO_IPV6, IPV6_MTU) : option(fd.get(), IPPROTO_IP, IP_MTU);
        result.segment_bytes = option(fd.get(), IPPROTO_TCP, TCP_MAXSEG);
      }
    }
    if (connected) exchange();
    if (!over && now_ns() >= deadline_ns) end(connected ? "stalled" : "unanswered");
  }
  void exchange() {
    const Transferred there = send_all(fd.get(), out, sent);
    const Transferred back = there == Transferred::kSome ? receive(fd.get(), in, got) : there;
    if (back == Transferred::kNotNow) return;
    if (back == Transferred::kSome) return end("through");
    end_with(errno);
  }
};

struct ReachabilityProber::ProbeState {
  std::int64_t id = 0, deadline_ns = 0;
  std::vector<TargetConnection> connections;
};

ReachabilityProber::ReachabilityProber() = default;
ReachabilityProber::~ReachabilityProber() = default;

ProbeListener ReachabilityProber::open_listener(const ListenerRequest& request) {
  ProbeListener listener;
  listener.id = request.id;
  try {
    const socket::PlannedInterface planned = socket::choose_interface(request.interface, true);
    listener.interface = planned.interface.name;
    listener.address = planned.address.host_text();
    OpenListener opened{FileDescriptor(tcp_socket(planned.address.family())), request.word, {}};
    if (opened.fd.get() < 0 || bind(opened.fd.get(), planned.address.data(), planned.address.length) != 0 ||
        listen(opened.fd.get(), SOMAXCONN) != 0)
      throw system_error(ErrorCode::kUnavailable, "listening on " + listener.address, errno);
    listener.port = socket::SocketAddress::local_of(opened.fd.get()).port();
    listeners_.push_back(std::move(opened));
  } catch (const Error& error) {
    listener.problem = error.what();
  }
  listener.realtime_ns = static_cast<double>(wall_clock_ns());
  return listener;
}

void ReachabilityProber::start_probe(const ReachabilityProbeRequest& request) {
  ProbeState probe{request.id, now_ns() + request.timeout_ns, {}};
  socket::SocketAddress from;
  try {
    from = socket::choose_interface(request.interface, true).address;
  } catch (const Error& error) {
    for (std::size_t i = 0; i < request.targets.size(); ++i) {
      probe.connections.emplace_back();
      probe.connections.back().end("failed");
      probe.connections.back().result.detail = error.what();
    }
  }
  if (probe.connections.empty())
    for (const auto& target : request.targets) {
      probe.connections.emplace_back();
      probe.connections.back().begin(from, target, request.word);
    }
  probes_.push_back(std::move(probe));
}

void ReachabilityProber::add_to_poll(std::vector<pollfd>& set) const {
  for (const OpenListener& listener : listeners_) {
    set.push_back({listener.fd.get(), POLLIN, 0});
    for (const ListenerConnection& v : listener.connections) {
      const bool writes = v.got == v.in.size() && v.sent < v.out.size();
      set.push_back({v.fd.get(), static_cast<short>(writes ? POLLOUT : POLLIN), 0});
    }
  }
  for (const ProbeState& probe : probes_)
    for (const TargetConnection& a : probe.connections)
      if (!a.over)
        set.push_back({a.fd.get(), static_cast<short>(a.sent < a.out.size() ? POLLOUT : POLLIN), 0});
}

std::int64_t ReachabilityProber::due_ns() const {
  std::int64_t due = INT64_MAX;
  for (const ProbeState& probe : probes_) {
    const bool is_over = std::all_of(probe.connections.begin(), probe.connections.end(),
                                     [](const TargetConnection& a) { return a.over; });
    due = std::min(due, is_over ? 0 : probe.deadline_ns);
  }
  return due;
}

std::vector<ConnectionsEvent> ReachabilityProber::step() {
  for (OpenListener& listener : listeners_) listener.step();
  std::vector<ConnectionsEvent> ended;
  for (ProbeState& probe : probes_) {
    ConnectionsEvent finished{probe.id, {}};
    for (TargetConnection& connection : probe.connections) {
      connection.step(probe.deadline_ns);
      if (connection.over) finished.results.push_back(connection.result);
    }
    if (finished.results.size() == probe.connections.size()) ended.push_back(std::move(finished));
  }
  std::erase_if(probes_, [](const ProbeState& probe) {
    return std::all_of(probe.connections.begin(), probe.connections.end(),
                       [](const TargetConnection& a) { return a.over; });
  });
  return ended;
}

}  // namespace collbench::agent
