#pragma once
// Objects that tests of the verbs and mlx5 interfaces share: an opened device, buffers, connected queue
// pairs.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulated/conformance/check.h"
#include "emulated/conformance/mlx5/library.h"

namespace collbench::conformance::mlx5 {

inline constexpr int kRights =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

/// The library under test with an opened device (the first one that mlx5dv supports) and a protection domain
/// of this device. The constructor throws TestSkipped if there is no such device or its port 1 is not active.
struct Mlx5Bench {
  explicit Mlx5Bench(const std::string& path);
  ~Mlx5Bench();
  Mlx5Bench(const Mlx5Bench&) = delete;
  Mlx5Bench& operator=(const Mlx5Bench&) = delete;
  std::string path;
  VerbsLibrary lib;
  ibv_device** list = nullptr;
  ibv_device* device = nullptr;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_port_attr port{};
  ibv_gid gid{};
  int other_end = -1;  // socket to the second process, see run_groups()
  pid_t peer = -1;     // process id of the second process
};

/// The device under test, opened a second time with its own protection domain. Tests check that objects of
/// one context do not work in the other.
struct OtherContext {
  explicit OtherContext(Mlx5Bench& bench);
  ~OtherContext();
  OtherContext(const OtherContext&) = delete;
  OtherContext& operator=(const OtherContext&) = delete;
  Mlx5Bench& bench;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
};

/// Memory that begins at a page, registered in the protection domain of the tests (Mlx5Bench::pd).
class TestMemory {
 public:
  TestMemory(Mlx5Bench& bench, std::size_t bytes, int access = kRights);
  ~TestMemory();
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  ibv_mr* mr = nullptr;
  void fill(unsigned seed, std::size_t begin, std::size_t count);
  [[nodiscard]] std::uint64_t at(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(data) + offset;
  }
  [[nodiscard]] ibv_sge piece(std::size_t offset, std::uint32_t length) const {
    return {at(offset), length, mr->lkey};
  }
  void forget();  // Deregisters the memory now.

 private:
  Mlx5Bench& bench_;
};

struct EndSetup {
  std::uint32_t send_wr = 64, recv_wr = 64, pieces = 4, inline_bytes = 64;
  ibv_srq* srq = nullptr;
  unsigned access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  std::uint8_t receiver_retries = 7;
  bool signal_all = false;
};

/// An RC queue pair made by verbs, with its own completion queue and registered buffer.
class TestQueuePair {
 public:
  explicit TestQueuePair(Mlx5Bench& bench, const EndSetup& setup = {}, std::size_t bytes = 1 << 16);
  ~TestQueuePair();
  TestQueuePair(const TestQueuePair&) = delete;
  TestQueuePair& operator=(const TestQueuePair&) = delete;

  /// Takes the queue pair from RESET to RTS (ready to send).
  /// @throws TestFailure if a change is refused
  void connect(std::uint32_t remote_queue, std::uint16_t remote_lid);
  int modify(ibv_qp_state state, int mask = IBV_QP_STATE);
  void init();
  int ready_to_receive(std::uint32_t remote_queue, std::uint16_t remote_lid);
  int ready_to_send();
  [[nodiscard]] ibv_qp_state state() const;

  /// Posts a send request.
  /// @returns 0 or the errno of ibv_post_send
  int post(ibv_send_wr request);
  int post_receive(std::uint64_t id, ibv_sge piece);
  /// Returns the next completion of this queue pair.
  /// @throws TestFailure if none comes within ten seconds
  ibv_wc next();
  /// Returns the next completion.
  /// @throws TestFailure if it has another id or status, or none comes within ten seconds
  ibv_wc next(std::uint64_t id, ibv_wc_status status);

  Mlx5Bench& bench;
  EndSetup setup;
  TestMemory memory;
  ibv_cq* cq = nullptr;
  ibv_qp* qp = nullptr;
};

/// Two RC queue pairs of the same device and process, connected to each other.
struct ConnectedPair {
  explicit ConnectedPair(Mlx5Bench& bench, const EndSetup& a_setup = {}, const EndSetup& b_setup = {});
  TestQueuePair a, b;
};

/// Returns a request for an RDMA WRITE that makes a completion.
/// @param id wr_id of the request, which its completion has too
/// @param piece local data; nullptr = none
/// @param to memory at the other end
/// @param offset position in `to`, in bytes
ibv_send_wr write_request(std::uint64_t id, ibv_sge* piece, const TestMemory& to, std::size_t offset);

/// Runs in the second process of tests: sends back what the test writes to its memory, each byte plus one.
[[noreturn]] void serve_peer(const std::string& path, int socket);

using Mlx5Test = Test<Mlx5Bench>;
extern const std::span<const Mlx5Test> device_tests, memory_tests, queue_tests, data_tests, error_tests,
    devx_tests, dc_tests, peer_tests;

}  // namespace collbench::conformance::mlx5
