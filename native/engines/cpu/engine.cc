#include "engines/cpu/engine.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "beside/kinds.h"
#include "transports/registry.h"

namespace collbench::cpu {
namespace {

constexpr std::size_t kKiB = 1024;

/// No message is longer than the device takes.
Tuning within(Tuning tuning, const DeviceProperties& device) {
  tuning.longest_message = device.max_message_bytes;
  tuning.direct_piece = std::min(tuning.direct_piece, device.max_message_bytes);
  tuning.ring.largest_chunk = std::min(tuning.ring.largest_chunk, device.max_message_bytes);
  return tuning;
}

}  // namespace

Tuning tuning_of(std::string_view transport) noexcept {
  Tuning tuning;
  if (transport == "socket") {
    tuning.direct_bytes = 64 * kKiB;
    tuning.ring.largest_chunk = 256 * kKiB;
    tuning.ring.smallest_chunk = 32 * kKiB;
  }
  return tuning;
}

CpuEngine::CpuEngine(Bootstrap& bootstrap, std::unique_ptr<Transport> transport, const std::string& algorithm,
                     std::function<bool()> cancelled, const Tuning& tuning)
    : rank_(bootstrap.rank()),
      ranks_(bootstrap.size()),
      left_((rank_ + ranks_ - 1) % ranks_),
      right_((rank_ + 1) % ranks_),
      choice_(algorithm == "ring"     ? Choice::kRing
              : algorithm == "direct" ? Choice::kDirect
                                      : Choice::kBySize),
      tuning_(within(tuning, transport->devices().at(0))),
      cancelled_(std::move(cancelled)),
      transport_(std::move(transport)) {
  if (choice_ == Choice::kBySize && !algorithm.empty())
    throw Error(ErrorCode::kInvalidArgument,
                "algorithm \"" + algorithm +
                    "\" is not known to the cpu engine; use ring or direct, or none to choose "
                    "per size");
  if (choice_ == Choice::kDirect && ranks_ > kFullMeshRanks)
    throw Error(ErrorCode::kInvalidArgument,
                "algorithm direct connects every rank to every other and is limited to " +
                    std::to_string(kFullMeshRanks) + " ranks, not " + std::to_string(ranks_) + "; use ring");
  if (ranks_ == 1) return;
  peers_ = connect_peers(bootstrap, *transport_, cancelled_);
  for (Buffer& buffer : buffers_) deregister(buffer);
  const Peer &left = peers_[static_cast<std::size_t>(left_)],
             &right = peers_[static_cast<std::size_t>(right_)];
  const std::uint32_t spins = tuning_.spins;
  if (ranks_ <= kFullMeshRanks)
    direct_ = std::make_unique<Direct>(peers_, rank_, tuning_.direct_piece, spins, cancelled_);
  ring_ = std::make_unique<Ring>(*left.recv, *right.send, ranks_, tuning_.ring, spins, cancelled_);
  transfers_ = std::make_unique<Transfers>(peers_, tuning_.longest_message, spins, cancelled_);
}

CpuEngine::~CpuEngine() {
  for (Buffer& buffer : buffers_) deregister(buffer);
}

void CpuEngine::deregister(Buffer& buffer) {
  for (std::size_t p = 0; p < buffer.to.size(); ++p) {
    if (buffer.to[p].value_or(nullptr) != nullptr) peers_[p].send->deregister_memory(*buffer.to[p]);
    if (buffer.from[p].value_or(nullptr) != nullptr) peers_[p].recv->deregister_memory(*buffer.from[p]);
  }
  buffer.to.assign(peers_.size(), std::nullopt);
  buffer.from.assign(peers_.size(), std::nullopt);
}

void* CpuEngine::buffer(int index, std::size_t bytes) {
  Buffer& buffer = buffers_.at(static_cast<std::size_t>(index));
  if (buffer.pages.size() >= bytes && buffer.pages.data() != nullptr) return buffer.pages.data();
  deregister(buffer);
  buffer.pages = Pages();  // the old one goes first: both together might not fit
  buffer.pages = Pages(bytes);
  return buffer.pages.data();
}

void CpuEngine::release_buffers() {
  for (Buffer& buffer : buffers_) {
    // A registration may have pinned the pages; dropping them under it would part what the device and we see.
    deregister(buffer);
    buffer.pages.drop_contents();
  }
}

CpuEngine::Buffer& CpuEngine::buffer_of(const void* at, std::size_t bytes, const char* which) {
  for (Buffer& buffer : buffers_)
    if (buffer.pages.contains(at, bytes)) return buffer;
  throw Error(ErrorCode::kInvalidArgument, std::string("the ") + which + " buffer of " +
                                               std::to_string(bytes) +
                                               " bytes does not lie in memory from Engine::buffer(), which "
                                               "alone is known to the transport");
}

MemoryRegion* CpuEngine::region_to(Buffer& buffer, int peer) {
  const auto p = static_cast<std::size_t>(peer);
  std::optional<MemoryRegion*>& region = buffer.to.at(p);
  if (!region)
    region = peers_[p].send->register_memory(buffer.pages.data(), buffer.pages.size(), MemoryKind::kHost);
  return *region;
}

MemoryRegion* CpuEngine::region_from(Buffer& buffer, int peer) {
  const auto p = static_cast<std::size_t>(peer);
  std::optional<MemoryRegion*>& region = buffer.from.at(p);
  if (!region)
    region = peers_[p].recv->register_memory(buffer.pages.data(), buffer.pages.size(), MemoryKind::kHost);
  return *region;
}

/// Bytes that the busiest rank sends when all go in one hop.
bool CpuEngine::takes_direct(const Operation& operation) const noexcept {
  if (direct_ == nullptr || choice_ == Choice::kRing || !Direct::knows(operation.kind)) return false;
  const std::size_t bytes =
      operation.count * size_of(operation.dtype) * static_cast<std::size_t>(std::max(1, ranks_ - 1));
  return choice_ == Choice::kDirect || bytes <= tuning_.direct_bytes;
}

std::string CpuEngine::algorithm_of(const Operation& operation) const {
  if (ranks_ == 1) return choice_ == Choice::kRing ? "ring" : "direct";
  return takes_direct(operation) ? "direct" : "ring";
}

DeviceProperties CpuEngine::device() const { return transport_->devices().at(0); }

void CpuEngine::enqueue(const Call& call) {
  if (call.operation.count == 0) return;
  if (ranks_ == 1) {
    if (call.send != call.recv)
      std::memcpy(call.recv, call.send, call.operation.count * size_of(call.operation.dtype));
  } else if (takes_direct(call.operation)) {
    direct_->run(call.operation, static_cast<const std::byte*>(call.send),
                 static_cast<std::byte*>(call.recv));
  } else {
    run_ring(call);
  }
}

void CpuEngine::run_ring(const Call& call) {
  const std::size_t element = size_of(call.operation.dtype);
  const BufferShape shape = shape_of(call.operation, rank_, ranks_);
  RingBuffers buffers;
  if (shape.send_elements > 0) {
    Buffer& send = buffer_of(call.send, shape.send_elements * element, "send");
    buffers.send = static_cast<const std::byte*>(call.send);
    buffers.send_region = region_to(send, right_);
  }
  if (shape.recv_elements > 0) {
    Buffer& recv = buffer_of(call.recv, shape.recv_elements * element, "receive");
    buffers.recv = static_cast<std::byte*>(call.recv);
    buffers.forward_region = region_to(recv, right_);
    buffers.recv_region = region_from(recv, left_);
  }
  plan_ring(call.operation, rank_, ranks_, plan_);
  ring_->run(plan_, call.operation, buffers);
}

void CpuEngine::transfer(std::span<const Message> messages) {
  if (messages.empty()) return;
  transfers_->run(messages, [this](const Message& message) {
    if (message.bytes == 0) return static_cast<MemoryRegion*>(nullptr);
    const bool sends = message.way == Message::Way::kSend;
    Buffer& buffer = buffer_of(message.data, message.bytes, sends ? "send" : "receive");
    return sends ? region_to(buffer, message.peer) : region_from(buffer, message.peer);
  });
}

void CpuEngine::launch(const Computation& computation, const void* arguments, std::uint64_t /*threads*/) {
  computation.run(arguments);
}

PutPort& CpuEngine::put_port() {
  PutPort* port = transport_->put_port();
  return port != nullptr ? *port : Engine::put_port();
}

std::uint32_t CpuEngine::spins(int threads) const {
  return std::min(tuning_.spins, spins_for(tuning_.local_ranks * threads));
}

void CpuEngine::stop_if_cancelled() const {
  if (cancelled_ && cancelled_()) throw Error(ErrorCode::kCancelled, "stopped while waiting for a peer");
}

void CpuEngine::upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void CpuEngine::download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

namespace {

Abilities abilities() {
  return {
      {Ability::kCollectives,
       {{"collective", names_of(ring_kinds())},
        {"dtype", names_of(std::span(kDataTypeNames).first(kHostDataTypeCount))},
        {"op", names_of(std::span(kReduceOps).first(kHostReduceOpCount))}}},
      {Ability::kMessages, {{"path", {"host", "rank"}}}},
      {Ability::kComputations, {{"dtype", {"float32", "float64"}}}},
      {Ability::kPuts, {{"path", {"host", "stream", "proxy", "triggered", "kernel"}}, {"scope", {"thread"}}}},
      {Ability::kHostClock, {}}};
}

/// @throws Error(kInvalidArgument) for an unknown transport or algorithm; kCancelled; what the transport
/// throws
std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  const TransportEntry* entry = find_transport(options.transport);
  if (entry == nullptr) {
    std::string known;
    for (const TransportEntry& each : transports())
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    throw Error(ErrorCode::kInvalidArgument,
                "transport \"" + options.transport + "\" is not known to the cpu engine; known are " + known);
  }
  TransportOptions transport_options = options.transport_options;
  transport_options.rank = bootstrap.rank();
  transport_options.ranks = bootstrap.size();
  Tuning tuning = tuning_of(options.transport);
  tuning.spins = std::min(tuning.spins, options.spins.value_or(spins_for(bootstrap.size())));
  tuning.local_ranks = options.local_ranks;
  return std::make_unique<CpuEngine>(bootstrap, entry->create(transport_options), options.algorithm,
                                     options.cancelled, tuning);
}

}  // namespace
}  // namespace collbench::cpu

namespace collbench {
EngineEntry cpu_engine() {
  return {"cpu", cpu::create, cpu::abilities, nullptr, false, beside::host_kinds()};
}
}  // namespace collbench
