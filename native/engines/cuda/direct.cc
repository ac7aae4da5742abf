#include "engines/cuda/direct.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "engines/cuda/sources.h"
#include "transports/ibgda/initiator.h"

namespace collbench::gpu {

namespace {

// Size of GPU pages; IPC handles refer to whole pages.
constexpr std::size_t kGranularity = std::size_t{2} << 20;
constexpr std::size_t kInboxBytes = sizeof(Inbox);
constexpr std::uint32_t kThreads = 256;  // Block size of a launch.
/// Largest vector in bytes for which every rank sends its whole input to all others. With n ranks this moves
/// n/2 times as many bytes as two hops, but saves a hop.
constexpr std::size_t kOneHopBytes = std::size_t{256} << 10;
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;  // Bytes that justify a block of their own.
constexpr std::size_t kInboxWindow = KernelCollectives::kBuffers;

constexpr CollectiveKind kKinds[] = {CollectiveKind::kAllreduce, CollectiveKind::kAllgather,
                                     CollectiveKind::kReducescatter, CollectiveKind::kBroadcast,
                                     CollectiveKind::kAlltoall};
constexpr std::string_view kKindNames[] = {"allreduce", "allgather", "reducescatter", "broadcast",
                                           "alltoall"};
/// Names in the order of DirectType and DirectOp, which is that of DataType and ReduceOp.
constexpr std::string_view kTypeNames[] = {"int8",   "uint8",   "int32",    "uint32",  "int64",
                                           "uint64", "float16", "bfloat16", "float32", "float64"};
constexpr std::string_view kOpNames[] = {"sum", "prod", "min", "max"};
static_assert(static_cast<u32>(DataType::kInt8) == kInt8 && static_cast<u32>(DataType::kUint64) == kUint64 &&
              static_cast<u32>(DataType::kFloat16) == kFloat16 &&
              static_cast<u32>(DataType::kFloat64) == kFloat64 && std::size(kTypeNames) == kDirectTypes);
static_assert(static_cast<u32>(ReduceOp::kSum) == kSum && static_cast<u32>(ReduceOp::kMax) == kMax &&
              std::size(kOpNames) == kDirectOps);

/// Checks that the engine supports the operation. @throws Error(kInvalidArgument) if it does not
void require_offered(const Operation& operation) {
  if (static_cast<u32>(operation.dtype) >= kDirectTypes)
    throw Error(ErrorCode::kInvalidArgument, "the cuda engine does not have this data type");
  if (reduces(operation.kind) && static_cast<u32>(operation.op) >= kDirectOps)
    throw Error(ErrorCode::kInvalidArgument, "the cuda engine does not have this operation");
}

std::size_t bytes_of(const Operation& operation) { return operation.count * size_of(operation.dtype); }

DirectShape shape_of_call(const Operation& operation) {
  switch (operation.kind) {
    case CollectiveKind::kAllreduce:
      return bytes_of(operation) <= kOneHopBytes ? kOneShot : kTwoShot;
    case CollectiveKind::kReducescatter:
      return kReduceScatter;
    case CollectiveKind::kAllgather:
      return kGather;
    case CollectiveKind::kAlltoall:
      return kSpread;
    default:
      return kBroadcast;
  }
}

/// Does the work of the kernel on the host, for fake GPUs: runs the blocks one after the other, each on one
/// thread. All ranks run them in the same order.
void run_direct(const void* arguments) {
  DirectArgs args = *static_cast<const DirectArgs*>(arguments);
  args.workers = 1;
  for (u32 block = 0; block < args.blocks; ++block) {
    set_word(args, block);
    run_block(args, block, 0);
  }
}

}  // namespace

std::span<const std::string_view> direct_kinds() noexcept { return kKindNames; }
std::span<const std::string_view> direct_types() noexcept { return kTypeNames; }
std::span<const std::string_view> direct_ops() noexcept { return kOpNames; }

KernelCollectives::KernelCollectives(cuda::Device& device, cuda::Computations& computations,
                                     std::unique_ptr<Windows> windows, int rank, int ranks,
                                     const CudaSettings& settings)
    : device_(device),
      computations_(computations),
      rank_(rank),
      ranks_(ranks),
      settings_(settings),
      counters_(device.driver(), sizeof(DirectCounters)),
      mailbox_(device.driver(), sizeof(DirectMailbox)),
      windows_(std::move(windows)) {
  std::memset(mailbox_.data(), 0, sizeof(DirectMailbox));
  if (ranks > static_cast<int>(kMaxRanks))
    throw Error(ErrorCode::kInvalidArgument, "the cuda engine connects every rank to every other: at most " +
                                                 std::to_string(kMaxRanks) + " ranks, not " +
                                                 std::to_string(ranks));
  if (windows_->lanes() == nullptr)
    stores_.emplace(device, computations, *windows_, rank, ranks, kBuffers,
                    static_cast<DirectCounters*>(counters_.data()),
                    reinterpret_cast<DirectMailbox*>(mailbox_.device_address()));
}

KernelCollectives::~KernelCollectives() {
  stop();
  try {
    device_.drain();        // Kernels store into other ranks' memory until they end.
  } catch (const Error&) {  // The device has failed and does nothing more.
  }
}

void KernelCollectives::stop() noexcept {
  ibgda::store_word(&static_cast<DirectMailbox*>(mailbox_.data())->stop, 1U);
}

void KernelCollectives::check() const {
  const u32 syndrome = ibgda::load_word(&static_cast<const DirectMailbox*>(mailbox_.data())->syndrome);
  if (syndrome != 0)
    throw Error(ErrorCode::kConnectionLost,
                "ibgda: a completion that the GPU took says " +
                    ibgda::syndrome_text(static_cast<std::uint8_t>(syndrome - 1)));
}

void* KernelCollectives::buffer(std::size_t index, std::size_t bytes) {
  ExposedBuffer& buffer = buffers_.at(index);
  if (buffer.memory.bytes() < bytes || buffer.memory.data() == nullptr) {
    windows_->drop(index);
    buffer = ExposedBuffer();  // The old memory is freed first, because both together might not fit.
    bytes = (bytes + kGranularity - 1) / kGranularity * kGranularity;
    buffer.memory = cuda::DeviceMemory(device_.driver(), bytes);
  }
  return buffer.memory.data();
}

void KernelCollectives::release() {
  for (std::size_t n = 0; n < buffers_.size(); ++n) {
    windows_->drop(n);
    buffers_[n] = ExposedBuffer();
  }
}

void KernelCollectives::expose(std::size_t index, ExposedBuffer& buffer) {
  if (!buffer.at.empty()) return;
  buffer.at = windows_->expose(index, buffer.memory.data(), buffer.memory.bytes());
}

void KernelCollectives::fit_slots(std::size_t slot_bytes) {
  if (slot_bytes <= slot_bytes_ && !inbox_.at.empty()) return;
  slot_bytes_ = std::max(slot_bytes, kOneHopBytes);
  const std::size_t bytes = kInboxBytes + 2 * static_cast<std::size_t>(ranks_) * slot_bytes_;
  device_.drain();
  windows_->drop(kInboxWindow);
  inbox_ = ExposedBuffer();
  inbox_.memory =
      cuda::DeviceMemory(device_.driver(), (bytes + kGranularity - 1) / kGranularity * kGranularity);
  expose(kInboxWindow, inbox_);
}

const KernelCollectives::ExposedBuffer& KernelCollectives::holding(const void* at) const {
  const auto address = reinterpret_cast<std::uint64_t>(at);
  for (const ExposedBuffer& buffer : buffers_)
    if (address >= buffer.memory.address() && address < buffer.memory.address() + buffer.memory.bytes())
      return buffer;
  throw Error(ErrorCode::kInvalidArgument, "a buffer of a call does not lie in memory from Engine::buffer()");
}

std::vector<std::byte*> KernelCollectives::reach(const void* at) {
  const ExposedBuffer& holder = holding(at);
  const auto index = static_cast<std::size_t>(&holder - buffers_.data());
  expose(index, buffers_[index]);
  const u64 offset = reinterpret_cast<u64>(at) - holder.memory.address();
  std::vector<std::byte*> all;
  for (const ibgda::KeyedAddress& one : holder.at)
    all.push_back(reinterpret_cast<std::byte*>(one.address + offset));
  return all;
}

std::string KernelCollectives::algorithm_of(const Operation& operation) const {
  if (stores_) return std::string(gpu::algorithm_of(plan_of(operation, ranks_, settings_)));
  if (operation.kind != CollectiveKind::kAllreduce || ranks_ < 2) return "direct";
  return bytes_of(operation) <= kOneHopBytes ? "one-shot" : "two-shot";
}

std::string KernelCollectives::protocol_of(const Operation& operation) const {
  return stores_ ? format_shape(plan_of(operation, ranks_, settings_)) : "";
}

void KernelCollectives::queue(const CollectiveCall& call) {
  require_offered(call.operation);
  if (call.operation.count == 0) return;
  for (std::size_t n = 0; n < buffers_.size(); ++n)
    if (buffers_[n].memory.data() != nullptr) expose(n, buffers_[n]);
  if (stores_)
    queue_stores(call);
  else
    queue_puts(call);
}

/// Queues a collective whose kernels store into other ranks' memory. All ranks must use the same positions in
/// buffers of equal length, because a rank computes the addresses at other ranks from its own.
void KernelCollectives::queue_stores(const CollectiveCall& call) {
  const ExposedBuffer &send = holding(call.send), &result = holding(call.recv);
  const u64 send_offset = reinterpret_cast<u64>(call.send) - send.memory.address();
  const u64 result_offset = reinterpret_cast<u64>(call.recv) - result.memory.address();
  CallAddresses reached;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
    reached.sends.push_back(send.at[r].address + send_offset);
    reached.results.push_back(result.at[r].address + result_offset);
  }
  stores_->queue(call.operation, plan_of(call.operation, ranks_, settings_), reached);
}

