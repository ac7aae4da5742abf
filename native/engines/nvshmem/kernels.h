#pragma once
// The compiled kernels, and NVSHMEM as they started it: everything of NVSHMEM's is behind device/abi.h.
#include <functional>
#include <string>

#include "engines/engine.h"
#include "engines/nvshmem/device/abi.h"

namespace collbench::nvshmem {

class Kernels {
 public:
  /// All ranks together: rank 0 makes the unique id, the bootstrap carries it. The device's context is
  /// current.
  /// @throws Error(kUnavailable) with NVSHMEM's words
  Kernels(const std::string& object, Bootstrap& bootstrap, std::function<bool()> cancelled);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// Symmetric memory, zeroed: all ranks together, of equal length. @throws Error(kUnavailable)
  void* allocate(std::size_t bytes);
  void free(void* memory) noexcept;
  /// Queue; all ranks together. @throws Error(kUnavailable)
  void launch(const CollbenchNvshmemCall& call);
  void transfer(const CollbenchNvshmemTransfer& transfer);
  void one_sided(const CollbenchNvshmemOneSided& work);

  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  /// Of the other ranks those that loads and stores reach.
  [[nodiscard]] int reached() const noexcept { return reached_; }
  [[nodiscard]] std::int64_t init_ns() const noexcept { return init_ns_; }
  /// Other ranks are gone: nothing is awaited at the end.
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
