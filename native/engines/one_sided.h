#pragma once
// Operations that a device starts by itself, on memory of all ranks.
#include <cstddef>
#include <cstdint>

namespace collbench {

/// One launch in which `callers` threads, warps or blocks of a device each do `repeats` operations of `bytes`
/// on a peer's memory. Each caller waits for completion after every `window` operations and at the end.
struct OneSided {
  /// Kind of operation. kNotify tells the peer that all launches before this one are complete. kAwait waits
  /// for that notification of the peer.
  enum class Action : std::uint8_t { kPut, kGet, kStore, kLoad, kFetchAdd, kPutSignal, kNotify, kAwait };
  /// Method by which bytes of puts and gets are moved. kLibrary: by calls of the library. kVector: by loads
  /// and stores of 16 bytes. kBulk: by bulk copies through shared memory (scope kBlock only). kCopyEngine: by
  /// the device's copy engine, started by the host, in one copy for all callers; a reference for the other
  /// methods.
  enum class CopyMethod : std::uint8_t { kLibrary, kVector, kBulk, kCopyEngine };
  enum class Scope : std::uint8_t { kThread, kWarp, kBlock };
  Action kind = Action::kPut;  // kStore and kLoad move 8-byte words; kFetchAdd adds 1 to an 8-byte word.
  CopyMethod mover = CopyMethod::kLibrary;
  Scope scope = Scope::kThread;
  int callers = 1, repeats = 1, window = 1;
  int peer = 0;
  /// kPutSignal: true if this rank sends first and the peer answers each put with one of its own. Other
  /// actions: true if this rank does the operations, false if its peer does.
  bool starts = true;
  std::size_t bytes = 0;
  std::byte* local = nullptr;  // This rank's memory for the operations' data, callers * bytes long.
  /// Memory at the peer that is written or read, given as the address of the same place in this rank's own
  /// buffer. All ranks have equal buffers, so the engine can compute the peer's address from it.
  std::byte* remote = nullptr;
};

}  // namespace collbench
