#include "agent/link_hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/spin.h"
#include "core/text.h"
#include "metrics/inventory.h"
#include "transports/socket/handshake.h"
#include "transports/socket/interfaces.h"
#include "transports/socket/listen.h"

namespace collbench::agent {
namespace {

using socket::ClientHandshake;
using socket::ServerHandshake;
using socket::SocketAddress;

/// Time in ns within which the leaders of all machines must connect to the root (rank 0). They run
/// already at that point, so a longer silence means that a firewall drops packets.
constexpr std::int64_t kMeetingNs = 15'000'000'000;
constexpr int kSleepMs = 10;  // Longest sleep before the abort flag is read again.
constexpr std::size_t kMaxStrangers = 64;
/// Seconds without any sign of life after which a machine counts as lost.
constexpr int kSilenceS = 10;

/// Facts about a machine that its leader sends to all ranks, as lines of text. Ranks that are not leaders
/// send nothing.
struct Leader {
  int rank = 0;
  std::string host;
  // Id of the machine; equal if leaders run on one machine after all, in containers or network namespaces.
  std::string machine;
  int ranks = 0;        // Number of ranks that share this leader's state.
  std::string address;  // Address on which the root listens; empty and port 0 for others.
  int port = 0;

  [[nodiscard]] std::string name() const { return "rank " + std::to_string(rank) + " on " + host; }
  [[nodiscard]] std::string text() const {
    return host + "\n" + machine + "\n" + std::to_string(ranks) + "\n" + address + "\n" +
           std::to_string(port);
  }
};

Leader myself(int rank, const SharedState& shared_state) {
  Leader me;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  me.rank = rank;
  me.host = name;
  me.machine = metrics::read_boot_id();
  me.ranks = shared_state.ranks;
  return me;
}

std::vector<Leader> leaders_of(const std::vector<std::string>& blobs) {
  std::vector<Leader> leaders;
  for (std::size_t r = 0; r < blobs.size(); ++r) {
    if (blobs[r].empty()) continue;
    Leader& leader = leaders.emplace_back();
    leader.rank = static_cast<int>(r);
    std::istringstream lines(blobs[r]);
    std::string ranks, port;
    for (std::string* field : {&leader.host, &leader.machine, &ranks, &leader.address, &port})
      if (!std::getline(lines, *field))
        throw Error(ErrorCode::kProtocol, "rank " + std::to_string(r) + " did not say where it is");
    leader.ranks = std::atoi(ranks.c_str());
    leader.port = std::atoi(port.c_str());
  }
  if (leaders.empty() || leaders.front().rank != 0 || leaders.front().address.empty())
    throw Error(ErrorCode::kProtocol, "rank 0 leads no machine: it must be the first of its machine's ranks");
  return leaders;
}

/// Returns the number of ranks on this machine, including those of containers that count as other hosts of
/// the launch; 0 = unknown.
/// @param machine identifier of this machine
int ranks_on(const std::vector<Leader>& leaders, const std::string& machine) {
  int ranks = 0;
  for (const Leader& leader : leaders)
    if (!machine.empty() && leader.machine == machine) ranks += leader.ranks;
  return ranks;
}

/// Makes the kernel report an error on a TCP connection if the peer machine does not answer for kSilenceS
/// seconds, for example after a power failure.
void watch_for_silence(int fd) {
  const int on = 1, idle_s = kSilenceS / 2, interval_s = 1, probes = kSilenceS - idle_s;
  const unsigned unanswered_ms = 1000 * kSilenceS;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
}

LeaderConnection made(FileDescriptor fd, const Leader& other, const SocketAddress& peer) {
  watch_for_silence(fd.get());
  return {fd.release(), other.name() + " (" + peer.host_text() + ")"};
}

void closes(std::vector<LeaderConnection>& ends) {
  for (const LeaderConnection& end : ends)
    if (end.fd >= 0) close(end.fd);
}

class LeaderRendezvous {
 public:
  LeaderRendezvous(SharedState& shared_state, const TransportOptions& options)
      : shared_state_(shared_state), token_(options.token) {}

