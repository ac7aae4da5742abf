#pragma once
#include <cstddef>

namespace collbench::cpu {

/// Anonymous memory, aligned to 2 MiB and made of 2 MiB pages if possible. Unmapped by the destructor.
class Pages {
 public:
  Pages() = default;
  /// @throws Error(kInternal) if the kernel refuses, naming the bytes
  explicit Pages(std::size_t bytes);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  /// Gives the memory back but keeps the addresses; the contents read as zero afterwards.
  void drop_contents() noexcept;

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace collbench::cpu
