// Networking started by the GPU, driven like NCCL's proxy thread: puts and signals between processes over
// softntb, through the exported tables.
#include <doctest/doctest.h>

#include <numeric>

#include "net_plugin/gin/tests/ranks.h"

using namespace gin_test;

namespace {

constexpr Table kTables[] = {Table::kGin11, Table::kGin13, Table::kRma13, Table::kRma14};
constexpr Table kTablesWithGet[] = {Table::kGin13, Table::kRma13, Table::kRma14};
constexpr std::size_t kMiB = std::size_t{1} << 20;

std::uint8_t byte_of(int from, int to, std::size_t index) {
  return static_cast<std::uint8_t>(static_cast<std::size_t>(from * 37 + to * 11 + 1) + index * 7 +
                                   (index >> 8));
}

/// A window with one part per rank to receive into, one to send from, and one for signals.
struct Buffers {
  Buffers(GinRank& at, std::size_t bytes)
      : rank(at),
        part(bytes),
        send(bytes * static_cast<std::size_t>(at.ranks)),
        receive(send.size()),
        signals(4) {
    for (int r = 0; r < at.ranks; ++r)
      for (std::size_t i = 0; i < bytes; ++i) send[offset(r) + i] = byte_of(at.rank, r, i);
    // Empty vectors have no address, which a window needs.
    send.resize(send.size() + 8), receive.resize(receive.size() + 8);
    from = at.add(send.data(), send.size());
    to = at.add(receive.data(), receive.size());
    signal = at.add(signals.data(), signals.size() * sizeof signals[0]);
  }
  [[nodiscard]] std::size_t offset(int r) const { return part * static_cast<std::size_t>(r); }
  void check_from(int peer) const {
    for (std::size_t i = 0; i < part; ++i)
      if (receive[offset(peer) + i] != byte_of(peer, rank.rank, i))
        must(false, "byte " + std::to_string(i) + " from rank " + std::to_string(peer) + " is wrong");
  }
  GinRank& rank;
  std::size_t part;
  std::vector<std::uint8_t> send, receive;
  std::vector<std::uint64_t> signals;
  void *from, *to, *signal;
};

/// Every rank puts to every rank, itself included, and signals; then all check their data.
void all_to_all(GinRank& rank, std::size_t bytes) {
  Buffers buffers(rank, bytes);
  std::vector<void*> requests;
  for (int k = 0; k < rank.ranks; ++k) {
    const int peer = (rank.rank + k) % rank.ranks;
    void* request = nullptr;
    must(rank.put_signal(buffers.offset(peer), bytes != 0 ? buffers.from : nullptr, bytes,
                         buffers.offset(rank.rank), bytes != 0 ? buffers.to : nullptr, peer, 8,
                         buffers.signal, 0, kSignalInc, &request),
         "iputSignal");
    must(request != nullptr, "no request");
    requests.push_back(request);
  }
  rank.await(buffers.signals[1], static_cast<std::uint64_t>(rank.ranks));
  for (int peer = 0; peer < rank.ranks; ++peer) buffers.check_from(peer);
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) rank.finish(*request);
  rank.meet();
  must(buffers.signals[0] == 0 && buffers.signals[2] == 0, "another signal moved");
  must(!rank.has_error(), "an error is told");
}

}  // namespace

TEST_CASE("puts with a signal reach every rank, through each table") {
  for (const Table table : kTables)
    for (const int ranks : {2, 3}) {
      CAPTURE(static_cast<int>(table));
      CAPTURE(ranks);
      CHECK(run(ranks, table, "", [](GinRank& rank) {
              for (const std::size_t bytes :
                   {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{4096}, kMiB})
                all_to_all(rank, bytes);
            }) == "");
    }
}

TEST_CASE("one rank puts to itself") {
  CHECK(run(1, Table::kGin11, "", [](GinRank& rank) { all_to_all(rank, 5000); }) == "");
}

