#pragma once
// Queues made through DEVX, with work queue entries written by hand.
#include <array>

#include "emulated/conformance/mlx5/bench.h"
#include "vendor_api/mlx5/devx.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::conformance::mlx5 {

using Mailbox = std::array<std::byte, 512>;

/// A send queue and its completion queue, created by DEVX commands. Both lie in one registered memory (umem);
/// the test rings the doorbell through a UAR page. Queue numbers have 24 bits.
class DirectQueue {
 public:
  struct Setup {
    bool is_dc = false;
    bool collapsed = false;
    unsigned log_blocks = 6, log_entries = 6;
  };
  explicit DirectQueue(Mlx5Bench& its_bench) : DirectQueue(its_bench, Setup{}) {}
  DirectQueue(Mlx5Bench& its_bench, const Setup& its_setup);
  ~DirectQueue();
  DirectQueue(const DirectQueue&) = delete;
  DirectQueue& operator=(const DirectQueue&) = delete;

  /// Sends a DEVX command that changes the queue pair's state, such as RST2INIT_QP.
  /// @param fill writes the command's fields into the mailbox; nullptr = none
  /// @param context argument of `fill`
  /// @returns the status in the answer
  int change(std::uint16_t opcode, void (*fill)(void* mailbox, void* context) = nullptr,
             void* context = nullptr);
  /// Takes the queue pair from RESET to RTS (ready to send). For a DC queue the parameters are ignored.
  /// @throws TestFailure if a change is refused
  void connect(std::uint32_t remote_queue, std::uint16_t remote_lid);

  /// Starts the next work queue entry with its control segment. segment() then returns space for one more
  /// segment of 16 bytes; an entry may wrap around at the ring's end.
  void begin(std::uint8_t opcode, std::uint8_t opmod = 0);
  std::byte* segment();
  void put_remote(std::uint64_t address, std::uint32_t key);
  void put_piece(const ibv_sge& piece);
  /// Completes the work queue entry that begin() started.
  /// @returns its index, as its completion will show it
  std::uint16_t end(bool wants_completion = true);
  void ring() { ring(producer_); }
  /// Rings the doorbell as if all entries before `index` were written, even if they are not.
  void ring(std::uint32_t index);
  [[nodiscard]] std::uint32_t producer() const { return producer_; }

  struct Completion {
    std::uint8_t opcode, syndrome;
    std::uint16_t counter;
  };
  /// Waits for the next completion of this send queue and returns it.
  /// @throws TestFailure if none comes within ten seconds
  Completion next();
  /// Reads the next completion queue entry without waiting. False if there is none. If the queue is
  /// collapsed, each call reads its only entry, also again.
  bool poll(Completion* completion);

  Mlx5Bench& bench;
  Setup setup;
  TestMemory memory;  // memory of ring, completion entries and doorbell records
  mlx5dv_devx_umem* umem = nullptr;
  mlx5dv_devx_uar* uar = nullptr;
  mlx5dv_devx_obj *cq = nullptr, *qp = nullptr;
  Mailbox made_by{};  // the CREATE_QP mailbox of `qp`
  std::uint32_t cqn = 0, qpn = 0, pdn = 0;

 private:
  std::uint32_t producer_ = 0, consumed_ = 0, segments_ = 0;
  std::uint8_t opcode_ = 0, opmod_ = 0;
};

/// Returns the status byte in the answer to a DEVX command; 0 = success.
int status_of(const Mailbox& out);

}  // namespace collbench::conformance::mlx5
