// Tests between two processes, each of which opens the library.
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "emulated/conformance/mlx5/bench.h"
#include "emulated/conformance/runner.h"

namespace collbench::conformance::mlx5 {
namespace {

constexpr std::uint32_t kPeerBytes = 100'000;

struct Address {
  std::uint32_t queue = 0;
  std::uint16_t lid = 0;
  std::uint64_t memory = 0;
  std::uint32_t key = 0;
};

Address address_of(const Mlx5Bench& bench, const TestQueuePair& end) {
  return {end.qp->qp_num, bench.port.lid, end.memory.at(0), end.memory.mr->rkey};
}

/// Code of the second process: answers each write with immediate data by writing back the same bytes, each
/// plus one.
void echo(Mlx5Bench& bench, int socket) {
  TestQueuePair end(bench, {}, 2 * kPeerBytes);
  const auto peer = take<Address>(socket);
  end.connect(peer.queue, peer.lid);
  expect_errno("post_recv", {0}, end.post_receive(1, {0, 0, 0}));
  put(socket, address_of(bench, end));
  end.next(1, IBV_WC_SUCCESS);
  for (std::uint32_t n = 0; n < kPeerBytes; ++n)
    end.memory.data[n] = static_cast<std::byte>(static_cast<unsigned>(end.memory.data[n]) + 1);
  ibv_sge piece = end.memory.piece(0, kPeerBytes);
  ibv_send_wr request = write_request(2, &piece, end.memory, 0);
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  request.wr.rdma.remote_addr = peer.memory + kPeerBytes;
  request.wr.rdma.rkey = peer.key;
  expect_errno("post_send", {0}, end.post(request));
  end.next(2, IBV_WC_SUCCESS);
  take<char>(socket);  // waits until the test has checked its result
}

struct ConnectedPeer {
  explicit ConnectedPeer(Mlx5Bench& its_bench) : bench(its_bench), end(its_bench, {}, 2 * kPeerBytes) {
    put(bench.other_end, address_of(bench, end));
    peer = take<Address>(bench.other_end);
    end.connect(peer.queue, peer.lid);
  }
  ibv_send_wr to_peer(ibv_sge* piece) {
    ibv_send_wr request = write_request(1, piece, end.memory, 0);
    request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    request.wr.rdma.remote_addr = peer.memory;
    request.wr.rdma.rkey = peer.key;
    return request;
  }
  Mlx5Bench& bench;
  TestQueuePair end;
  Address peer;
};

void there_and_back(Mlx5Bench& bench) {
  ConnectedPeer link(bench);
  link.end.memory.fill(9, 0, kPeerBytes);
  ibv_sge piece = link.end.memory.piece(0, kPeerBytes);
  expect_errno("post_recv", {0}, link.end.post_receive(5, {0, 0, 0}));
  expect_errno("post_send", {0}, link.end.post(link.to_peer(&piece)));
  bool sent = false, came = false;
  while (!sent || !came) {
    const ibv_wc wc = link.end.next();
    expect_equal("status", static_cast<int>(IBV_WC_SUCCESS), static_cast<int>(wc.status));
    sent = sent || wc.wr_id == 1;
    came = came || wc.wr_id == 5;
  }
  for (std::uint32_t n = 0; n < kPeerBytes; ++n)
    link.end.memory.data[n] = static_cast<std::byte>(static_cast<unsigned>(link.end.memory.data[n]) + 1);
  expect_bytes(link.end.memory.data, link.end.memory.data + kPeerBytes, kPeerBytes);
  put(bench.other_end, 'x');
}

void peer_dies(Mlx5Bench& bench) {
  ConnectedPeer link(bench);
  kill(bench.peer, SIGKILL);
  waitpid(bench.peer, nullptr, 0);
  ibv_sge piece = link.end.memory.piece(0, 8);
  ibv_send_wr request = link.to_peer(&piece);
  request.opcode = IBV_WR_RDMA_WRITE;
  expect_errno("post_send", {0}, link.end.post(request));
  link.end.next(1, IBV_WC_RETRY_EXC_ERR);
}

constexpr Mlx5Test kPeerTests[] = {
    {"bytes go to another process and come back", there_and_back},
    {"a process that dies is RETRY_EXC_ERR for its peer", peer_dies},
};

}  // namespace

void serve_peer(const std::string& path, int socket) {
  serve_with<Mlx5Bench>(path, [&](Mlx5Bench& bench) { echo(bench, socket); });
}

const std::span<const Mlx5Test> peer_tests = kPeerTests;

}  // namespace collbench::conformance::mlx5
