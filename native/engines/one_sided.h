#pragma once
// Operations that a device starts by itself, in memory of all ranks.
#include <cstddef>
#include <cstdint>

namespace collbench {

/// `callers` threads, warps or blocks of a device each do `repeats` operations of `bytes`, all in one launch.
/// They wait until theirs are complete after every `window` of them, and at the end.
struct OneSided {
  /// Tell: the peer hears that all launches before this one are complete. Await: that word of the peer's.
  enum class Kind : std::uint8_t { kPut, kGet, kStore, kLoad, kFetchAdd, kPutSignal, kTell, kAwait };
  /// What moves the bytes of puts and gets: calls of the library, loads and stores of 16 bytes, bulk copies
  /// through shared memory (blocks alone), or the device's copy engine, which the host starts (the raw copy
  /// that others are compared with: one of all callers' bytes).
  enum class Mover : std::uint8_t { kLibrary, kVector, kBulk, kCopyEngine };
  enum class Scope : std::uint8_t { kThread, kWarp, kBlock };
  Kind kind = Kind::kPut;  // store and load: in words of 8 bytes; fetch-add: 1, to 8 bytes
  Mover mover = Mover::kLibrary;
  Scope scope = Scope::kThread;
  int callers = 1, repeats = 1, window = 1;
  int peer = 0;
  bool starts = true;  // put-signal goes there and back: this rank goes first. Of the others it is all
  std::size_t bytes = 0;
  std::byte* local = nullptr;  // callers * bytes
  /// What they are put to or taken from at the peer, as an address of this rank's buffer of that index.
  std::byte* remote = nullptr;
};

}  // namespace collbench
