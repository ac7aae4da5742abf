#include "engines/cpu/engine.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "concurrent_load/kinds.h"
#include "core/text.h"
#include "engines/cpu/channel_parts.h"
#include "transports/registry.h"

namespace collbench::cpu {
namespace {

/// Checks that ranks can be connected to the peers that `what` (a name for messages) needs.
/// @param widest largest set of peers that can be connected @throws Error(kInvalidArgument) if it does not
/// suffice
void require_reach(std::string_view what, PeerSet peer_set, PeerSet widest, int ranks) {
  if (peer_set <= widest) return;
  const bool too_many = peer_set == PeerSet::kAll && ranks > kMaxMeshRanks;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(what) + " of " + std::to_string(ranks) + " ranks takes more connections than " +
                  (too_many ? "the cpu engine makes, which connects all with all up to " +
                                  std::to_string(kMaxMeshRanks) + " ranks"
                            : std::string("the device has (maxComms)")));
}

/// Returns the algorithm that the user requested; null if none.
/// @throws Error(kInvalidArgument) if it does not exist or cannot be used
const AlgorithmRow* asked_algorithm(const std::string& name, int ranks, PeerSet widest) {
  if (name.empty()) return nullptr;
  const AlgorithmRow* row = find_algorithm(name);
  if (row == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "algorithm \"" + name +
                                                 "\" is not known to the cpu engine; use " +
                                                 algorithm_names() + ", or none to choose per size");
  require_reach("algorithm " + name, row->peer_set, widest, ranks);
  return row;
}

/// Checks that the transport supports the protocol that the user requested.
/// @throws Error(kInvalidArgument) if it does not
void require_protocol(const Tuning& tuning, std::size_t flagged_bytes) {
  if (tuning.protocol != Protocol::kLl || flagged_bytes > 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              "protocol ll puts flags into the data, for receivers that look at memory which senders store "
              "into: transports shm and sisci; this one has simple alone");
}

/// Returns the device's properties with the limit of connections divided by `channels` (threads of a rank,
/// each with its own connections).
DeviceProperties shared_by(DeviceProperties device, int channels) {
  if (device.max_comms > 0) device.max_comms = std::max(1, device.max_comms / channels);
  return device;
}

/// Returns the tuning with its longest message limited to what the device accepts.
Tuning within(Tuning tuning, const DeviceProperties& device) {
  tuning.longest_message = std::min(tuning.longest_message, device.max_message_bytes);
  return tuning;
}

}  // namespace

CpuEngine::CpuEngine(Bootstrap& bootstrap, std::shared_ptr<Transport> transport, const std::string& algorithm,
                     std::function<bool()> cancelled, const Tuning& tuning)
    : ranks_(bootstrap.size()),
      widest_(ranks_ == 1 ? PeerSet::kAll
                          : widest_peer_set(shared_by(transport->devices().at(0), tuning.channels), ranks_)),
      asked_(asked_algorithm(algorithm, ranks_, widest_)),
      tuning_(within(tuning, transport->devices().at(0))),
      flagged_bytes_(transport->devices().at(0).flagged_bytes),
      cancelled_(std::move(cancelled)),
      stops_([this] { return (team_ && team_->failed()) || (cancelled_ && cancelled_()); }),
      transport_(std::move(transport)) {
  require_protocol(tuning_, flagged_bytes_);
  if (ranks_ == 1) return;
  for (int i = 0; i < tuning_.channels; ++i)
    channels_.push_back(std::make_unique<CpuChannel>(bootstrap, *transport_, tuning_, stops_));
  if (tuning_.channels > 1) team_ = std::make_unique<ThreadTeam>(tuning_.channels, tuning_.spins);
}

CpuEngine::~CpuEngine() = default;

std::unique_ptr<Engine> CpuEngine::for_group(Bootstrap& group) {
  return std::make_unique<CpuEngine>(
      group, transport_, asked_ == nullptr ? std::string() : std::string(asked_->name), cancelled_, tuning_);
}

