// Generated from orchestration/failures/error-codes.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include <cstdint>

namespace collbench {

enum class ErrorCode : std::uint8_t {
  /// The caller requested something impossible.
  kInvalidArgument,
  /// The machine cannot do it; the message says what would make it possible.
  kUnavailable,
  /// The machine has no memory for a buffer.
  kNoMemory,
  /// The peer or the link was lost.
  kConnectionLost,
  /// A deadline passed.
  kTimeout,
  /// The suspect of a hang is not in the collective call in which all other ranks wait.
  kAbsent,
  /// The suspect of a hang has not connected to the address at which the ranks meet.
  kNeverJoined,
  /// The peer sent something that the protocol forbids.
  kProtocol,
  /// The operation was stopped on request.
  kCancelled,
  /// One of our own invariants is broken.
  kInternal,
};

struct ErrorCodeRow {
  /// Name in messages between processes and in reports. Names never change.
  const char* name;
  /// How well the code explains the ends of other ranks: 3 = an error of the rank itself; less = the rank
  /// ended because another one had ended.
  int explains;
};
/// Rows in the order of ErrorCode.
inline constexpr ErrorCodeRow kErrorCodes[] = {
    {"invalid_argument", 3}, {"unavailable", 3},  {"no_memory", 3}, {"connection_lost", 2}, {"timeout", 3},
    {"absent", 3},           {"never_joined", 3}, {"protocol", 3},  {"cancelled", 1},       {"internal", 3},
};

}  // namespace collbench