TEST_CASE(
    "a signal comes after its data and all earlier puts to that rank; requests are tested in any order") {
  CHECK(run(2, Table::kGin11, "", [](GinRank& rank) {
          constexpr std::size_t kLong = 700'000, kShort = 64;
          constexpr int kPuts = 40;  // more than the 32 that NCCL has in flight
          Buffers buffers(rank, kLong);
          const int peer = 1 - rank.rank;
          std::vector<void*> requests(kPuts);
          for (int round = 1; round <= 3; ++round) {
            for (std::size_t i = 0; i < requests.size(); ++i) {
              const bool is_last = i + 1 == requests.size();
              const std::size_t at = buffers.offset(peer) + (i == 0 ? 0 : i * kShort),
                                place = buffers.offset(rank.rank) + (i == 0 ? 0 : i * kShort);
              must(is_last ? rank.put_signal(at, buffers.from, kShort, place, buffers.to, peer, 0,
                                             buffers.signal, 1000, kSignalAdd, &requests[i])
                           : rank.put(at, buffers.from, i == 0 ? kLong : kShort, place, buffers.to, peer,
                                      &requests[i]),
                   "put");
            }
            rank.await(buffers.signals[0], 1000U * static_cast<unsigned>(round));
            buffers.check_from(peer);
            std::fill_n(buffers.receive.begin() + static_cast<std::ptrdiff_t>(buffers.offset(peer)), kLong,
                        0);
            for (std::size_t i = 0; i < requests.size(); ++i)
              rank.finish(requests[(i * 7 + 3) % requests.size()]);
            rank.meet();
          }
        }) == "");
}

TEST_CASE("signals without data add up, each by its operation") {
  CHECK(run(3, Table::kGin11, "", [](GinRank& rank) {
          Buffers buffers(rank, 8);
          void* request = nullptr;
          for (int peer = 0; peer < rank.ranks; ++peer) {
            must(
                rank.put_signal(0, nullptr, 0, 0, nullptr, peer, 0, buffers.signal, 77, kSignalInc, &request),
                "inc");
            rank.finish(request);
            must(rank.put_signal(0, nullptr, 0, 0, nullptr, peer, 24, buffers.signal, 1ULL << 40U, kSignalAdd,
                                 &request),
                 "add");
            rank.finish(request);
          }
          rank.await(buffers.signals[3], 3ULL << 40U);
          must(buffers.signals[0] == 3, "INC adds its value");
          rank.meet();
        }) == "");
}

TEST_CASE("what lies outside of a window is refused, and nothing breaks") {
  CHECK(run(2, Table::kGin11, "", [](GinRank& rank) {
          Buffers buffers(rank, 100);
          const int peer = 1 - rank.rank;
          void* request = nullptr;
          must(rank.put(150, buffers.from, 100, 0, buffers.to, peer, &request) == kInvalidArgument, "source");
          must(rank.put(0, buffers.from, 100, 150, buffers.to, peer, &request) == kInvalidArgument, "target");
          must(rank.put(0, buffers.from, 8, 0, buffers.to, 2, &request) == kInvalidArgument, "rank");
          must(rank.put(0, nullptr, 8, 0, buffers.to, peer, &request) == kInvalidArgument, "no source");
          must(rank.put_signal(0, nullptr, 0, 0, nullptr, peer, 32, buffers.signal, 1, kSignalInc,
                               &request) == kInvalidArgument,
               "signal");
          must(rank.put_signal(0, nullptr, 0, 0, nullptr, peer, 0, buffers.signal, 1, 9, &request) ==
                   kInvalidArgument,
               "operation");
          rank.meet();
          all_to_all(rank, 100);
        }) == "");
}

