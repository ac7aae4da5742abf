#pragma once
#include <cstddef>

namespace collbench::cpu {

/// Anonymous memory, zero at first, whose length is rounded up to pages of 4 KiB. From 2 MiB on it is aligned
/// to 2 MiB and made of 2 MiB pages if possible. Unmapped by the destructor.
class Pages {
 public:
  Pages() = default;
  /// @throws Error(kNoMemory) if the kernel has no such memory; the message has the number of bytes
  explicit Pages(std::size_t bytes);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  /// Returns the physical memory to the kernel but keeps the address range mapped. The contents are zero
  /// afterwards.
  void drop_contents() noexcept;

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace collbench::cpu
