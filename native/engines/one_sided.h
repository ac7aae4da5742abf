#pragma once
// Operations that a device starts by itself, in memory of all ranks.
#include <cstddef>
#include <cstdint>

namespace collbench {

/// `callers` threads, warps or blocks of a device each do one operation of `bytes` and wait until it is
/// complete, `repeats` times, all in one launch.
struct OneSided {
  enum class Kind : std::uint8_t { kPut, kGet, kStore, kLoad, kFetchAdd, kPutSignal };
  enum class Scope : std::uint8_t { kThread, kWarp, kBlock };
  Kind kind = Kind::kPut;  // store and load: in words of 8 bytes; fetch-add: 1, to 8 bytes
  Scope scope = Scope::kThread;
  int callers = 1, repeats = 1;
  int peer = 0;
  bool starts = true;  // put-signal goes there and back: this rank goes first. Of the others it is all
  std::size_t bytes = 0;
  std::byte* local = nullptr;  // callers * bytes
  /// What they are put to or taken from at the peer, as an address of this rank's buffer of that index.
  std::byte* remote = nullptr;
};

}  // namespace collbench