void* CpuEngine::buffer(int index, std::size_t bytes) {
  Pages& pages = pages_.at(static_cast<std::size_t>(index));
  if (pages.data() == nullptr || pages.size() < bytes) {
    for (const auto& channel : channels_) channel->set_buffer(index, {});
    pages = Pages();  // The old memory is freed first, because both together might not fit.
    pages = Pages(bytes);
    for (const auto& channel : channels_) channel->set_buffer(index, {pages.data(), pages.size()});
  }
  return pages.data();
}

void CpuEngine::release_buffers() {
  for (int index = 0; Pages& pages : pages_) {
    // A registration may have pinned the pages. Dropping them while registered would make the device and this
    // process see different memory, so registrations end first.
    for (const auto& channel : channels_) channel->set_buffer(index, {pages.data(), pages.size()});
    pages.drop_contents();
    ++index;
  }
}

Operation CpuEngine::part_of(const Operation& operation) const noexcept {
  Operation part = operation;
  part.count = part_elements(operation, parts_of(operation, tuning_.channels));
  return part;
}

const AlgorithmRow& CpuEngine::row_for(const Operation& whole) const noexcept {
  const Operation operation = part_of(whole);
  if (asked_ != nullptr && (ranks_ == 1 || asked_->takes(operation, ranks_))) return *asked_;
  if (ranks_ == 1) return row_of(Algorithm::kDirect);
  return choose(tuning_.rules, operation, ranks_, widest_);
}

std::string CpuEngine::algorithm_of(const Operation& operation) const {
  return std::string(row_for(operation).name);
}

Protocol CpuEngine::protocol_for(const Operation& operation) const noexcept {
  return ranks_ == 1 ? Protocol::kSimple
                     : choose_protocol(tuning_, part_of(operation), ranks_, flagged_bytes_, widest_);
}

std::string CpuEngine::protocol_of(const Operation& operation) const {
  if (flagged_bytes_ == 0) return {};
  return std::string(kProtocolNames[static_cast<std::size_t>(protocol_for(operation))]);
}

DeviceProperties CpuEngine::device() const { return transport_->devices().at(0); }

const CpuEngine::AlgorithmChoice& CpuEngine::choice_for(const Operation& operation) {
  if (choice_.row != nullptr && choice_.operation == operation) return choice_;
  const AlgorithmRow& row = row_for(operation);
  const PeerSet peer_set = peer_set_of(row, operation);
  require_reach(name_of(operation.kind), peer_set, widest_, ranks_);
  choice_ = {operation, &row, peer_set, protocol_for(operation)};
  return choice_;
}

void CpuEngine::enqueue(const CollectiveCall& call) {
  if (call.operation.count == 0) return;
  if (ranks_ == 1) {
    if (call.send != call.recv)
      std::memcpy(call.recv, call.send, call.operation.count * size_of(call.operation.dtype));
    return;
  }
  const AlgorithmChoice& choice = choice_for(call.operation);
  connect(choice.peer_set);
  for (const auto& channel : channels_) channel->use(choice.protocol);
  const int parts = parts_of(call.operation, tuning_.channels);
  if (parts == 1) return channels_.front()->run(*choice.row, call);
  run_in_parts(choice, call, parts);
}

void CpuEngine::run_in_parts(const AlgorithmChoice& choice, const CollectiveCall& call, int parts) {
  const std::size_t each = part_elements(call.operation, parts);
  const std::size_t element = size_of(call.operation.dtype);
  team_->run(parts, [&](int index) {
    const std::size_t first = static_cast<std::size_t>(index) * each;
    CollectiveCall part = call;
    part.operation.count = std::min(each, call.operation.count - first);
    if (call.send != nullptr) part.send = static_cast<const std::byte*>(call.send) + first * element;
    if (call.recv != nullptr) part.recv = static_cast<std::byte*>(call.recv) + first * element;
    channels_[static_cast<std::size_t>(index)]->run(*choice.row, part);
  });
}

