#include "core/process_memory.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace collbench::ipc {
namespace {

const std::uint64_t kPattern = 0x5AFE5EC0DEULL;

/// Code of the helper process: tries to read memory of its parent `owner`, as a peer would.
/// @returns exit status, 0 if that succeeded
[[gnu::noinline]] int read_as_peer(pid_t owner) {
  std::uint64_t seen = 0;
  iovec here{&seen, sizeof seen};
  iovec there{const_cast<std::uint64_t*>(&kPattern), sizeof kPattern};
  const ssize_t got = process_vm_readv(owner, &here, 1, &there, 1, 0);
  return got == static_cast<ssize_t>(sizeof seen) && seen == kPattern ? 0 : 1;
}

bool helper_can_read() {
  // Yama lets an unrelated process copy only after this call. Without Yama the call fails and is not needed.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const pid_t parent = getpid();
  const pid_t child = vfork();  // vfork, because fork would copy the page tables of gigabytes of buffers
  if (child < 0) return false;
  if (child == 0) _exit(read_as_peer(parent));
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  return waited == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

using Copy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

bool copy_all(Copy copy, pid_t owner, std::uint64_t remote, std::byte* local, std::size_t bytes) {
  while (bytes > 0) {
    iovec here{local, bytes};
    iovec there{reinterpret_cast<void*>(static_cast<std::uintptr_t>(remote)), bytes};
    const ssize_t moved = copy(owner, &here, 1, &there, 1, 0);
    if (moved <= 0) {
      if (moved < 0 && errno == EINTR) continue;
      return false;
    }
    local += moved;
    remote += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

bool processes_can_copy() {
  static const bool able = helper_can_read();
  return able;
}

bool copy_to_process(pid_t owner, std::uint64_t remote_address, const std::byte* local, std::size_t bytes) {
  return copy_all(process_vm_writev, owner, remote_address, const_cast<std::byte*>(local), bytes);
}

bool copy_from_process(pid_t owner, std::uint64_t remote_address, std::byte* local, std::size_t bytes) {
  return copy_all(process_vm_readv, owner, remote_address, local, bytes);
}

}  // namespace collbench::ipc
