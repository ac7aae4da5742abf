#ifndef COLLBENCH_DEVX_H
#define COLLBENCH_DEVX_H
/* Mailboxes (inputs and outputs) of the DEVX commands: positions of their big-endian bit fields. A field's
 * `bit` counts from the most significant bit of byte 0, as the programmer's manual does; a context (qpc, cqc,
 * path, capability) that lies inside a mailbox has fields counted from its own beginning: get(in,
 * inside(kQpcInMailbox, qpc::kPd)). Written from public facts. */
#include <cstdint>

namespace collbench::rdma::devx {

struct Field {
  std::uint32_t bit;
  std::uint32_t bits;  // 1 to 32 bits within 5 bytes, or 64 bits on a whole byte
};

/// Returns the position of a field of an embedded structure (context), counted from the mailbox's beginning.
/// @param begin bit of the mailbox at which the context begins
constexpr Field inside(std::uint32_t begin, Field field) { return {begin + field.bit, field.bits}; }

/// Returns how many bytes a DEVX mailbox must have to contain `field`: from its beginning to the field's end.
constexpr std::uint32_t bytes_to(Field field) { return (field.bit + field.bits + 7) / 8; }

/// Returns the value of a bit field of a DEVX command or answer (`mailbox`, big-endian).
inline std::uint64_t get(const void* mailbox, Field field) {
  const auto* bytes = static_cast<const std::uint8_t*>(mailbox);
  std::uint64_t value = 0;
  const std::uint32_t end = bytes_to(field);
  for (std::uint32_t byte = field.bit / 8; byte < end; ++byte) value = value << 8 | bytes[byte];
  value >>= end * 8 - (field.bit + field.bits);
  return field.bits == 64 ? value : value & ((std::uint64_t{1} << field.bits) - 1);
}

/// Writes a bit field of a DEVX command or answer; bits of `value` beyond the field's width are dropped.
inline void set(void* mailbox, Field field, std::uint64_t value) {
  auto* bytes = static_cast<std::uint8_t*>(mailbox);
  const std::uint32_t end = bytes_to(field);
  const std::uint32_t shift = end * 8 - (field.bit + field.bits);
  const std::uint64_t mask = (field.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.bits) - 1)
                             << shift;
  value = value << shift & mask;
  for (std::uint32_t byte = end; byte-- > field.bit / 8;) {
    const std::uint32_t up = (end - 1 - byte) * 8;
    bytes[byte] = static_cast<std::uint8_t>((bytes[byte] & ~(mask >> up)) | value >> up);
  }
}

// Opcodes of commands.
inline constexpr std::uint16_t kQueryHcaCap = 0x100, kCreateCq = 0x400, kDestroyCq = 0x401, kQueryCq = 0x402,
                               kCreateQp = 0x500, kDestroyQp = 0x501, kRst2Init = 0x502, kInit2Rtr = 0x503,
                               kRtr2Rts = 0x504, kRts2Rts = 0x505, kQp2Err = 0x507, kQp2Rst = 0x50a,
                               kQueryQp = 0x50b, kInit2Init = 0x50e;

// Result codes in `status` of an answer.
enum Status : std::uint8_t {
  kOk = 0x0,
  kInternalError = 0x1,
  kBadOperation = 0x2,
  kBadParameter = 0x3,
  kBadResource = 0x5,
  kResourceBusy = 0x6,
  kLimitExceeded = 0x8,
  kBadResourceState = 0x9,
  kNoResources = 0xf,
  kBadQpState = 0x10,
  kBadInputLength = 0x50,
  kBadOutputLength = 0x51
};

// Fields of every mailbox.
inline constexpr std::uint32_t kMailboxHeadBytes = 16;
/// Fields at the beginning of every DEVX command: opcode, user id, operation modifier, number of the object.
inline constexpr Field kOpcode{0x0, 16}, kUid{0x10, 16}, kOpMod{0x30, 16}, kInObject{0x48, 24};
inline constexpr Field kStatus{0x0, 8}, kSyndrome{0x20, 32}, kOutObject{0x48, 24};  // fields of the output

// CREATE_CQ.
inline constexpr std::uint32_t kCqcInMailbox = 0x80;
inline constexpr Field kCqUmemOffset{0x280, 64}, kCqUmemId{0x2c0, 32}, kCqUmemValid{0x2e0, 1};
inline constexpr std::uint32_t kCreateCqInBytes = 272, kCreateCqOutBytes = 16;
namespace cqc {
inline constexpr Field kStatusBits{0x0, 4}, kDbrUmemValid{0x6, 1}, kCqeSize{0x8, 3}, kCollapsed{0xb, 1},
    kOverrunIgnore{0xe, 1}, kDbrUmemId{0x20, 32}, kLogSize{0x63, 5}, kUarPage{0x68, 24}, kEqn{0xb8, 8},
    kLogPageSize{0xc3, 5}, kDbrAddr{0x1c0, 64};
}

