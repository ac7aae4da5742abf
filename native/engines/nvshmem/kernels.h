#pragma once
// The shared object with this engine's compiled kernels. It also initialises NVSHMEM and allocates its
// memory: the engine uses NVSHMEM only through the functions of device/abi.h, which this shared object
// exports.
#include <array>
#include <functional>
#include <string>

#include "engines/engine.h"
#include "engines/nvshmem/device/abi.h"

namespace collbench::nvshmem {

class NvshmemKernels {
 public:
  /// Loads the kernels and initialises NVSHMEM; all ranks must construct together. Rank 0 sends NVSHMEM's
  /// unique id to the others through the bootstrap. The device's context must be current.
  /// @param object path of the compiled kernels
  /// @throws Error(kUnavailable) with NVSHMEM's message
  NvshmemKernels(const std::string& object, Bootstrap& bootstrap, std::function<bool()> cancelled);
  ~NvshmemKernels();
  NvshmemKernels(const NvshmemKernels&) = delete;
  NvshmemKernels& operator=(const NvshmemKernels&) = delete;

  /// Allocates symmetric memory filled with zeros; all ranks must call it together, with equal lengths.
  /// @throws Error(kUnavailable) if no memory is left
  void* allocate(std::size_t bytes);
  void free(void* memory) noexcept;
  /// Each of these three functions queues work on the stream in its argument. All ranks must call launch()
  /// together, and both ranks of a message transfer(); a rank calls one_sided() alone.
  /// @throws Error(kUnavailable) with NVSHMEM's message if the launch failed
  void launch(const CollbenchNvshmemCall& call);
  void transfer(const CollbenchNvshmemTransfer& transfer);
  void one_sided(const CollbenchNvshmemOneSided& work);

  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  /// Returns the number of other ranks whose memory this rank's kernels can load from and store to.
  [[nodiscard]] int reached() const noexcept { return reached_; }
  [[nodiscard]] std::int64_t init_ns() const noexcept { return init_ns_; }
  /// Records that other ranks have failed, so that the destructor does not wait for them in nvshmem_finalize.
  void abandon() noexcept { orderly_ = false; }

 private:
  void open(const std::string& object);

  std::function<bool()> cancelled_;
  bool orderly_ = true;
  std::string version_;
  int reached_ = 0;
  std::int64_t init_ns_ = 0;
  void* handle_ = nullptr;
  CollbenchNvshmemIdBytes id_bytes_ = nullptr;
  CollbenchNvshmemMakeId make_id_ = nullptr;
  CollbenchNvshmemCreate create_ = nullptr;
  CollbenchNvshmemVersion get_version_ = nullptr;
  CollbenchNvshmemReached get_reached_ = nullptr;
  CollbenchNvshmemAllocate allocate_ = nullptr;
  CollbenchNvshmemFree free_ = nullptr;
  CollbenchNvshmemLaunch launch_ = nullptr;
  CollbenchNvshmemMove transfer_ = nullptr;
  CollbenchNvshmemReach one_sided_ = nullptr;
  CollbenchNvshmemDestroy destroy_ = nullptr;
};

class NvshmemBuffers {
 public:
  explicit NvshmemBuffers(NvshmemKernels& kernels) : kernels_(kernels) {}
  ~NvshmemBuffers() { release(); }
  NvshmemBuffers(const NvshmemBuffers&) = delete;
  NvshmemBuffers& operator=(const NvshmemBuffers&) = delete;
  /// Returns this rank's send buffer (`index` 0) or receive buffer (1) with at least `bytes`, and 16 more
  /// that kernels may read or write. A buffer that is too short is replaced, and its contents are lost. All
  /// ranks must call it together.
  void* get(int index, std::size_t bytes);
  void release();

 private:
  struct SymmetricBuffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  NvshmemKernels& kernels_;
  std::array<SymmetricBuffer, 2> buffers_;
};

}  // namespace collbench::nvshmem
