#include "engines/cpu/engine.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "beside/kinds.h"
#include "transports/registry.h"

namespace collbench::cpu {
namespace {

/// @throws Error(kInvalidArgument) where ranks cannot be connected as far as `what` takes it
void require_reach(std::string_view what, Reach reach, Reach widest, int ranks) {
  if (reach <= widest) return;
  const bool too_many = reach == Reach::kAll && ranks > kMostMeshRanks;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(what) + " of " + std::to_string(ranks) + " ranks takes more connections than " +
                  (too_many ? "the cpu engine makes, which connects all with all up to " +
                                  std::to_string(kMostMeshRanks) + " ranks"
                            : std::string("the device has (maxComms)")));
}

/// @return null where none is asked for
const AlgorithmRow* asked_algorithm(const std::string& name, int ranks, Reach widest) {
  if (name.empty()) return nullptr;
  const AlgorithmRow* row = find_algorithm(name);
  if (row == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "algorithm \"" + name +
                                                 "\" is not known to the cpu engine; use " +
                                                 algorithm_names() + ", or none to choose per size");
  require_reach("algorithm " + name, row->reach, widest, ranks);
  return row;
}

/// @throws Error(kInvalidArgument) where the transport cannot
void require_protocol(const Tuning& tuning, std::size_t flagged_bytes) {
  if (tuning.protocol != Protocol::kLl || flagged_bytes > 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              "protocol ll puts flags into the data, for receivers that look at memory which senders store "
              "into: transports shm and sisci; this one has simple alone");
}

/// No message is longer than the device takes.
Tuning within(Tuning tuning, const DeviceProperties& device) {
  tuning.longest_message = std::min(tuning.longest_message, device.max_message_bytes);
  tuning.direct_piece = std::min(tuning.direct_piece, device.max_message_bytes);
  tuning.ring.largest_chunk = std::min(tuning.ring.largest_chunk, device.max_message_bytes);
  return tuning;
}

}  // namespace

CpuEngine::CpuEngine(Bootstrap& bootstrap, std::shared_ptr<Transport> transport, const std::string& algorithm,
                     std::function<bool()> cancelled, const Tuning& tuning)
    : rank_(bootstrap.rank()),
      ranks_(bootstrap.size()),
      left_((rank_ + ranks_ - 1) % ranks_),
      right_((rank_ + 1) % ranks_),
      widest_(ranks_ == 1 ? Reach::kAll : widest_reach(transport->devices().at(0), ranks_)),
      asked_(asked_algorithm(algorithm, ranks_, widest_)),
      tuning_(within(tuning, transport->devices().at(0))),
      flagged_bytes_(transport->devices().at(0).flagged_bytes),
      cancelled_(std::move(cancelled)),
      transport_(std::move(transport)) {
  require_protocol(tuning_, flagged_bytes_);
  if (ranks_ == 1) return;
  peers_.resize(static_cast<std::size_t>(ranks_));
  reached_ = ranks_ <= kFullMeshRanks ? Reach::kAll : Reach::kRing;
  const ExchangeBlobs exchange = [&](const std::string& mine) {
    return bootstrap.all_gather("connect handles", mine);
  };
  connect_peers(peers_, rank_, std::nullopt, reached_, *transport_, exchange, cancelled_);
  const Peer &left = peers_[static_cast<std::size_t>(left_)],
             &right = peers_[static_cast<std::size_t>(right_)];
  const std::uint32_t spins = tuning_.spins;
  ring_ = std::make_unique<Ring>(*left.recv, *right.send, ranks_, tuning_.ring, spins, cancelled_);
  runner_ = std::make_unique<ScheduleRunner>(peers_, tuning_.longest_message, spins, cancelled_);
  transfers_ = std::make_unique<Transfers>(peers_, tuning_.longest_message, spins, cancelled_);
}

CpuEngine::~CpuEngine() = default;

std::unique_ptr<Engine> CpuEngine::for_group(Bootstrap& group) {
  return std::make_unique<CpuEngine>(
      group, transport_, asked_ == nullptr ? std::string() : std::string(asked_->name), cancelled_, tuning_);
}

void* CpuEngine::buffer(int index, std::size_t bytes) {
  Registered& buffer = buffers_.at(static_cast<std::size_t>(index));
  buffer.reserve(bytes);
  return buffer.data();
}

void CpuEngine::release_buffers() {
  for (Registered& buffer : buffers_) buffer.drop_contents();
}

Registered& CpuEngine::buffer_of(const void* at, std::size_t bytes, const char* which) {
  for (Registered& buffer : buffers_)
    if (buffer.contains(at, bytes)) return buffer;
  throw Error(ErrorCode::kInvalidArgument, std::string("the ") + which + " buffer of " +
                                               std::to_string(bytes) +
                                               " bytes does not lie in memory from Engine::buffer(), which "
                                               "alone is known to the transport");
}

