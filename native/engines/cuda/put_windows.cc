#include <cstring>
#include <map>

#include "engines/cuda/windows.h"
#include "transports/transport.h"

namespace collbench::gpu {
namespace {

/// Maximum number of thread blocks of a collective's kernel; each has its own send queue to every other rank.
constexpr std::uint32_t kBlocks = 4;

class PutWindows final : public Windows {
 public:
  PutWindows(cuda::Device& device, PutPort& port, int rank, int ranks, ExchangeBlobs exchange)
      : port_(port), rank_(rank), exchange_(std::move(exchange)) {
    connect(device, static_cast<std::size_t>(ranks));
  }

  std::vector<ibgda::KeyedAddress> expose(std::size_t index, void* memory, std::size_t bytes) override {
    regions_[index] = port_.expose(memory, bytes);
    const MemoryRegion& region = *regions_[index];
    const PutTarget mine = port_.target_of(region, memory);
    const auto notes = exchange_(std::string(reinterpret_cast<const char*>(&mine), sizeof mine));
    std::vector<ibgda::KeyedAddress> all;
    for (const std::string& note : notes) {
      PutTarget target;
      std::memcpy(&target, note.data(), sizeof target);
      all.push_back({target.address, target.key});
    }
    all[static_cast<std::size_t>(rank_)].key = port_.local_key(region);
    return all;
  }
  void drop(std::size_t index) override { regions_.erase(index); }
  [[nodiscard]] ibgda::QueueCursor* lanes() const noexcept override {
    return static_cast<ibgda::QueueCursor*>(lanes_.data());
  }
  [[nodiscard]] std::uint32_t blocks() const noexcept override { return kBlocks; }

 private:
  void connect(cuda::Device& device, std::size_t ranks) {
    std::string mine;
    for (std::size_t n = 0; n < kBlocks * ranks; ++n) {
      queues_.push_back(port_.open_queue());
      const PutQueue::Address address = queues_.back()->address();
      mine.append(reinterpret_cast<const char*>(address.data()), sizeof address);
    }
    const auto all = exchange_(mine);
    std::vector<ibgda::QueueCursor> lanes;
    for (std::size_t n = 0; n < queues_.size(); ++n) {
      const std::size_t block = n / ranks, peer = n % ranks;
      const std::size_t theirs = block * ranks + static_cast<std::size_t>(rank_);
      PutQueue::Address address;
      std::memcpy(address.data(), all[peer].data() + theirs * sizeof address, sizeof address);
      if (peer != static_cast<std::size_t>(rank_)) queues_[n]->connect(address);
      lanes.push_back(queues_[n]->lane());
    }
    lanes_ = cuda::DeviceMemory(device.driver(), lanes.size() * sizeof(ibgda::QueueCursor));
    device.upload(lanes_.data(), lanes.data(), lanes.size() * sizeof(ibgda::QueueCursor));
    exchange_("");  // No rank may put before the other ends are ready.
  }

  PutPort& port_;
  const int rank_;
  const ExchangeBlobs exchange_;
  std::vector<std::unique_ptr<PutQueue>> queues_;  // Indexed by [block][rank]; kernels use them.
  std::map<std::size_t, std::unique_ptr<MemoryRegion>> regions_;
  cuda::DeviceMemory lanes_;
};

}  // namespace

std::unique_ptr<Windows> make_put_windows(cuda::Device& device, PutPort& port, int rank, int ranks,
                                          ExchangeBlobs exchange) {
  return std::make_unique<PutWindows>(device, port, rank, ranks, std::move(exchange));
}

}  // namespace collbench::gpu
