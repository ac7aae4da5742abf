// Tests that every host kind does countable work and refuses impossible amounts.
#include "concurrent_load/kinds.h"

#include <doctest/doctest.h>

#include <barrier>
#include <mutex>
#include <string>
#include <thread>

#include "concurrent_load/workers.h"
#include "core/error.h"
#include "core/spin.h"
#include "transports/transport.h"

using namespace collbench;
using namespace collbench::concurrent_load;

namespace {

/// The ranks of one test as threads, with an exchange for each.
class Ranks {
 public:
  explicit Ranks(int ranks) : ranks_(ranks), barrier_(ranks), said_(static_cast<std::size_t>(ranks)) {
    options_.interface_name = "lo";
    options_.token = std::string(32, 'a');
  }

  void run(const std::function<void(LoadContext&)>& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks_; ++rank)
      threads.emplace_back([&, rank] {
        TransportOptions own = options_;
        own.rank = rank;
        own.ranks = ranks_;
        LoadContext context;
        context.rank = rank;
        context.ranks = ranks_;
        context.cores = {0};
        context.transport = "socket";
        context.options = &own;
        context.exchange = [&, rank](std::string_view, const std::string& mine) {
          said_[static_cast<std::size_t>(rank)] = mine;
          barrier_.arrive_and_wait();
          std::vector<std::string> all = said_;
          barrier_.arrive_and_wait();
          return all;
        };
        body(context);
      });
    for (std::thread& thread : threads) thread.join();
  }

  void wait() { barrier_.arrive_and_wait(); }

 private:
  const int ranks_;
  std::barrier<> barrier_;
  std::vector<std::string> said_;
  TransportOptions options_;
};

void await_units(const Workers& workers, std::uint64_t more) {
  for (const std::uint64_t from = workers.done().untimed; workers.done().untimed < from + more;) yield_core();
}

}  // namespace

TEST_CASE("every kind works on all ranks, stops, and works again") {
  for (const LoadKind& kind : host_kinds()) {
    CAPTURE(kind.name);
    Ranks ranks(3);
    ranks.run([&](LoadContext& context) {
      Workers workers(kind.create(context), context.cores);
      for (int turn = 0; turn < 3; ++turn) {
        workers.start();
        await_units(workers, 1);
        ranks.wait();
        workers.stop();
        ranks.wait();
      }
    });
  }
}

TEST_CASE("traffic counts whole messages, and what one rank has sent the next has received") {
  Ranks ranks(2);
  std::mutex mutex;
  LoadTask::TransferCounts sum;
  ranks.run([&](LoadContext& context) {
    context.amount = 2;
    Workers workers(traffic(context), context.cores);
    CHECK(workers.size() == 2);
    workers.start();
    await_units(workers, 1);
    ranks.wait();
    workers.stop();
    const LoadTask::TransferCounts moved = workers.moved();
    CHECK(moved.bytes_received >= workers.done().untimed);
    const std::lock_guard lock(mutex);
    sum.bytes_sent += moved.bytes_sent;
    sum.bytes_received += moved.bytes_received;
    sum.messages_sent += moved.messages_sent;
    sum.messages_received += moved.messages_received;
  });
  CHECK(sum.bytes_sent == sum.bytes_received);
  CHECK(sum.messages_sent == sum.messages_received);
  CHECK(sum.bytes_sent > 0);
}

TEST_CASE("traffic ends when the next rank is gone") {
  Ranks ranks(2);
  ranks.run([&](LoadContext& context) {
    auto workers = std::make_unique<Workers>(traffic(context), context.cores);
    workers->start();
    await_units(*workers, 1);
    ranks.wait();
    if (context.rank == 1) {
      workers.reset();
      return;
    }
    CHECK_THROWS_AS(workers->stop(), Error);
  });
}

TEST_CASE("more threads than the share has cores are refused, with what is allowed") {
  LoadContext context;
  context.cores = {2, 3};
  context.amount = 3;
  CHECK_THROWS_WITH_AS(compute(context),
                       "--beside compute:3: a rank may have 1 to 2 here; use compute or compute:2", Error);
  CHECK_THROWS_AS(copy(context), Error);
  context.amount = 0;
  CHECK_THROWS_AS(compute(context), Error);
  context.amount = std::nullopt;
  CHECK(compute(context).size() == 2);
  CHECK(copy(context).size() == 1);
}

TEST_CASE("a single rank has nobody to send to") {
  LoadContext context;
  CHECK_THROWS_WITH_AS(traffic(context), "--beside traffic: one rank has nobody to send to; use 2 or more",
                       Error);
}