// CREATE_QP, the state changes and QUERY_QP, whose output has the context at the same offset.
inline constexpr std::uint32_t kQpcInMailbox = 0xc0, kQpcBytes = 232;
inline constexpr Field kOptParamMask{0x80, 32};
inline constexpr Field kWqUmemOffset{0x800, 64}, kWqUmemId{0x840, 32}, kWqUmemValid{0x860, 1};
inline constexpr std::uint32_t kCreateQpInBytes = 272, kCreateQpOutBytes = 16, kModifyQpInBytes = 272,
                               kModifyQpOutBytes = 16, kQueryQpInBytes = 16, kQueryQpOutBytes = 256;
namespace qpc {
inline constexpr Field kState{0x0, 4}, kServiceType{0x8, 8}, kPathMigration{0x13, 2}, kPd{0x28, 24},
    kMtu{0x40, 3}, kLogMsgMax{0x43, 5}, kLogRqSize{0x49, 4}, kLogRqStride{0x4d, 3}, kNoSq{0x50, 1},
    kLogSqSize{0x51, 4}, kUarPage{0x68, 24}, kUserIndex{0x88, 24}, kLogPageSize{0xa3, 5},
    kRemoteQpn{0xa8, 24}, kLogAckReqFreq{0x380, 4}, kLogSraMax{0x388, 3}, kRetryCount{0x38d, 3},
    kRnrRetry{0x390, 3}, kNextSendPsn{0x3c8, 24}, kCqnSend{0x3e8, 24}, kLogRraMax{0x488, 3},
    kAtomicMode{0x48c, 4}, kRemoteRead{0x490, 1}, kRemoteWrite{0x491, 1}, kRemoteAtomic{0x492, 1},
    kPageOffset{0x494, 6}, kCdSlaveReceive{0x49d, 1}, kCdSlaveSend{0x49e, 1}, kCdMaster{0x49f, 1},
    kMinRnrNak{0x4a3, 5}, kNextReceivePsn{0x4a8, 24}, kCqnReceive{0x4e8, 24}, kDbrAddr{0x500, 64},
    kQKey{0x540, 32}, kRqType{0x565, 3}, kSrqn{0x568, 24}, kDcAccessKey{0x640, 64}, kDbrUmemValid{0x683, 1},
    kDbrUmemId{0x720, 32};
inline constexpr std::uint32_t kPrimaryPath = 0xc0;  // field of type `path`
// Values of fields.
inline constexpr std::uint8_t kRc = 0x0, kDci = 0x5, kDct = 0x6;  // kServiceType
inline constexpr std::uint8_t kRqRegular = 0, kRqSrq = 1, kRqNone = 3;
enum State : std::uint8_t {
  kReset = 0,
  kInit = 1,
  kRtr = 2,
  kRts = 3,
  kSqError = 4,
  kSqDraining = 5,
  kError = 6
};
}  // namespace qpc
namespace path {
inline constexpr Field kPkeyIndex{0x10, 16}, kGrh{0x28, 1}, kRlid{0x30, 16}, kAckTimeout{0x40, 5},
    kSourceAddressIndex{0x48, 8}, kHopLimit{0x58, 8}, kServiceLevel{0x124, 4}, kPort{0x128, 8};
inline constexpr std::uint32_t kRemoteGidByte = 16;  // 16 bytes, offset from the start of the path
}  // namespace path

// QUERY_HCA_CAP: op_mod is type << 1 | current. The capability starts at byte 16 of the output and has at
// most 4096 bytes.
inline constexpr std::uint32_t kCapInMailbox = 0x80, kCapBytes = 4096, kQueryHcaCapInBytes = 16;
inline constexpr std::uint16_t kCapGeneral = 0, kCapAtomic = 3, kCapRoce = 4;
namespace cap {
inline constexpr Field kLogMaxQpSize{0x88, 8}, kLogMaxQp{0x9b, 5}, kLogMaxCqSize{0xc8, 8}, kLogMaxCq{0xdb, 5},
    kGidTableSize{0x170, 16}, kPortType{0x1b6, 2}, kNumPorts{0x1b8, 8}, kCqeVersion{0x1fc, 4},
    kCompactAddressVector{0x200, 1}, kDct{0x21a, 1}, kRc{0x23f, 1}, kLogBfRegSize{0x26b, 5},
    kMaxWqeSizeSq{0x290, 16}, kMaxWqeSizeRq{0x2b0, 16};
}
namespace atomic_cap {
inline constexpr Field kRequesterBigEndian8B{0x40, 1}, kResponderBigEndian8B{0x46, 1}, kOperations{0x90, 16},
    kSizeQp{0xb0, 16}, kSizeDc{0xd0, 16};
inline constexpr std::uint16_t kCompareSwap = 1, kFetchAdd = 2, kMaskedCompareSwap = 4, kMaskedFetchAdd = 8;
/// Sizes of atomic operands in bytes. The fields kSizeQp and kSizeDc have the bit with value 4 or 8 set if
/// the adapter supports operands of 4 or 8 bytes.
inline constexpr std::uint16_t kFourBytes = 4, kEightBytes = 8;
}  // namespace atomic_cap

}  // namespace collbench::rdma::devx
#endif
