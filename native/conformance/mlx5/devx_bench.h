#pragma once
// Queues made through DEVX, and work queue entries written by hand.
#include <array>

#include "conformance/mlx5/bench.h"
#include "softmlx5/include/devx.h"
#include "softmlx5/include/mlx5_formats.h"

namespace collbench::conformance::mlx5 {

using Mailbox = std::array<std::byte, 512>;

/// A send queue with its completion queue, both in one umem, rung through a UAR. Numbers of 24 bits.
class DirectQueue {
 public:
  struct Setup {
    bool is_dc = false;
    bool collapsed = false;
    unsigned log_blocks = 6, log_entries = 6;
  };
  explicit DirectQueue(Bench& its_bench) : DirectQueue(its_bench, Setup{}) {}
  DirectQueue(Bench& its_bench, const Setup& its_setup);
  ~DirectQueue();
  DirectQueue(const DirectQueue&) = delete;
  DirectQueue& operator=(const DirectQueue&) = delete;

  /// Sends a state change; `fill` puts what it needs into the mailbox. @returns the status
  int change(std::uint16_t opcode, void (*fill)(void* mailbox, void* context) = nullptr,
             void* context = nullptr);
  /// RESET to RTS. For DC without a destination.
  void connect(std::uint32_t remote_queue, std::uint16_t remote_lid);

  /// The next entry: place for its control segment; `segments` of 16 bytes follow each other through the
  /// ring's end.
  void begin(std::uint8_t opcode, std::uint8_t opmod = 0);
  std::byte* segment();
  void put_remote(std::uint64_t address, std::uint32_t key);
  void put_piece(const ibv_sge& piece);
  /// Ends the entry: its index.
  std::uint16_t end(bool wants_completion = true);
  void ring() { ring(producer_); }
  /// As if entries up to `index` were written.
  void ring(std::uint32_t index);
  [[nodiscard]] std::uint32_t producer() const { return producer_; }

  struct Completion {
    std::uint8_t opcode, syndrome;
    std::uint16_t counter;
  };
  /// @throws Failure after ten seconds
  Completion next();
  /// False: none now.
  bool poll(Completion* completion);

  Bench& bench;
  Setup setup;
  Memory memory;  // of ring, entries and records
  mlx5dv_devx_umem* umem = nullptr;
  mlx5dv_devx_uar* uar = nullptr;
  mlx5dv_devx_obj *cq = nullptr, *qp = nullptr;
  Mailbox made_by{};  // the CREATE_QP of `qp`
  std::uint32_t cqn = 0, qpn = 0, pdn = 0;

 private:
  std::uint32_t producer_ = 0, consumed_ = 0, segments_ = 0;
  std::uint8_t opcode_ = 0, opmod_ = 0;
};

/// The status that an answer holds.
int status_of(const Mailbox& out);

}  // namespace collbench::conformance::mlx5
