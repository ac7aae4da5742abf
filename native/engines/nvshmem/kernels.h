#pragma once
// The compiled kernels and the NVSHMEM that they initialise. Everything of NVSHMEM is behind device/abi.h.
#include <functional>
#include <string>

#include "engines/engine.h"
#include "engines/nvshmem/device/abi.h"

namespace collbench::nvshmem {

class NvshmemKernels {
 public:
  /// Initialises NVSHMEM; all ranks must construct together. Rank 0 creates the unique id and sends it to the
  /// others through the bootstrap. The device's context must be current.
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
  /// launch(), transfer() and one_sided() each queue work on its stream; all ranks must call them together.
  /// @throws Error(kUnavailable) with NVSHMEM's message if the launch failed
  void launch(const CollbenchNvshmemCall& call);
  void transfer(const CollbenchNvshmemTransfer& transfer);
  void one_sided(const CollbenchNvshmemOneSided& work);

  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  /// Returns the number of other ranks whose memory kernels of this rank can load and store.
  [[nodiscard]] int reached() const noexcept { return reached_; }
  [[nodiscard]] std::int64_t init_ns() const noexcept { return init_ns_; }
  /// Declares that other ranks have ended, so that the destructor does not wait for them.
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

}  // namespace collbench::nvshmem