void CpuEngine::connect_all() {
  require_reach("point to point", PeerSet::kAll, widest_, ranks_);
  connect(PeerSet::kAll);
}

void CpuEngine::connect(PeerSet peer_set) {
  if (channels_.empty() || peer_set <= channels_.front()->connected()) return;
  const TransportCounters before = counters();
  for (const auto& channel : channels_) channel->connect(peer_set);
  connecting_ = transport_->counters() - before;
}

void CpuEngine::transfer(std::span<const PeerMessage> messages) {
  if (messages.empty()) return;
  channels_.front()->use(tuning_.protocol.value_or(Protocol::kSimple));
  channels_.front()->transfer(messages);
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
      {Ability::kComputations, {}},
      {Ability::kPuts, {{"path", {"host", "stream", "proxy", "triggered", "kernel"}}, {"scope", {"thread"}}}},
      {Ability::kHostClock, {}}};
}

/// Parses the value of setting "channels": number of threads per rank, each with its own connections.
/// @throws Error(kInvalidArgument) if it is not a possible number
int channels_in(const std::string& word) {
  int channels = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), channels);
  if (failed != std::errc{} || end != word.data() + word.size() || channels < 1 || channels > kMaxChannels)
    throw Error(ErrorCode::kInvalidArgument, "channels of the cpu engine are a whole number from 1 to " +
                                                 std::to_string(kMaxChannels) + ", not \"" + word + "\"");
  return channels;
}

/// Returns chunk sizes and algorithm rules for a transport, changed as the user's settings request.
/// @throws Error(kInvalidArgument) for a table of measured rules that cannot be read, an unknown protocol, or
/// an impossible number of channels
Tuning tuning_with(const std::string& transport, const EngineSettings& settings) {
  Tuning tuning = tuning_of(transport);
  if (const auto table = settings.find("tuning"); table != settings.end()) {
    const std::vector<AlgorithmRule> measured = measured_rules(table->second, transport);
    tuning.rules.insert(tuning.rules.begin(), measured.begin(), measured.end());
  }
  if (const auto proto = settings.find("proto"); proto != settings.end()) {
    tuning.protocol = find_protocol(proto->second);
    if (!tuning.protocol)
      throw Error(ErrorCode::kInvalidArgument, "protocol \"" + proto->second +
                                                   "\" is not known to the cpu engine; use simple or ll, or "
                                                   "none to choose per size");
  }
  if (const auto channels = settings.find(kChannelsSetting); channels != settings.end())
    tuning.channels = channels_in(channels->second);
  return tuning;
}

/// Checks whether the transport is available, and adds to the result which algorithms would be chosen.
/// Settings that tuning_with() refuses make it unavailable, with the reason; never throws. An unknown
/// transport gives the empty result.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
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

/// Creates the engine on one rank.
/// @throws Error(kInvalidArgument) for an unknown transport or algorithm; Error(kCancelled); errors of the
/// transport
std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  const TransportEntry* entry = find_transport(options.transport);
  if (entry == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "transport \"" + options.transport +
                                                 "\" is not known to the cpu engine; known are " +
                                                 join(transports(), &TransportEntry::name));
  TransportOptions transport_options = options.transport_options;
  transport_options.rank = bootstrap.rank();
  transport_options.ranks = bootstrap.size();
  Tuning tuning = tuning_with(options.transport, options.settings);
  tuning.spins = std::min(tuning.spins, options.spins.value_or(spins_for(bootstrap.size())));
  tuning.local_ranks = options.local_ranks;
  if (tuning.channels > 1)
    tuning.spins = std::min(tuning.spins, spins_for(options.local_ranks * tuning.channels));
  transport_options.sleeps = tuning.spins == 0;  // The same condition as in TransportWait.
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
  return {"cpu", cpu::create, cpu::abilities, cpu::probe, false, concurrent_load::host_kinds()};
}
}  // namespace collbench
