#pragma once
// The embedded engine: collectives on host memory, one rank per object, over any transport.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/direct.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/ring.h"
#include "engines/cpu/transfers.h"
#include "engines/engine.h"

namespace collbench::cpu {

/// Sizes at which behaviour changes; measured per transport (tuning_of in engine.cc), small ones in tests.
struct Tuning {
  std::size_t direct_bytes = std::size_t{8} << 10;   // sent by one rank in all, up to which one hop is faster
  std::size_t direct_piece = std::size_t{64} << 10;  // scratch per peer and direction
  std::size_t longest_message = SIZE_MAX;            // that the device takes
  std::uint32_t spins = Spinner::kDefaultSpins;      // upper bound; 0 where ranks outnumber cores
  int local_ranks = 1;                               // of this machine
  RingTuning ring;
};
Tuning tuning_of(std::string_view transport) noexcept;

/// send and recv of a Call must lie in memory from buffer(), because only that is known to the transport; so
/// must messages.
class CpuEngine final : public Engine {
 public:
  /// Connects; all ranks construct at the same time.
  /// @param algorithm "" = chosen per size, "ring", "direct" (up to 16 ranks)
  CpuEngine(Bootstrap& bootstrap, std::unique_ptr<Transport> transport, const std::string& algorithm,
            std::function<bool()> cancelled, const Tuning& tuning);
  ~CpuEngine() override;

  void* buffer(int index, std::size_t bytes) override;
  void release_buffers() override;
  void enqueue(const Call& call) override;
  void transfer(std::span<const Message> messages) override;
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads) override;
  PutPort& put_port() override;
  [[nodiscard]] std::uint32_t spins(int threads) const override;
  void stop_if_cancelled() const override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void synchronize() override {}
  [[nodiscard]] std::string algorithm_of(const Operation& operation) const override;
  [[nodiscard]] DeviceProperties device() const override;
  [[nodiscard]] TransportCounters counters() const override { return transport_->counters(); }

 private:
  enum class Choice : std::uint8_t { kBySize, kRing, kDirect };
  /// A buffer and its registrations with the comms of each peer, made when first needed; a transport may need
  /// none (null).
  struct Buffer {
    Pages pages;
    std::vector<std::optional<MemoryRegion*>> to, from;
  };

  [[nodiscard]] bool takes_direct(const Operation& operation) const noexcept;
  void run_ring(const Call& call);
  Buffer& buffer_of(const void* at, std::size_t bytes, const char* which);
  MemoryRegion* region_to(Buffer& buffer, int peer);
  MemoryRegion* region_from(Buffer& buffer, int peer);
  void deregister(Buffer& buffer);

  const int rank_;
  const int ranks_;
  const int left_, right_;  // neighbours in the ring
  const Choice choice_;
  const Tuning tuning_;
  const std::function<bool()> cancelled_;
  // Destroyed from the bottom up: registrations before comms before the transport.
  std::unique_ptr<Transport> transport_;
  std::vector<Peer> peers_;
  std::array<Buffer, 2> buffers_;
  std::unique_ptr<Direct> direct_;
  std::unique_ptr<Ring> ring_;
  std::unique_ptr<Transfers> transfers_;
  RingPlan plan_;
};

}  // namespace collbench::cpu
