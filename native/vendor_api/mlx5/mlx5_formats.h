#pragma once
// Work queue and completion queue entries of mlx5 adapters. Initiators (CPU threads, GPU kernels) write work
// entries, the adapter writes completions. Offsets are in bytes; all fields are big-endian. No standard
// library, because device code includes this file. Source: Mellanox Adapters Programmer's Reference Manual
// (PRM), chapters "Work Queue Entries" and "Completion Queues".

namespace collbench::mlx5 {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

// A work queue entry (WQE) has 1 to 63 segments of 16 bytes and starts at a basic block (WQEBB) of the ring.
inline constexpr u32 kBlockBytes = 64;
inline constexpr u32 kSegmentBytes = 16;
inline constexpr u32 kSegmentsPerBlock = kBlockBytes / kSegmentBytes;
inline constexpr u32 kMaxSegments = 63;  // field of 6 bits in the control segment

enum Opcode : u8 {
  kNop = 0x00,
  kWrite = 0x08,
  kWriteImmediate = 0x09,
  kSend = 0x0a,
  kSendImmediate = 0x0b,
  kWait = 0x0f,
  kRead = 0x10,
  kCompareSwap = 0x11,
  kFetchAdd = 0x12,
  kMaskedCompareSwap = 0x14,
  kMaskedFetchAdd = 0x15,
  kDump = 0x23,
};

// Control segment.
inline constexpr u32 kControlWord0 = 0;   // opmod << 24 | index << 8 | opcode
inline constexpr u32 kControlWord1 = 4;   // queue number << 8 | number of segments
inline constexpr u32 kControlFlags = 11;  // fence (bits 7 to 5), completion requested (bits 3 and 2)
inline constexpr u32 kControlImmediate = 12;
inline constexpr u8 kCompletionAlways = 2 << 2;
inline constexpr u8 kCompletionMask = 3 << 2;
inline constexpr u8 kFenceMask = 7 << 5;
inline constexpr u8 kMasked4Bytes = 0x08;  // opmod value of masked atomics
inline constexpr u8 kMasked8Bytes = 0x09;

// Address vector (DC initiators): key, number of the DC target (bit 31 = full form of 48 bytes), LID.
inline constexpr u32 kVectorKey = 0;
inline constexpr u32 kVectorTarget = 8;
inline constexpr u32 kVectorLid = 14;
inline constexpr u32 kVectorExtended = 0x80000000U;
inline constexpr u32 kVectorBytes = 16, kVectorExtendedBytes = 48;

// Remote address segment.
inline constexpr u32 kRemoteAddress = 0;
inline constexpr u32 kRemoteKey = 8;

// Data segment; with kInline the data itself follows the byte count.
inline constexpr u32 kDataBytes = 0;
inline constexpr u32 kDataKey = 4;
inline constexpr u32 kDataAddress = 8;
inline constexpr u32 kInline = 0x80000000U;

// Atomic segment.
inline constexpr u32 kAtomicSwapOrAdd = 0;
inline constexpr u32 kAtomicCompare = 8;

// Wait segment: the queue waits until the named completion queue has completed this index.
inline constexpr u32 kWaitIndex = 8;
inline constexpr u32 kWaitQueue = 12;

// Doorbell record: two words, receive queue and send queue. Each is a producer index in WQEBBs, 16 bits.
inline constexpr u32 kDoorbellReceive = 0;
inline constexpr u32 kDoorbellSend = 4;
/// Offset of the first doorbell register in a UAR page. To ring, an initiator stores the first 8 bytes of a
/// control segment there. It may alternate between this register and kDoorbellRegisterOther.
inline constexpr u32 kDoorbellRegister = 0x800;
inline constexpr u32 kDoorbellRegisterOther = 0x900;
inline constexpr u32 kUarBytes = 4096;

// Completion queue entry, 64 bytes.
inline constexpr u32 kEntryBytes = 64;
inline constexpr u32 kEntryImmediate = 36;
inline constexpr u32 kEntryByteCount = 44;
inline constexpr u32 kEntryVendorSyndrome = 54;
inline constexpr u32 kEntrySyndrome = 55;
inline constexpr u32 kEntryQueue = 56;  // opcode of the WQE << 24 | queue number
inline constexpr u32 kEntryCounter = 60;
inline constexpr u32 kEntryOwner = 63;  // opcode << 4 | owner bit

enum EntryOpcode : u8 {
  kEntryRequest = 0,
  kEntryReceivedWriteImmediate = 1,
  kEntryReceivedSend = 2,
  kEntryReceivedSendImmediate = 3,
  kEntryRequestError = 13,
  kEntryReceiveError = 14,
  kEntryInvalid = 15,
};

enum Syndrome : u8 {
  kLocalLength = 0x01,
  kLocalQueueOperation = 0x02,
  kLocalProtection = 0x04,
  kFlushed = 0x05,
  kBadResponse = 0x10,
  kLocalAccess = 0x11,
  kRemoteInvalidRequest = 0x12,
  kRemoteAccess = 0x13,
  kRemoteOperation = 0x14,
  kTransportRetries = 0x15,
  kReceiverNotReadyRetries = 0x16,
  kRemoteAborted = 0x22,
};

}  // namespace collbench::mlx5
