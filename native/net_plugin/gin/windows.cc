#include "net_plugin/gin/windows.h"

#include <cstring>
#include <string>

#include "core/error.h"

namespace collbench::net_plugin::gin {

Window& Windows::add(void* data, std::size_t bytes, MemoryKind kind) {
  if (kind == MemoryKind::kCuda && copy_stream_ == nullptr) copy_stream_ = GpuCopyStream::of_memory(data);
  if (kind == MemoryKind::kCuda && copy_stream_ == nullptr)
    throw Error(ErrorCode::kInvalidArgument,
                "memory is registered as that of a GPU, but CUDA does not know it");
  const std::uint64_t number = next_++;
  auto& window = windows_[number];
  window = std::make_unique<Window>(Window{number, static_cast<std::byte*>(data), bytes, kind});
  return *window;
}

void Windows::remove(const Window* window) {
  std::erase_if(windows_, [&](const auto& entry) { return entry.second.get() == window; });
}

const Window& Windows::find(std::uint64_t number, std::uint64_t offset, std::size_t bytes) const {
  const auto found = windows_.find(number);
  if (found == windows_.end())
    throw Error(ErrorCode::kProtocol,
                "window " + std::to_string(number) + " is in use, but not registered (any more)");
  const Window& window = *found->second;
  if (offset > window.bytes || bytes > window.bytes - offset)
    throw Error(ErrorCode::kProtocol, "a peer names bytes " + std::to_string(offset) + " to " +
                                          std::to_string(offset + bytes) + " of a window of " +
                                          std::to_string(window.bytes));
  return window;
}

void Windows::read(const Window& from, std::uint64_t offset, std::byte* to, std::size_t bytes) {
  if (bytes == 0) return;
  if (from.kind == MemoryKind::kHost) {
    std::memcpy(to, from.data + offset, bytes);
    return;
  }
  copy_stream_->copy(to, from.data + offset, bytes);
  copy_stream_->finish();
  copying_ = false;
}

void Windows::write(const Window& to, std::uint64_t offset, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (to.kind == MemoryKind::kHost) {
    std::memcpy(to.data + offset, from, bytes);
    return;
  }
  copy_stream_->copy(to.data + offset, from, bytes);
  copying_ = true;
}

void Windows::copy(const Window& to, std::uint64_t to_offset, const Window& from, std::uint64_t from_offset,
                   std::size_t bytes) {
  if (bytes == 0) return;
  if (to.kind == MemoryKind::kHost && from.kind == MemoryKind::kHost) {
    std::memmove(to.data + to_offset, from.data + from_offset, bytes);
    return;
  }
  copy_stream_->copy(to.data + to_offset, from.data + from_offset, bytes);
  copying_ = true;
}

void Windows::add_to_word(const Window& window, std::uint64_t offset, std::uint64_t value,
                          std::byte* scratch) {
  std::byte* word = window.data + offset;
  if (window.kind == MemoryKind::kHost) {
    finish();
    __atomic_fetch_add(reinterpret_cast<std::uint64_t*>(word), value, __ATOMIC_RELEASE);
    return;
  }
  // Only the network changes a signal in use, so nothing comes between reading and writing it.
  std::uint64_t sum = 0;
  copy_stream_->copy(scratch, word, sizeof sum);
  copy_stream_->finish();
  std::memcpy(&sum, scratch, sizeof sum);
  sum += value;
  std::memcpy(scratch, &sum, sizeof sum);
  copy_stream_->copy(word, scratch, sizeof sum);
  copy_stream_->finish();
  copying_ = false;
}

void Windows::finish() {
  if (copying_) copy_stream_->finish();
  copying_ = false;
}

}  // namespace collbench::net_plugin::gin