void KernelCollectives::queue_puts(const CollectiveCall& call) {
  const Operation& operation = call.operation;
  DirectArgs args{};
  args.shape = shape_of_call(operation);
  args.type = reduces(operation.kind) ? static_cast<u32>(operation.dtype) : kUint8;
  args.op = reduces(operation.kind) ? static_cast<u32>(operation.op) : kSum;
  args.width = static_cast<u32>(size_of(operation.dtype));
  args.rank = static_cast<u32>(rank_);
  args.ranks = static_cast<u32>(ranks_);
  args.root = static_cast<u32>(operation.root);
  args.count = operation.count;
  args.workers = kThreads;
  std::size_t each = bytes_of(operation);  // Bytes that a rank gives to another one.
  if (args.shape == kTwoShot) each = (each / static_cast<std::size_t>(ranks_) / 16 + 2) * 16;
  args.blocks = static_cast<u32>(std::clamp<std::size_t>(each / kBlockBytes, 1, kMaxBlocks));
  args.blocks = std::min(args.blocks, windows_->blocks());
  if (args.shape <= kReduceScatter) fit_slots((each + 127) / 128 * 128);
  fit_slots(0);

  const auto own = static_cast<std::size_t>(rank_);
  const ExposedBuffer &send = holding(call.send), &result = holding(call.recv);
  args.epoch = ++epoch_;
  args.send = {reinterpret_cast<u64>(call.send), send.at[own].key};
  args.result = {reinterpret_cast<u64>(call.recv), result.at[own].key};
  args.slot_bytes = slot_bytes_;
  args.lanes = windows_->lanes();
  args.counters = static_cast<DirectCounters*>(counters_.data());
  args.mailbox = reinterpret_cast<DirectMailbox*>(mailbox_.device_address());
  const u64 turn = kInboxBytes + (epoch_ & 1) * args.ranks * slot_bytes_;
  // All ranks have the call at the same position of equal buffers.
  const u64 offset = args.result.address - result.memory.address();
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
    const ibgda::KeyedAddress& inbox = inbox_.at[r];
    args.peer[r] = {
        inbox, {inbox.address + turn, inbox.key}, {result.at[r].address + offset, result.at[r].key}};
  }
  const Computation direct{source_of(KernelText::kPuts, args.type, args.op), "collbench_direct", sizeof args,
                           run_direct};
  computations_.launch(direct, &args, std::uint64_t{args.blocks} * kThreads);
}

TransportCounters KernelCollectives::counters() const {
  DirectCounters seen{};
  device_.download(&seen, counters_.data(), sizeof seen);
  return {seen.bytes_sent, seen.bytes_received, seen.messages_sent, seen.messages_received};
}

}  // namespace collbench::gpu
