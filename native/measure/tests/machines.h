#pragma once
// Several machines on one: a board each, leaders tied by real TCP connections, clocks that go apart by
// decree.
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
#include "measure/assembly.h"

namespace collbench::tests {

/// Two connected sockets over lo.
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
        memory(board_bytes(rank_count) / 64 + 1),
        board(make_board(memory.data(), rank_count)) {
    board->spins = 0;  // all machines of a test share its cores
  }
  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  int first;
  int ranks;
  std::int64_t skew_ns;  // its clock minus the real one
  std::vector<Line> memory;
  Board* board;
  std::unique_ptr<HostLink> link;
};

/// Machines with so many ranks each, in a star around the first.
class Machines {
 public:
  explicit Machines(const std::vector<int>& ranks, const std::vector<std::int64_t>& skews = {}) {
    int first = 0;
    for (std::size_t m = 0; m < ranks.size(); ++m) {
      all_.push_back(std::make_unique<Machine>(first, ranks[m], skews.empty() ? 0 : skews[m]));
      first += ranks[m];
    }
    std::vector<LinkEnd> ends;
    for (std::size_t m = 1; m < all_.size(); ++m) {
      const auto [here, there] = tcp_pair();
      ends.push_back({here, name(m)});
      tie(m, {{there, name(0)}}, false);
    }
    tie(0, std::move(ends), true);
  }

  Machine& operator[](std::size_t m) { return *all_[m]; }
  [[nodiscard]] std::string name(std::size_t m) const {
    return "rank " + std::to_string(all_[m]->first) + " on host" + std::to_string(m);
  }

  /// Runs `body(machine, rank, assembly)` as every rank, each on a thread; returns when all have returned.
  template <class Body>
  void run(Body body) {
    std::vector<std::thread> threads;
    for (auto& machine : all_)
      for (int i = 0; i < machine->ranks; ++i)
        threads.emplace_back([&body, &m = *machine, i] {
          Assembly assembly(*m.board, i);
          assembly.span(i == 0 ? m.link.get() : nullptr);
          body(m, m.first + i, assembly);
        });
    for (auto& thread : threads) thread.join();
  }

 private:
  void tie(std::size_t m, std::vector<LinkEnd> ends, bool is_root) {
    Machine& machine = *all_[m];
    machine.link = std::make_unique<HostLink>(std::move(ends), is_root, machine.board->abort, false,
                                              [skew = machine.skew_ns] { return now_ns() + skew; });
  }
  std::vector<std::unique_ptr<Machine>> all_;
};

}  // namespace collbench::tests
