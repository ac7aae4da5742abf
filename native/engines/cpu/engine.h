#pragma once
// The embedded engine: collectives on host memory, one rank per object, over any transport.
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "engines/cpu/channel.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/team.h"
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
  /// What each channel moves of the operation, or all of it.
  [[nodiscard]] Operation part_of(const Operation& operation) const noexcept;
  /// All ranks call it together.
  void connect(Reach reach);
  void run_in_parts(const Choice& choice, const Call& call, int parts);

  const int ranks_;
  const Reach widest_;               // that there is
  const AlgorithmRow* const asked_;  // null: chosen per size
  const Tuning tuning_;
  const std::size_t flagged_bytes_;  // of one message at most; 0: the transport has no ll
  const std::function<bool()> cancelled_;
  std::unique_ptr<Team> team_;         // of several channels
  const std::function<bool()> stops_;  // for channels: cancelled, or another one has failed
  // Destroyed from the bottom up: registrations before their memory, comms before the transport.
  std::shared_ptr<Transport> transport_;  // of groups, too
  std::array<Pages, 2> pages_;
  std::vector<std::unique_ptr<Channel>> channels_;
  TransportCounters connecting_;  // of connect()
  Choice choice_;                 // of the last call
};

}  // namespace collbench::cpu
