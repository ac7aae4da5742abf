#pragma once
// Numbers with a kind that NCCL stores for us as pointers. Nothing has to be freed, and a stale number is
// recognised. A call of a captured graph refers to its API event at every replay, long after the event has
// stopped.
#include <cstdint>

namespace collbench::recorder {

enum class HandleKind : std::uint64_t { kGroup = 1, kCall = 2, kKernel = 3, kApi = 4 };

struct TaggedHandle {
  HandleKind kind;
  /// For kCall and kKernel: the number by which OpenCalls knows the call. For kApi: the CUDA stream.
  std::uint64_t value;
  bool is_captured = false;

  void* pointer() const noexcept {
    const std::uint64_t bits = (value << 4) | (is_captured ? 8u : 0u) | static_cast<std::uint64_t>(kind);
    return reinterpret_cast<void*>(bits);  // NOLINT(performance-no-int-to-ptr)
  }
  static TaggedHandle of(const void* pointer) noexcept {
    const auto bits = reinterpret_cast<std::uint64_t>(pointer);
    return {static_cast<HandleKind>(bits & 7), bits >> 4, (bits & 8) != 0};
  }
};

}  // namespace collbench::recorder
