#include "agent/link_hosts.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "core/error.h"
#include "engines/local_bootstrap.h"
#include "measure/tests/plain_shared_state.h"

using namespace collbench;
using namespace collbench::agent;

namespace {

constexpr const char* kToken = "00112233445566778899aabbccddeeff";

/// Result of one rank.
struct RankResult {
  std::unique_ptr<HostLink> link;
  std::string error;
  bool shares_cores = false;
};

/// Links four ranks: 0 alone, 1 and 3 on one machine, 2 alone. The shared states live until `use` returns.
template <class Body>
void link_four(const std::vector<TransportOptions>& options, Body use) {
  struct RankLocation {
    std::size_t shared_state;
    int index;
  };
  const std::vector<RankLocation> places = {{0, 0}, {1, 0}, {2, 0}, {1, 1}};
  std::vector<std::unique_ptr<PlainSharedState>> boards;
  for (const int ranks : {1, 2, 1}) boards.push_back(std::make_unique<PlainSharedState>(ranks));
  LocalRendezvous rendezvous(4);
  std::vector<RankResult> results(4);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < 4; ++r)
    threads.emplace_back([&, r] {
      LocalBootstrap bootstrap(rendezvous, static_cast<int>(r));
      SharedState& shared_state = *boards[places[r].shared_state]->shared_state;
      try {
        LinkedHosts linked = link_hosts(bootstrap, shared_state, places[r].index, options[r]);
        results[r].link = std::move(linked.link);
        results[r].shares_cores = linked.shares_cores;
      } catch (const Error& error) {
        results[r].error = error.what();
        for (auto& each : boards) each->shared_state->abort = 1;  // Ends the others as the controller would.
        rendezvous.fail(error.what());
      }
    });
  for (auto& thread : threads) thread.join();
  use(results);
}

TransportOptions with_token(const std::string& token) {
  TransportOptions options;
  options.interface_name = "lo";
  options.token = token;
  return options;
}

}  // namespace

TEST_CASE("leaders of machines get a link, rank 0 its middle; the others get none") {
  link_four(std::vector(4, with_token(kToken)), [](std::vector<RankResult>& results) {
    for (const RankResult& result : results) {
      CHECK(result.error.empty());
      CHECK(result.shares_cores);  // All shared states of this test are on one machine.
    }
    for (std::size_t r = 0; r < 3; ++r) REQUIRE(results[r].link != nullptr);
    CHECK(results[3].link == nullptr);
    CHECK(results[0].link->is_root());
    CHECK_FALSE(results[1].link->is_root());
    std::vector<std::thread> threads;
    std::vector<std::int64_t> decisions(3);
    for (std::size_t r = 0; r < 3; ++r)
      threads.emplace_back([&, r] { decisions[r] = results[r].link->barrier(r == 0 ? 42 : 7, 1); });
    for (auto& thread : threads) thread.join();
    CHECK(decisions == std::vector<std::int64_t>{42, 42, 42});
    CHECK(results[0].link->others_late() == 2);
    // The message names the other end by rank and machine.
    results[2].link.reset();
    try {
      results[0].link->check_connections();
      results[0].link->barrier(0, 0);
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::kConnectionLost);
      const std::string text = error.what();
      CHECK(text.find("rank 2 on ") != std::string::npos);
      CHECK(text.find("(127.0.0.1)") != std::string::npos);
    }
  });
}

TEST_CASE("a machine with another token is refused") {
  std::vector<TransportOptions> options(4, with_token(kToken));
  options[2] = with_token("ffeeddccbbaa99887766554433221100");
  link_four(options, [](std::vector<RankResult>& results) {
    CHECK(results[2].error.find("another token") != std::string::npos);
    CHECK(results[0].error.find("stopped while linking the machines") != std::string::npos);
  });
}

TEST_CASE("without a token, or without the interface named, nobody listens") {
  link_four(std::vector(4, with_token("")), [](std::vector<RankResult>& results) {
    CHECK(results[0].error.find("token") != std::string::npos);
  });
  std::vector<TransportOptions> options(4, with_token(kToken));
  for (TransportOptions& one : options) one.interface_name = "nosuch0";
  link_four(options, [](std::vector<RankResult>& results) {
    CHECK(results[0].error.find("no network interface nosuch0") != std::string::npos);
  });
}