TEST_CASE("windows come and go, and the bytes that cross are counted where the net plugin counts") {
  CHECK(run(2, Table::kGin11, "", [](GinRank& rank) {
          for (int i = 0; i < 3; ++i) {
            const auto before = rank.bytes_sent();
            Buffers buffers(rank, 100'000);
            void* request = nullptr;
            must(rank.put_signal(0, buffers.from, 100'000, 0, buffers.to, 1 - rank.rank, 0, buffers.signal, 1,
                                 kSignalInc, &request),
                 "put");
            rank.finish(request);
            rank.await(buffers.signals[0], 1);
            const auto sent = rank.bytes_sent() - before;
            must(sent >= 100'000 && sent < 102'000, "counted " + std::to_string(sent) + " bytes");
            rank.meet();
            for (void* window : {buffers.signal, buffers.from, buffers.to}) rank.remove(window);
          }
        }) == "");
}

/// NCCL joins both interfaces into one device by name and uses the properties that come first.
template <typename Properties>
void check_properties(GinRank& rank) {
  const auto [gin, net] = rank.properties<Properties>();
  must(gin.netDeviceType == kNetDeviceGinProxy && net.netDeviceType == kNetDeviceHost, "device type");
  must(gin.maxRecvs == 1, "32 requests per rank are a power of two");
  must(std::string(gin.name) == net.name && gin.guid == net.guid, "another device");
  must(gin.ptrSupport == net.ptrSupport && gin.ptrSupport == kPtrHost, "memory that the net takes");
}

TEST_CASE("GIN devices are those of the net and say that the proxy drives them") {
  CHECK(run(1, Table::kGin11, "", check_properties<PropertiesV11>) == "");
  for (const Table table : kTablesWithGet) CHECK(run(1, table, "", check_properties<PropertiesV12>) == "");
}

TEST_CASE("ranks leave in any order; who has nothing on its way to them sees no error") {
  for (int first = 0; first < 3; ++first)
    CHECK(run(3, Table::kGin11, "", [first](GinRank& rank) {
            all_to_all(rank, 100);
            if (rank.rank == first) rank.close();
            rank.meet();
            if (rank.rank != first) {
              for (int i = 0; i < 1000; ++i) rank.progress();
              must(!rank.has_error(), "an orderly end is taken for an error");
            }
          }) == "");
}

/// Every rank gets its part from every rank, itself included.
void get_from_all(GinRank& rank, std::size_t bytes) {
  Buffers buffers(rank, bytes);
  std::vector<void*> requests(static_cast<std::size_t>(rank.ranks));
  for (int peer = 0; peer < rank.ranks; ++peer)
    must(rank.get(buffers.offset(rank.rank), buffers.from, bytes, buffers.offset(peer), buffers.to, peer,
                  &requests[static_cast<std::size_t>(peer)]),
         "iget");
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) rank.finish(*request);
  rank.flush(buffers.to);
  for (int peer = 0; peer < rank.ranks; ++peer) buffers.check_from(peer);
  rank.meet();
}

TEST_CASE("gets bring what lies in the windows of all ranks, through each table that has them") {
  for (const Table table : kTablesWithGet) {
    CAPTURE(static_cast<int>(table));
    CHECK(run(3, table, "", [](GinRank& rank) {
            for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, kMiB + 3})
              get_from_all(rank, bytes);
          }) == "");
  }
}

TEST_CASE("a get comes after all earlier puts to that rank, and puts after it do not wait") {
  CHECK(
      run(2, Table::kRma14, "", [](GinRank& rank) {
        constexpr std::size_t kBytes = 600'000;
        Buffers buffers(rank, kBytes);
        std::vector<std::uint8_t> back(kBytes);
        void* returned = rank.add(back.data(), kBytes);
        const int peer = 1 - rank.rank;
        void* requests[3] = {};
        must(rank.put(buffers.offset(peer), buffers.from, kBytes, buffers.offset(rank.rank), buffers.to, peer,
                      &requests[0]),
             "put");
        must(rank.get(buffers.offset(rank.rank), buffers.to, kBytes, 0, returned, peer, &requests[1]), "get");
        must(rank.put_signal(0, nullptr, 0, 0, nullptr, peer, 0, buffers.signal, 3, kSignalAdd, &requests[2]),
             "signal");
        for (const int i : {2, 1, 0}) rank.finish(requests[i]);
        for (std::size_t i = 0; i < kBytes; ++i)
          must(back[i] == byte_of(rank.rank, peer, i), "what was put is not what was got");
        rank.await(buffers.signals[0], 3);
        rank.meet();
      }) == "");
}