  /// Sleeps until one of these descriptors is ready, at most kSleepMs; the caller tries again then.
  /// @returns false if the deadline has expired
  /// @throws Error(kCancelled) if the abort flag is set
  bool wait(std::vector<pollfd> set) const {
    if (shared_state_.abort.load(std::memory_order_relaxed) != 0)
      throw Error(ErrorCode::kCancelled, "stopped while linking the machines: the run is being ended");
    poll(set.data(), set.size(), kSleepMs);
    return now_ns() < until_ns_;
  }
  [[nodiscard]] const std::string& token() const noexcept { return token_; }

 private:
  SharedState& shared_state_;
  const std::string& token_;
  const std::int64_t until_ns_ = now_ns() + kMeetingNs;
};

FileDescriptor listen_on(const SocketAddress& address) {
  FileDescriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd || bind(fd.get(), address.data(), address.length) != 0 || listen(fd.get(), SOMAXCONN) != 0)
    throw system_error(ErrorCode::kUnavailable, "cannot listen for other machines on " + address.host_text(),
                       errno);
  return fd;
}

/// Accepts one connection from each leader (on the root). Each leader sends its index and must prove that it
/// knows the launch's token. The result has one entry per leader, in their order; the root's own is empty.
/// @throws Error(kTimeout) naming the leaders that did not connect
std::vector<LeaderConnection> accept_all(const FileDescriptor& listener, const std::vector<Leader>& leaders,
                                         const LeaderRendezvous& meeting) {
  const int hosts = static_cast<int>(leaders.size());
  std::vector<LeaderConnection> ends(leaders.size());
  std::list<ServerHandshake> pending;
  std::size_t missing = leaders.size() - 1;
  try {
    while (missing > 0) {
      while (FileDescriptor fd{accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)}) {
        socket::tune_socket(fd.get());
        if (pending.size() >= kMaxStrangers + leaders.size()) pending.pop_front();
        pending.emplace_back(std::move(fd));
      }
      for (auto it = pending.begin(); it != pending.end();) {
        const auto outcome = it->step(meeting.token(), hosts);
        if (outcome == ServerHandshake::Outcome::kPending) {
          ++it;
          continue;
        }
        const std::size_t place = it->proof().stream;
        if (outcome == ServerHandshake::Outcome::kAccepted && place > 0 && ends[place].fd < 0) {
          FileDescriptor fd = it->take();
          const SocketAddress peer = SocketAddress::peer_of(fd.get());
          ends[place] = made(std::move(fd), leaders[place], peer);
          --missing;
        } else {
          log(LogLevel::kInfo, "link: dropped a connection that did not prove to belong to this launch");
        }
        it = pending.erase(it);
      }
      if (missing == 0) break;
      std::vector<pollfd> set = {{listener.get(), POLLIN, 0}};
      for (const ServerHandshake& one : pending) set.push_back(one.poll_entry());
      if (meeting.wait(std::move(set))) continue;
      std::vector<std::string> who;
      for (std::size_t place = 1; place < ends.size(); ++place)
        if (ends[place].fd < 0) who.push_back(leaders[place].name());
      throw Error(ErrorCode::kTimeout, "these did not connect to " + leaders[0].name() + " at " +
                                           SocketAddress::local_of(listener.get()).text() + ": " + join(who));
    }
  } catch (...) {
    closes(ends);
    throw;
  }
  return ends;
}

SocketAddress address_of(const Leader& root, unsigned interface_index) {
  SocketAddress address;
  auto& ipv4 = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& ipv6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET, root.address.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    address.length = sizeof ipv4;
  } else if (inet_pton(AF_INET6, root.address.c_str(), &ipv6.sin6_addr) == 1) {
    ipv6.sin6_family = AF_INET6;
    if (IN6_IS_ADDR_LINKLOCAL(&ipv6.sin6_addr)) ipv6.sin6_scope_id = interface_index;
    address.length = sizeof ipv6;
  } else {
    throw Error(ErrorCode::kProtocol, root.name() + " gave no address: '" + root.address + "'");
  }
  address.set_port(static_cast<std::uint16_t>(root.port));
  return address;
}