const AlgorithmRow& CpuEngine::row_for(const Operation& operation) const noexcept {
  if (asked_ != nullptr && (ranks_ == 1 || asked_->takes(operation, ranks_))) return *asked_;
  if (ranks_ == 1) return row_of(Algorithm::kDirect);
  return choose(tuning_.rules, operation, ranks_, widest_);
}

std::string CpuEngine::algorithm_of(const Operation& operation) const {
  return std::string(row_for(operation).name);
}

Protocol CpuEngine::protocol_for(const Operation& operation) const noexcept {
  return ranks_ == 1 ? Protocol::kSimple
                     : choose_protocol(tuning_, operation, ranks_, flagged_bytes_, widest_);
}

std::string CpuEngine::protocol_of(const Operation& operation) const {
  if (flagged_bytes_ == 0) return {};
  return std::string(kProtocolNames[static_cast<std::size_t>(protocol_for(operation))]);
}

void CpuEngine::use(Protocol protocol) {
  if (protocol == used_) return;
  for (Peer& peer : peers_)
    if (peer.send != nullptr) peer.send->carry_flags(protocol == Protocol::kLl);
  used_ = protocol;
}

DeviceProperties CpuEngine::device() const { return transport_->devices().at(0); }

const CpuEngine::Choice& CpuEngine::choice_for(const Operation& operation) {
  if (choice_.row != nullptr && choice_.operation == operation) return choice_;
  const AlgorithmRow& row = row_for(operation);
  const Reach reach = reach_of(row, operation);
  require_reach(name_of(operation.kind), reach, widest_, ranks_);
  choice_ = {operation, &row, reach, protocol_for(operation)};
  return choice_;
}

void CpuEngine::enqueue(const Call& call) {
  if (call.operation.count == 0) return;
  if (ranks_ == 1) {
    if (call.send != call.recv)
      std::memcpy(call.recv, call.send, call.operation.count * size_of(call.operation.dtype));
    return;
  }
  const Choice& choice = choice_for(call.operation);
  const AlgorithmRow& row = *choice.row;
  connect(choice.reach);
  use(choice.protocol);
  if (row.algorithm == Algorithm::kDirect && Direct::knows(call.operation.kind)) {
    if (direct_ == nullptr)
      direct_ = std::make_unique<Direct>(peers_, rank_, tuning_.direct_piece, tuning_.spins, cancelled_);
    direct_->run(call.operation, static_cast<const std::byte*>(call.send),
                 static_cast<std::byte*>(call.recv));
  } else if (row.plan != nullptr)
    run_schedule(row, call);
  else
    run_ring(call.operation, buffers_of(call));
}

void CpuEngine::connect_all() {
  require_reach("point to point", Reach::kAll, widest_, ranks_);
  connect(Reach::kAll);
}

void CpuEngine::connect(Reach reach) {
  if (reach <= reached_) return;
  use(Protocol::kSimple);  // as new connections begin
  const TransportCounters before = counters();
  connect_peers(
      peers_, rank_, reached_, reach, *transport_,
      [this](const std::string& mine) { return gather_round_the_ring(mine); }, cancelled_);
  reached_ = reach;
  connecting_ = transport_->counters() - before;
}

/// Nobody but the ranks has a part in it: the controller of many hosts has them all to serve.
std::vector<std::string> CpuEngine::gather_round_the_ring(const std::string& mine) {
  Registered send(peers_), recv(peers_);
  send.reserve(mine.size());
  recv.reserve(mine.size() * peers_.size());
  std::memcpy(send.data(), mine.data(), mine.size());
  Operation operation;
  operation.kind = CollectiveKind::kAllgather;
  operation.dtype = DataType::kUint8;
  operation.count = mine.size();
  run_ring(operation, {.send = send.data(), .recv = recv.data(), .send_memory = &send, .recv_memory = &recv});
  std::vector<std::string> all;
  for (std::size_t p = 0; p < peers_.size(); ++p)
    all.emplace_back(reinterpret_cast<const char*>(recv.data()) + p * mine.size(), mine.size());
  return all;
}

CallBuffers CpuEngine::buffers_of(const Call& call) {
  const std::size_t element = size_of(call.operation.dtype);
  const BufferShape shape = shape_of(call.operation, rank_, ranks_);
  CallBuffers buffers;
  if (shape.send_elements > 0) {
    buffers.send_memory = &buffer_of(call.send, shape.send_elements * element, "send");
    buffers.send = static_cast<const std::byte*>(call.send);
  }
  if (shape.recv_elements > 0) {
    buffers.recv_memory = &buffer_of(call.recv, shape.recv_elements * element, "receive");
    buffers.recv = static_cast<std::byte*>(call.recv);
  }
  return buffers;
}

