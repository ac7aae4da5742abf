#pragma once
// The embedded engine: collectives on host memory, one rank per object, over any transport.
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/direct.h"
#include "engines/cpu/registered.h"
#include "engines/cpu/ring.h"
#include "engines/cpu/schedule_runner.h"
#include "engines/cpu/transfers.h"
#include "engines/cpu/tuning.h"
#include "engines/engine.h"
#include "transports/counters.h"

namespace collbench::cpu {

/// send and recv of a Call must lie in memory from buffer(), because only that is known to the transport; so
/// must messages.
class CpuEngine final : public Engine {
 public:
  /// Connects; all ranks construct at the same time.
  /// @param algorithm "" = chosen per size; a name of algorithms(): taken wherever it takes the operation
  CpuEngine(Bootstrap& bootstrap, std::shared_ptr<Transport> transport, const std::string& algorithm,
            std::function<bool()> cancelled, const Tuning& tuning);
  ~CpuEngine() override;

  void* buffer(int index, std::size_t bytes) override;
  void release_buffers() override;
  void enqueue(const Call& call) override;
  void connect_all() override;
  void transfer(std::span<const Message> messages) override;
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads) override;
  std::unique_ptr<Engine> for_group(Bootstrap& group) override;
  PutPort& put_port() override;
  [[nodiscard]] std::uint32_t spins(int threads) const override;
  void stop_if_cancelled() const override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void synchronize() override {}
  [[nodiscard]] std::string algorithm_of(const Operation& operation) const override;
  [[nodiscard]] std::string protocol_of(const Operation& operation) const override;
  [[nodiscard]] DeviceProperties device() const override;
  /// Of the operations: what ranks told each other to connect is left out.
  [[nodiscard]] TransportCounters counters() const override { return transport_->counters() - connecting_; }

 private:
  /// What an operation takes.
  struct Choice {
    Operation operation;
    const AlgorithmRow* row = nullptr;
    Reach reach = Reach::kRing;
    Protocol protocol = Protocol::kSimple;
  };
  /// Looked up once where the same is called again and again: that takes as long as a small message.
  const Choice& choice_for(const Operation& operation);
  [[nodiscard]] const AlgorithmRow& row_for(const Operation& operation) const noexcept;
  [[nodiscard]] Protocol protocol_for(const Operation& operation) const noexcept;
  void use(Protocol protocol);
  /// All ranks call it together.
  void connect(Reach reach);
  /// The exchange of connect_peers().
  std::vector<std::string> gather_round_the_ring(const std::string& mine);
  void run_ring(const Operation& operation, const CallBuffers& own);
  void run_schedule(const AlgorithmRow& row, const Call& call);
  [[nodiscard]] CallBuffers buffers_of(const Call& call);
  Registered& buffer_of(const void* at, std::size_t bytes, const char* which);

  const int rank_;
  const int ranks_;
  const int left_, right_;           // neighbours in the ring
  const Reach widest_;               // that there is
  const AlgorithmRow* const asked_;  // null: chosen per size
  const Tuning tuning_;
  const std::size_t flagged_bytes_;  // of one message at most; 0: the transport has no ll
  const std::function<bool()> cancelled_;
  // Destroyed from the bottom up: registrations before comms before the transport.
  std::shared_ptr<Transport> transport_;  // of groups, too
  std::vector<Peer> peers_;
  Reach reached_ = Reach::kAll;
  TransportCounters connecting_;       // of connect()
  Protocol used_ = Protocol::kSimple;  // by all connections
  std::array<Registered, 2> buffers_{Registered(peers_), Registered(peers_)};
  std::unique_ptr<Direct> direct_;
  std::unique_ptr<Ring> ring_;
  std::unique_ptr<ScheduleRunner> runner_;
  std::unique_ptr<Transfers> transfers_;
  Choice choice_;  // of the last call
  RingPlan plan_;
  Schedule schedule_;  // of scheduled_ by scheduled_row_
  Operation scheduled_;
  const AlgorithmRow* scheduled_row_ = nullptr;
};

}  // namespace collbench::cpu
