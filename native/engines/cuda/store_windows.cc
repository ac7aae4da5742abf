#include <unistd.h>

#include <cstring>

#include "core/error.h"
#include "engines/cuda/windows.h"

namespace collbench::gpu {
namespace {

constexpr unsigned kEnablePeerAccess = 1;
constexpr int kAlreadyEnabled = 704;

/// Description of a rank's GPU memory (process, address, GPU, IPC handle) with which other ranks map it.
struct MemoryDescription {
  std::int64_t process;
  std::uint64_t address;
  std::int32_t gpu;
  cuda::IpcHandle handle;
};

class StoreWindows final : public Windows {
 public:
  StoreWindows(cuda::Device& device, int rank, ExchangeBlobs exchange)
      : device_(device), rank_(rank), exchange_(std::move(exchange)) {
    const cuda::DriverApi& driver = device_.driver();
    if (driver.ipc_handle == nullptr && !driver.fake)
      throw Error(ErrorCode::kUnavailable, "this CUDA driver does not share memory between processes");
  }
  ~StoreWindows() override {
    for (std::size_t n = 0; n < opened_.size(); ++n) drop(n);
  }

  std::vector<ibgda::KeyedAddress> expose(std::size_t index, void* memory, std::size_t) override {
    const cuda::DriverApi& driver = device_.driver();
    MemoryDescription mine{getpid(), reinterpret_cast<std::uint64_t>(memory), device_.ordinal(), {}};
    if (driver.ipc_handle != nullptr)
      driver.check(driver.ipc_handle(&mine.handle, mine.address), "cuIpcGetMemHandle");
    const auto notes = exchange_(std::string(reinterpret_cast<const char*>(&mine), sizeof mine));
    drop(index);
    std::vector<ibgda::KeyedAddress> all;
    for (std::size_t r = 0; r < notes.size(); ++r) {
      MemoryDescription note;
      std::memcpy(&note, notes[r].data(), sizeof note);
      all.push_back(
          {static_cast<int>(r) == rank_ ? mine.address : open(index, note, static_cast<int>(r)), 0});
    }
    exchange_("");  // Otherwise a kernel could wait for a rank whose driver is still mapping.
    return all;
  }

  void drop(std::size_t index) override {
    if (opened_.size() <= index) opened_.resize(index + 1);
    for (const std::uint64_t address : opened_[index]) device_.driver().ipc_close(address);
    opened_[index].clear();
  }

 private:
  std::uint64_t open(std::size_t index, const MemoryDescription& note, int rank) {
    const cuda::DriverApi& driver = device_.driver();
    if (note.process == getpid()) {
      reach_gpu(note.gpu, rank);
      return note.address;
    }
    std::uint64_t address = 0;
    const int result =
        driver.ipc_open == nullptr ? 1 : driver.ipc_open(&address, note.handle, kEnablePeerAccess);
    if (result != 0)
      throw Error(ErrorCode::kUnavailable,
                  "the GPU of rank " + std::to_string(rank_) + " does not reach the memory of rank " +
                      std::to_string(rank) + " (cuIpcOpenMemHandle: " + std::to_string(result) +
                      "); transport p2p needs CUDA P2P between all GPUs, on one machine, and processes that "
                      "see each other (one container, --ipc=host)");
    opened_[index].push_back(address);
    return address;
  }

  /// Enables access from this rank's GPU to another GPU of this process.
  /// @param gpu number of that GPU @param rank rank that uses it, for the error message
  void reach_gpu(int gpu, int rank) {
    const cuda::DriverApi& driver = device_.driver();
    if (gpu == device_.ordinal() || driver.reach_context == nullptr) return;
    void* theirs = nullptr;
    int device = 0;
    driver.check(driver.device_get(&device, gpu), "cuDeviceGet");
    driver.check(driver.context_retain(&theirs, device), "cuDevicePrimaryCtxRetain");
    const int result = driver.reach_context(theirs, 0);
    driver.context_release(device);
    if (result != 0 && result != kAlreadyEnabled)
      throw Error(ErrorCode::kUnavailable, "the GPU of rank " + std::to_string(rank_) +
                                               " does not reach that of rank " + std::to_string(rank) +
                                               " (cuCtxEnablePeerAccess: " + std::to_string(result) + ")");
  }

  cuda::Device& device_;
  const int rank_;
  const ExchangeBlobs exchange_;
  std::vector<std::vector<std::uint64_t>> opened_;  // Indexed by window.
};

}  // namespace

std::unique_ptr<Windows> make_store_windows(cuda::Device& device, int rank, ExchangeBlobs exchange) {
  return std::make_unique<StoreWindows>(device, rank, std::move(exchange));
}

}  // namespace collbench::gpu
