// Tests of connecting ranks if a stranger connects, a rank cannot listen, or nobody is left.
#include "engines/nccl/fake/links.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <list>
#include <memory>
#include <thread>

#include "core/spin.h"
#include "engines/nccl/fake/tests/ranks.h"

using namespace fake_test;
using collbench::nccl_fake::RankIdentity;

namespace {

/// A connection made by hand.
class HandMadeConnection {
 public:
  explicit HandMadeConnection(const sockaddr_in& to) {
    REQUIRE(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~HandMadeConnection() { close(fd_); }
  HandMadeConnection(const HandMadeConnection&) = delete;
  HandMadeConnection& operator=(const HandMadeConnection&) = delete;
  template <class Value>
  void say(const Value& value) const {
    REQUIRE(send(fd_, &value, sizeof value, MSG_NOSIGNAL) == sizeof value);
  }
  void hear(void* data, std::size_t bytes) const {
    REQUIRE(recv(fd_, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes));
  }

 private:
  int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

sockaddr_in root_of(const NcclUniqueId& id) {
  const std::string text = id.internal;
  const std::string place = text.substr(text.rfind(' ') + 1);
  sockaddr_in root{};
  root.sin_family = AF_INET;
  root.sin_port = htons(static_cast<std::uint16_t>(std::stoi(place.substr(place.find(':') + 1))));
  REQUIRE(inet_pton(AF_INET, place.substr(0, place.find(':')).c_str(), &root.sin_addr) == 1);
  return root;
}

std::ptrdiff_t open_files() {
  using Entries = std::filesystem::directory_iterator;
  return std::distance(Entries("/proc/self/fd"), Entries());
}

/// Waits until no more files are open than before, because roots are closed by their own threads.
void wait_for_files(std::ptrdiff_t before) {
  while (open_files() > before) collbench::yield_core();
}

/// Prevents this process from opening files, as long as it lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(lowest);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(lowest);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("callers that are no rank, or come twice, are sent away, and the others still meet") {
  struct Caller {
    int rank, channel;
  };
  const NcclUniqueId id = make_id();
  std::thread first([&] {
    FakeRank rank(0, 2, id);
    CHECK(rank.init() == 0);
    CHECK(nccl().abort(rank.comm) == 0);
    rank.comm = nullptr;
  });
  const sockaddr_in root = root_of(id);
  const HandMadeConnection to_root(root);
  to_root.say(RankIdentity{1, 2, 1, 7, root});
  RankIdentity all[2];
  to_root.hear(all, sizeof all);
  std::list<HandMadeConnection> lines;
  for (const Caller caller :
       {Caller{2, 0}, {-1, 0}, {1, 2}, {1, -1}, {0, 0}, {1 << 30, 1}, {1, 0}, {1, 0}, {1, 1}})
    lines.emplace_back(all[0].listener).say(caller);
  first.join();
}

TEST_CASE("strangers that connect and send nothing keep no rank waiting, neither at the root nor at a rank") {
  const NcclUniqueId id = make_id();
  const sockaddr_in root = root_of(id);
  const HandMadeConnection silent(root), half(root);
  half.say(std::uint32_t{0});
  std::thread first([&] {
    FakeRank rank(0, 2, id);
    CHECK(rank.init() == 0);
    CHECK(nccl().abort(rank.comm) == 0);
    rank.comm = nullptr;
  });
  const HandMadeConnection to_root(root);
  to_root.say(RankIdentity{1, 2, 1, 7, root});
  RankIdentity all[2];
  to_root.hear(all, sizeof all);
  struct Caller {
    int rank, channel;
  };
  const HandMadeConnection at_rank(all[0].listener), left(all[0].listener);
  std::list<HandMadeConnection> lines;
  for (const int channel : {0, 1}) lines.emplace_back(all[0].listener).say(Caller{1, channel});
  first.join();
}

TEST_CASE("a split of ranks that cannot listen fails on all of them, and the next one works") {
  std::barrier all_here(2);
  with_ranks(2, [&](FakeRank& rank) {
    NcclComm* child = nullptr;
    all_here.arrive_and_wait();
    {
      const auto none = rank.rank == 0 ? std::make_unique<NoMoreFiles>() : nullptr;
      all_here.arrive_and_wait();
      CHECK(nccl().split(rank.comm, 0, rank.rank, &child, nullptr) == kSystemError);
      all_here.arrive_and_wait();
    }
    all_here.arrive_and_wait();
    if (child != nullptr) CHECK(nccl().abort(child) == 0);
    CHECK(nccl().split(rank.comm, 0, rank.rank, &child, nullptr) == 0);
    CHECK(nccl().destroy(child) == 0);
  });
}

TEST_CASE("splits leave no socket behind, whether a rank has a part, has none, or the parent is aborted") {
  const std::ptrdiff_t before = open_files();
  with_ranks(2, [](FakeRank& rank) {
    NcclComm* child = nullptr;
    CHECK(nccl().split(rank.comm, rank.rank == 0 ? -1 : 0, 0, &child, nullptr) == 0);
    if (child != nullptr) CHECK(nccl().destroy(child) == 0);
  });
  with_bare_ranks(2, [](FakeRank& rank) {
    NcclConfig config;
    config.blocking = 0;
    CHECK(rank.init(config) == kInProgress);
    CHECK(rank.settle(rank.comm) == 0);
    NcclComm* child = nullptr;
    if (rank.rank == 0) {
      CHECK(nccl().split(rank.comm, 0, 0, &child, nullptr) == kInProgress);
      CHECK(nccl().abort(rank.comm) == 0);
      CHECK(nccl().abort(child) == 0);
      rank.comm = nullptr;
    }
  });
  wait_for_files(before);
}
