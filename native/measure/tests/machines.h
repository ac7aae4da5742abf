#pragma once
// Several simulated machines on one: each has its shared state, leaders are connected by real TCP, and clocks
// are skewed on purpose.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "measure/rank_group.h"

namespace collbench::tests {

/// Returns two connected sockets over lo.
inline std::pair<int, int> tcp_pair() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, length) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, any, &length) != 0)
    throw std::runtime_error("no listener on lo");
  const int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(one, any, length) != 0) throw std::runtime_error("no connection over lo");
  const int other = accept(listener, nullptr, nullptr);
  close(listener);
  const int on = 1;
  for (const int fd : {one, other}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {one, other};
}

struct Machine {
  Machine(int first_rank, int rank_count, std::int64_t skew)
      : first(first_rank),
        ranks(rank_count),
        skew_ns(skew),
        memory(shared_state_bytes(rank_count) / 64 + 1),
        shared_state(make_shared_state(memory.data(), rank_count)) {
    shared_state->spins = 0;  // All machines of a test share its cores.
  }
  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  int first;
  int ranks;
  std::int64_t skew_ns;  // This machine's clock minus the real one.
  std::vector<Line> memory;
  SharedState* shared_state;
  std::unique_ptr<HostLink> link;
};

/// Machines with the given numbers of ranks, in a star around the first.
class Machines {
 public:
  explicit Machines(const std::vector<int>& ranks, const std::vector<std::int64_t>& skews = {}) {
    int first = 0;
    for (std::size_t m = 0; m < ranks.size(); ++m) {
      group_.push_back(std::make_unique<Machine>(first, ranks[m], skews.empty() ? 0 : skews[m]));
      first += ranks[m];
    }
    std::vector<LeaderConnection> ends;
    for (std::size_t m = 1; m < group_.size(); ++m) {
      const auto [here, there] = tcp_pair();
      ends.push_back({here, name(m)});
      tie(m, {{there, name(0)}}, false);
    }
    tie(0, std::move(ends), true);
  }

  Machine& operator[](std::size_t m) { return *group_[m]; }
  [[nodiscard]] std::string name(std::size_t m) const {
    return "rank " + std::to_string(group_[m]->first) + " on host" + std::to_string(m);
  }

  /// Runs `body(machine, rank, group)` on one thread per rank; returns when all have returned.
  template <class Body>
  void run(Body body) {
    std::vector<std::thread> threads;
    for (auto& machine : group_)
      for (int i = 0; i < machine->ranks; ++i)
        threads.emplace_back([&body, &m = *machine, i] {
          RankGroup group(*m.shared_state, i);
          group.span(i == 0 ? m.link.get() : nullptr);
          body(m, m.first + i, group);
        });
    for (auto& thread : threads) thread.join();
  }

 private:
  void tie(std::size_t m, std::vector<LeaderConnection> ends, bool is_root) {
    Machine& machine = *group_[m];
    machine.link = std::make_unique<HostLink>(std::move(ends), is_root, machine.shared_state->abort, false,
                                              [&machine] { return now_ns() + machine.skew_ns; });
  }
  std::vector<std::unique_ptr<Machine>> group_;
};

}  // namespace collbench::tests
