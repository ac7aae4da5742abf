#include "emulated/softmlx5/nic/atomics.h"

#include <cstring>

#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/nic/gpu_copy.h"

namespace collbench::softmlx5 {
namespace {

using namespace mlx5;

/// Adds two words field by field; each bit set in `boundary` is the highest bit of a field. No carry leaves
/// its field.
std::uint64_t add_in_fields(std::uint64_t value, std::uint64_t add, std::uint64_t boundary) noexcept {
  const std::uint64_t inner = (value & ~boundary) + (add & ~boundary);
  return inner ^ ((value ^ add) & boundary);
}

template <typename Word>
std::uint64_t on_host(const AtomicOperation& operation, std::byte* at) noexcept {
  auto word = shared_word<Word>(at);
  Word before = word.load(std::memory_order_acquire);
  while (!word.compare_exchange_weak(before, static_cast<Word>(result_of(operation, before)),
                                     std::memory_order_acq_rel)) {
  }
  return before;
}

}  // namespace

std::uint64_t result_of(const AtomicOperation& operation, std::uint64_t before) noexcept {
  const auto& [first, second, third, fourth] = operation.operands;
  switch (operation.opcode) {
    case kFetchAdd:
      return before + first;
    case kCompareSwap:
      return before == second ? first : before;
    case kMaskedFetchAdd:
      return add_in_fields(before, first, second);
    case kMaskedCompareSwap:
      return ((before ^ second) & fourth) == 0 ? (before & ~third) | (first & third) : before;
    default:
      return before;
  }
}

bool carry_out_atomic(const AtomicOperation& operation, std::byte* at, bool on_gpu, std::uint64_t* before) {
  std::uint64_t old = 0;
  if (on_gpu) {
    if (!copy_gpu(reinterpret_cast<std::byte*>(&old), at, operation.bytes())) return false;
    std::uint64_t fresh = result_of(operation, old);
    if (!copy_gpu(at, reinterpret_cast<const std::byte*>(&fresh), operation.bytes())) return false;
  } else if (operation.bytes() == 4) {
    old = on_host<std::uint32_t>(operation, at);
  } else {
    old = on_host<std::uint64_t>(operation, at);
  }
  *before = operation.bytes() == 4 ? big32(static_cast<std::uint32_t>(old)) : old;
  return true;
}

void flip_bit(std::byte* at, bool on_gpu) {
  std::byte value{};
  if (on_gpu ? !copy_gpu(&value, at, 1) : false) return;
  if (!on_gpu) value = *at;
  value ^= std::byte{1};
  if (on_gpu) {
    copy_gpu(at, &value, 1);
  } else {
    *at = value;
  }
}

}  // namespace collbench::softmlx5