void CpuEngine::run_schedule(const AlgorithmRow& row, const Call& call) {
  CallBuffers buffers = buffers_of(call);
  Operation piece = call.operation;
  const std::size_t element = size_of(piece.dtype);
  const std::size_t most = row.piece_bytes == 0 ? piece.count : row.piece_bytes / element;
  for (std::size_t first = 0; first < call.operation.count; first += most) {
    piece.count = std::min(most, call.operation.count - first);
    if (scheduled_row_ != &row || !(scheduled_ == piece)) {
      schedule_.clear();
      row.plan(piece, rank_, ranks_, schedule_);
      scheduled_ = piece;
      scheduled_row_ = &row;
    }
    runner_->run(schedule_, piece, buffers);
    if (buffers.send != nullptr) buffers.send += piece.count * element;
    if (buffers.recv != nullptr) buffers.recv += piece.count * element;
  }
}

void CpuEngine::run_ring(const Operation& operation, const CallBuffers& own) {
  RingBuffers buffers;
  if (own.send_memory != nullptr) {
    buffers.send = own.send;
    buffers.send_region = own.send_memory->to(right_);
  }
  if (own.recv_memory != nullptr) {
    buffers.recv = own.recv;
    buffers.forward_region = own.recv_memory->to(right_);
    buffers.recv_region = own.recv_memory->from(left_);
  }
  plan_ring(operation, rank_, ranks_, plan_);
  ring_->run(plan_, operation, buffers);
}

void CpuEngine::transfer(std::span<const Message> messages) {
  if (messages.empty()) return;
  use(tuning_.protocol.value_or(Protocol::kSimple));
  transfers_->run(messages, [this](const Message& message) {
    if (message.bytes == 0) return static_cast<MemoryRegion*>(nullptr);
    const bool sends = message.way == Message::Way::kSend;
    Registered& buffer = buffer_of(message.data, message.bytes, sends ? "send" : "receive");
    return sends ? buffer.to(message.peer) : buffer.from(message.peer);
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
       {{"collective", names_of(kCollectiveKinds)},
        {"dtype", names_of(std::span(kDataTypeNames).first(kHostDataTypeCount))},
        {"op", names_of(std::span(kReduceOps).first(kHostReduceOpCount))}}},
      {Ability::kMessages, {{"path", {"host", "rank"}}}},
      {Ability::kComputations, {{"dtype", {"float32", "float64"}}}},
      {Ability::kPuts, {{"path", {"host", "stream", "proxy", "triggered", "kernel"}}, {"scope", {"thread"}}}},
      {Ability::kHostClock, {}}};
}

/// @throws Error(kInvalidArgument) a table that cannot be read, or an unknown protocol
Tuning tuning_with(const std::string& transport, const Settings& settings) {
  Tuning tuning = tuning_of(transport);
  if (const auto table = settings.find("tuning"); table != settings.end()) {
    const std::vector<Rule> measured = measured_rules(table->second, transport);
    tuning.rules.insert(tuning.rules.begin(), measured.begin(), measured.end());
  }
  if (const auto proto = settings.find("proto"); proto != settings.end()) {
    tuning.protocol = find_protocol(proto->second);
    if (!tuning.protocol)
      throw Error(ErrorCode::kInvalidArgument, "protocol \"" + proto->second +
                                                   "\" is not known to the cpu engine; use simple or ll, or "
                                                   "none to choose per size");
  }
  return tuning;
}

/// The transport decides; what would be chosen is added.
Availability probe(const std::string& transport, const TransportOptions& options, const Settings& settings) {
  const TransportEntry* entry = find_transport(transport);
  if (entry == nullptr) return {};
  Availability found = entry->probe(options);
  if (!found.available) return found;
  try {
    found.facts.merge(choices_in_words(tuning_with(transport, settings)));
  } catch (const std::exception& error) {
    found.available = false;
    found.reason = error.what();
    found.remedy = "Write the table anew with collbench tune, or pass --tuning off.";
  }
  return found;
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
  Tuning tuning = tuning_with(options.transport, options.settings);
  tuning.spins = std::min(tuning.spins, options.spins.value_or(spins_for(bootstrap.size())));
  tuning.local_ranks = options.local_ranks;
  transport_options.sleeps = tuning.spins == 0;  // as Waiting does
  const auto algo = options.settings.find("algo");
  const std::string& algorithm =
      options.algorithm.empty() && algo != options.settings.end() ? algo->second : options.algorithm;
  return std::make_unique<CpuEngine>(bootstrap, entry->create(transport_options), algorithm,
                                     options.cancelled, tuning);
}

}  // namespace
}  // namespace collbench::cpu

namespace collbench {
EngineEntry cpu_engine() {
  return {"cpu", cpu::create, cpu::abilities, cpu::probe, false, beside::host_kinds()};
}
}  // namespace collbench
