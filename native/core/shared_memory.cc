#include "core/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace collbench::ipc {
namespace {
// Pages of small segments are mapped at once: a page fault during a latency measurement costs more than the
// message. Pages of large ones are mapped when first used.
constexpr std::size_t kPopulateLimit = std::size_t{16} << 20;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
}  // namespace

std::size_t whole_pages(std::size_t bytes) noexcept {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

SharedMemory::~SharedMemory() {
  if (base_.load() != nullptr) munmap(base_.load(), whole_pages(bytes_));
}

bool SharedMemory::create(std::size_t bytes) {
  FileDescriptor fd(memfd_create("collbench", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const auto length = static_cast<off_t>(whole_pages(bytes));
  if (!fd || ftruncate(fd.get(), length) != 0) return false;
  int status = 0;
  do {
    status = posix_fallocate(fd.get(), 0, length);
  } while (status == EINTR);
  if (status != 0) {
    errno = status;
    return false;
  }
  // The size is sealed: a peer that shrank the memory would kill this process by SIGBUS.
  if (fcntl(fd.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0) return false;
  fd_ = std::move(fd);
  bytes_ = bytes;
  return true;
}

bool SharedMemory::adopt(FileDescriptor fd, std::size_t bytes) {
  struct stat info{};
  if (!fd || fstat(fd.get(), &info) != 0) return false;
  if (static_cast<std::size_t>(info.st_size) != whole_pages(bytes)) return false;
  if ((fcntl(fd.get(), F_GET_SEALS) & kSeals) != kSeals) return false;
  fd_ = std::move(fd);
  bytes_ = bytes;
  return true;
}

std::byte* SharedMemory::map_now() {
  const std::lock_guard lock(mutex_);
  if (base_.load() != nullptr) return base_.load();
  const std::size_t length = whole_pages(bytes_);
  const int populate = length <= kPopulateLimit ? MAP_POPULATE : 0;
  void* at = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | populate, fd_.get(), 0);
  if (at == MAP_FAILED) return nullptr;
  base_.store(static_cast<std::byte*>(at), std::memory_order_release);
  return static_cast<std::byte*>(at);
}

}  // namespace collbench::ipc