TEST_CASE("several contexts share one order; they are closed in any order, and the others go on") {
  for (const Table table : kTablesWithGet)
    for (const int first : {0, 1}) {
      CAPTURE(static_cast<int>(table));
      CHECK(run(2, table, "", [first](GinRank& rank) {
              for (const int round : {0, 1, 2, 3}) {
                rank.context = round % 2;
                rank.strong = round >= 2;
                all_to_all(rank, 5000);
              }
              rank.context = 1 - first;
              rank.close_context(first);
              all_to_all(rank, 70'000);
              rank.close_context(1 - first);
              must(!rank.has_error(), "an orderly end is taken for an error");
            }) == "");
    }
}

TEST_CASE("gets outside of a window are refused, and nothing breaks") {
  CHECK(run(2, Table::kRma14, "", [](GinRank& rank) {
          Buffers buffers(rank, 100);
          const int peer = 1 - rank.rank;
          void* request = nullptr;
          must(rank.get(150, buffers.from, 100, 0, buffers.to, peer, &request) == kInvalidArgument, "source");
          must(rank.get(0, buffers.from, 100, 150, buffers.to, peer, &request) == kInvalidArgument, "target");
          must(rank.get(0, buffers.from, 8, 0, buffers.to, 2, &request) == kInvalidArgument, "rank");
          must(rank.get(0, nullptr, 8, 0, buffers.to, peer, &request) == kInvalidArgument, "no source");
          rank.meet();
          get_from_all(rank, 100);
        }) == "");
}

TEST_CASE("a get from a rank that dies, or has left, is an error and no hang") {
  for (const bool dies : {false, true}) {
    const std::string troubles = run(2, Table::kRma14, "", [dies](GinRank& rank) {
      Buffers buffers(rank, kMiB);
      if (rank.rank == 1) {
        if (dies) _exit(7);
        return;  // closes in the required order
      }
      for (void* request = nullptr; !rank.has_error();) {
        if (rank.get(0, buffers.from, kMiB, 0, buffers.to, 1, &request) != kSuccess) break;
        while (!rank.test(request) && !rank.has_error()) rank.progress();
      }
      must(rank.has_error(), "no error");
    });
    CHECK(troubles.find("rank 0") == std::string::npos);
  }
}

TEST_CASE("a rank that dies is an error on the others, and no hang") {
  const std::string troubles = run(2, Table::kGin11, "", [](GinRank& rank) {
    Buffers buffers(rank, kMiB);
    if (rank.rank == 1) _exit(7);
    while (!rank.has_error()) rank.progress();
    void* request = nullptr;
    must(rank.put(0, buffers.from, 8, 0, buffers.to, 1, &request) == kRemoteError, "a put to it goes on");
  });
  CHECK(troubles.find("rank 0") == std::string::npos);
}

TEST_CASE("a link that goes down is an error on both sides, and no hang") {
  CHECK(run(2, Table::kGin11, "link-down:after-bytes=3000000", [](GinRank& rank) {
          Buffers buffers(rank, kMiB);
          const int peer = 1 - rank.rank;
          while (!rank.has_error()) {
            void* request = nullptr;
            if (rank.put(0, buffers.from, kMiB, 0, buffers.to, peer, &request) != kSuccess) break;
            while (!rank.test(request) && !rank.has_error()) rank.progress();
          }
          must(rank.has_error(), "no error is told");
        }) == "");
}
