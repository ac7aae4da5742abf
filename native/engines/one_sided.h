#pragma once
// Operations that a device starts by itself, on memory of all ranks.
#include <cstddef>
#include <cstdint>

namespace collbench {

/// One launch in which `callers` threads, warps or blocks of a device each do `repeats` operations of
/// `bytes`. Each caller waits for completion after every `window` operations and at the end.
struct OneSided {
  /// kNotify: the peer learns that all launches before this one are complete. kAwait: wait for the peer's
  /// notification.
  enum class Action : std::uint8_t { kPut, kGet, kStore, kLoad, kFetchAdd, kPutSignal, kNotify, kAwait };
  /// Mover of the bytes of puts and gets. kLibrary: calls of the library. kVector: loads and stores of 16
  /// bytes. kBulk: bulk copies through shared memory (blocks only). kCopyEngine: the device's copy engine,
  /// started by the host; one copy of all callers' bytes, as a reference for the others.
  enum class CopyMethod : std::uint8_t { kLibrary, kVector, kBulk, kCopyEngine };
  enum class Scope : std::uint8_t { kThread, kWarp, kBlock };
  Action kind = Action::kPut;  // kStore and kLoad move words of 8 bytes; kFetchAdd adds 1 to 8 bytes.
  CopyMethod mover = CopyMethod::kLibrary;
  Scope scope = Scope::kThread;
  int callers = 1, repeats = 1, window = 1;
  int peer = 0;
  /// kPutSignal goes there and back: true if this rank goes first. For other actions: whether this rank does
  /// the operations.
  bool starts = true;
  std::size_t bytes = 0;
  std::byte* local = nullptr;  // callers * bytes long.
  /// Target or source at the peer, as an address of this rank's buffer of that index.
  std::byte* remote = nullptr;
};

}  // namespace collbench
