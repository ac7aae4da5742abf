#include "emulated/softmlx5/nic/completion_queue.h"

#include <array>
#include <cstring>

#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/nic/gpu_copy.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5 {

using namespace mlx5;

bool CompletionQueue::push(const Completion& completion) noexcept {
  const std::uint32_t size = 1U << setup.log_entries;
  if (!setup.ignore_overrun && setup.doorbell != nullptr) {
    const std::uint32_t consumed =
        big32(shared_word<std::uint32_t>(setup.doorbell).load(std::memory_order_acquire));
    overrun = overrun || ((produced - consumed) & 0xFFFFFF) >= size;
  }
  if (overrun) return false;
  std::array<std::byte, kEntryBytes> entry{};
  const auto store32 = [&entry](std::uint32_t at, std::uint32_t value) {
    value = big32(value);
    std::memcpy(entry.data() + at, &value, sizeof value);
  };
  store32(kEntryImmediate, completion.immediate);
  store32(kEntryByteCount, completion.bytes);
  entry[kEntrySyndrome] = std::byte{completion.syndrome};
  store32(kEntryQueue, std::uint32_t{completion.work_opcode} << 24 | completion.queue);
  const auto owner = static_cast<std::uint8_t>(produced >> setup.log_entries & 1);
  store32(kEntryCounter, std::uint32_t{completion.counter} << 16 |
                             static_cast<std::uint32_t>(completion.entry_opcode << 4 | owner));
  std::byte* at = setup.entries + (setup.collapsed ? 0 : std::size_t{produced & (size - 1)} * kEntryBytes);
  if (setup.on_gpu) {  // one copy of 64 bytes arrives as a whole
    overrun = !copy_gpu(at, entry.data(), kEntryBytes);
    produced += overrun ? 0 : 1;
    return !overrun;
  }
  // The last 8 bytes mark the entry as valid; they are written last, in one store.
  constexpr std::size_t kLastWord = kEntryBytes - sizeof(std::uint64_t);
  std::uint64_t last = 0;
  std::memcpy(&last, entry.data() + kLastWord, sizeof last);
  std::memcpy(at, entry.data(), kLastWord);
  shared_word<std::uint64_t>(at + kLastWord).store(last, std::memory_order_release);
  ++produced;
  return true;
}

}  // namespace collbench::softmlx5