/// Connects this leader (the rank that communicates for its machine) to the root.
/// @param address address of the root @param place index of this leader @param hosts number of leaders
/// @param meeting has the launch's token and the deadline; checks the abort flag
LeaderConnection connect_to(const Leader& root, const SocketAddress& address, int place, int hosts,
                            const LeaderRendezvous& meeting) {
  const std::string there = root.name() + " at " + address.text();
  const socket::Nonce connection = socket::random_nonce();
  const auto lost = [&](int error) {
    return system_error(ErrorCode::kConnectionLost,
                        "cannot reach " + there + " (does --interface name one that all machines share?)",
                        error);
  };
  // A root flooded by unknown connections may drop this one too, so the attempt is repeated.
  for (;;) {
    FileDescriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) throw system_error(ErrorCode::kUnavailable, "no TCP socket", errno);
    socket::tune_socket(fd.get());
    if (connect(fd.get(), address.data(), address.length) != 0 && errno != EINPROGRESS) throw lost(errno);
    ClientHandshake handshake(std::move(fd), connection, place, hosts);
    for (;;) {
      const auto outcome = handshake.step(meeting.token(), address);
      if (outcome == ClientHandshake::Outcome::kConnected) return made(handshake.take(), root, address);
      if (outcome == ClientHandshake::Outcome::kClosed) break;
      if (!meeting.wait({handshake.poll_entry()}))
        throw Error(ErrorCode::kTimeout,
                    there +
                        " does not answer: is there a packet filter between the machines, or does "
                        "--interface name one that they do not share?");
    }
    if (!meeting.wait({})) throw lost(ECONNRESET);
  }
}

}  // namespace

LinkedHosts link_hosts(Bootstrap& bootstrap, SharedState& shared_state, int local_index,
                       const TransportOptions& options) {
  const bool leads = local_index == 0, is_root = leads && bootstrap.rank() == 0;
  FileDescriptor listener;
  std::optional<socket::PlannedInterface> planned;
  Leader me = myself(bootstrap.rank(), shared_state);
  if (leads) {
    socket::require_token(options.token);
    planned = socket::choose_interface(options.interface_name, true);
  }
  if (is_root) {
    listener = listen_on(planned->address);
    me.address = planned->address.host_text();
    me.port = SocketAddress::local_of(listener.get()).port();
  }
  const std::vector<Leader> leaders = leaders_of(bootstrap.all_gather("leaders", leads ? me.text() : ""));
  const int sharing = std::max(shared_state.ranks, ranks_on(leaders, me.machine));
  LinkedHosts linked;
  linked.shares_cores = sharing > shared_state.ranks;
  // If other launches share the cores, the shared state's spins are 0 already.
  linked.spins = std::min(shared_state.spins.load(), spins_for(sharing));
  if (!leads) return linked;
  shared_state.spins = linked.spins;
  const LeaderRendezvous meeting(shared_state, options);
  std::vector<LeaderConnection> ends;
  if (is_root) {
    ends = accept_all(listener, leaders, meeting);
    ends.erase(ends.begin());
  } else {
    int place = 0;
    while (leaders[static_cast<std::size_t>(place)].rank != bootstrap.rank()) ++place;
    const SocketAddress address = address_of(leaders.front(), planned->interface.index);
    ends.push_back(connect_to(leaders.front(), address, place, static_cast<int>(leaders.size()), meeting));
  }
  linked.link = std::make_unique<HostLink>(std::move(ends), is_root, shared_state.abort,
                                           shared_state.spins != 0, &now_ns);
  return linked;
}

}  // namespace collbench::agent
