#pragma once
#include <cstddef>

namespace collbench::cpu {

/// Anonymous pages, aligned to and if possible made of 2 MiB pages. Not copyable; unmapped when it dies.
class Pages {
 public:
  Pages() = default;
  /// @throws Error(kInternal) when the kernel refuses, naming the bytes
  explicit Pages(std::size_t bytes);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  /// Gives the memory back but keeps the addresses; reads as zero afterwards.
  void drop_contents() noexcept;

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace collbench::cpu
