// Engine of the node's MPI: its blocking collectives and messages on host memory (README.md).
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "core/error.h"
#include "engines/cpu/memory.h"
#include "engines/mpi/bridge.h"
#include "engines/mpi/launcher.h"
#include "engines/mpi/probe.h"
#include "engines/mpi/slots.h"
#include "engines/mpi/toolchain.h"
#include "engines/mpi/ucx_report.h"
#include "metrics/process_sockets.h"
#include "transports/socket/interfaces.h"

namespace collbench {
namespace mpi {
namespace {

constexpr CollectiveKind kMpiKinds[] = {CollectiveKind::kAllreduce,     CollectiveKind::kAllgather,
                                        CollectiveKind::kReducescatter, CollectiveKind::kBroadcast,
                                        CollectiveKind::kReduce,        CollectiveKind::kAlltoall,
                                        CollectiveKind::kGather,        CollectiveKind::kScatter,
                                        CollectiveKind::kSendrecv,      CollectiveKind::kAlltoallv};
/// Element types that the engine supports. MPI has no 16-bit floats and no average. 8-bit integers are left
/// out because MPI does not define what happens if a sum overflows. Open MPI 4.1 limits it to the largest
/// value (op/avx), so the data pattern, in which sums wrap, cannot be verified.
constexpr std::string_view kMpiTypes[] = {"int32", "uint32", "int64", "uint64", "float32", "float64"};
constexpr std::string_view kMpiOps[] = {"sum", "prod", "min", "max"};

/// Checks that all ranks have the same MPI library (`mine`: name and version here). Returns the text of an
/// error; "" if they have.
std::string same_everywhere(Bootstrap& bootstrap, const std::string& mine) {
  for (const std::string& other : bootstrap.all_gather("MPI library", mine))
    if (other != mine) return "ranks have different MPIs: " + mine + " and " + other;
  return "";
}

/// Returns true if all ranks use an interface with this name.
bool same_interface(Bootstrap& bootstrap, const std::string& name) {
  const std::vector<std::string> names = bootstrap.all_gather("MPI interfaces", name);
  return std::all_of(names.begin(), names.end(), [&](const std::string& other) { return other == name; });
}

/// Returns the address by which MPI's launcher on another host names this one.
/// @throws Error(kUnavailable) for IPv6, which launchers cannot parse beside a number of ranks
std::string address_between_hosts(const socket::PlannedInterface& planned) {
  const std::string address = planned.address.host_text();
  if (planned.address.family() == AF_INET) return address;
  throw Error(ErrorCode::kUnavailable,
              "mpi: interface " + planned.interface.name + " has the address " + address +
                  ": between hosts MPI's launchers need IPv4; name an interface that "
                  "has it, such as --interface eth0/ipv4");
}

class MpiEngine final : public Engine {
 public:
  MpiEngine(Bootstrap& bootstrap, const EngineOptions& options)
      : rank_(bootstrap.rank()), ranks_(bootstrap.size()) {
    const TransportOptions& wanted = options.transport_options;
    const MpiToolchainSearch tools = find_toolchain(parse_settings(options.settings).mpi, options.cancelled);
    if (!tools.why_not.empty()) throw Error(ErrorCode::kUnavailable, tools.why_not + " " + tools.remedy);
    if (const std::string differ = same_everywhere(bootstrap, tools.found.title()); !differ.empty())
      throw Error(ErrorCode::kUnavailable, differ);
    MpiRoute route{options.transport, "", wanted.streams, options.spins.value_or(1) == 0};
    if (uses_interface(options.transport)) {
      const socket::PlannedInterface planned =
          socket::choose_interface(wanted.interface_name, wanted.spans_hosts);
      if (wanted.spans_hosts) address_ = address_between_hosts(planned);
      route.interface = planned.interface.name;
      device_.name = planned.interface.name;
      device_.pci_path = planned.interface.pci_path;
      device_.speed_mbps = planned.interface.speed_mbps;
    } else if (wanted.spans_hosts) {
      throw Error(ErrorCode::kUnavailable,
                  "mpi: " + options.transport +
                      " joins ranks of one machine; between hosts use --transport socket or ucx");
    } else {
      device_.name = options.transport;
    }
    device_.detail.library = tools.found.title();
    if (route.interface.empty())
      device_.detail.local_path = LocalPath::kSharedMemory;
    else
      device_.detail.network_interface = route.interface;
    const EngineSettings environment = environment_for(tools.found, route);
    std::optional<UcxReport> report;
    if (options.transport == kUcx) report.emplace(options.log_fd);
    join(bootstrap, options, tools.found, environment, route.interface);
    if (report) note_ucx(*report, tools.found);
    facts_["mpi.version"] = tools.found.title();
    facts_["mpi.mpirun"] = tools.found.mpirun;
    facts_["mpi.library"] = bridge_.library_version().substr(0, bridge_.library_version().find('\n'));
    for (const auto& [name, value] : environment) facts_["env." + name] = value;
    for (const std::string& name : proofs_of(tools.found.kind))
      if (const std::string value = bridge_.variable(name.c_str()); !value.empty())
        facts_["mpi." + name] = value;
  }

  /// Ends MPI, which waits for the other ranks. That is done only after an orderly end, because otherwise
  /// other ranks may no longer exist.
  ~MpiEngine() override {
    if (started_ && !broken_ && std::uncaught_exceptions() == 0) bridge_.end();
  }

  void* buffer(int index, std::size_t bytes) override {
    cpu::Pages& pages = buffers_.at(static_cast<std::size_t>(index));
    if (pages.data() == nullptr || pages.size() < bytes) {
      pages = cpu::Pages();
      pages = cpu::Pages(bytes);
    }
    return pages.data();
  }
  void release_buffers() override {
    for (cpu::Pages& pages : buffers_) pages.drop_contents();
  }

  void enqueue(const CollectiveCall& call) override {
    const Operation& operation = call.operation;
    if (operation.count == 0) return;
    if (!(operation == prepared_)) prepare_call(operation);
    call_.send = call.send;
    call_.recv = call.recv;
    if (operation.in_place && operation.kind == CollectiveKind::kAllgather) call_.send = nullptr;
    require(run_(&call_), "running a collective");
  }

  void transfer(std::span<const PeerMessage> messages) override {
    posted_.clear();
    for (const PeerMessage& message : messages) {
      if (message.bytes > INT_MAX) refuse_bytes(message.bytes);
      posted_.push_back({message.data, message.bytes, message.peer,
                         message.direction == PeerMessage::Direction::kSend, message.arrived_ns});
    }
    require(bridge_.transfer(posted_.data(), static_cast<int>(posted_.size())), "moving messages");
  }

  void launch(const Computation& computation, const void* arguments, std::uint64_t /*threads*/) override {
    computation.run(arguments);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

  [[nodiscard]] DeviceProperties device() const override { return device_; }
  [[nodiscard]] EngineSettings facts() const override { return facts_; }
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const override { return paths_; }
  /// Returns the bytes that the kernel counted for all TCP sockets of this process: nearly 0 over shared
  /// memory, and 0 if the kernel does not count every socket. The numbers of messages are always 0.
  [[nodiscard]] TransportCounters counters() const override {
    const auto traffic = metrics::read_socket_traffic();
    return traffic ? TransportCounters{traffic->sent, traffic->received, 0, 0} : TransportCounters{};
  }

 private:
  void join(Bootstrap& bootstrap, const EngineOptions& options, const MpiToolchain& tools,
            const EngineSettings& environment, const std::string& interface) {
    const CompiledBridge built = build(tools, options.cancelled);
    MpiSlotsRequest request;
    request.address = address_;
    request.slot = built.slot;
    request.command = [&tools](const std::vector<MpiHostShare>& shares, const std::string& names) {
      return launcher_words(tools, shares, names, geteuid() == 0);
    };
    request.environment = environment;
    if (address_ != kThisHost)
      request.environment.merge(
          launcher_environment(tools, built.slot, same_interface(bootstrap, interface) ? interface : ""));
    request.log_fd = options.log_fd;
    request.cancelled = options.cancelled;
    slots_ = std::make_unique<MpiSlots>(bootstrap, request);
    // The variables of this rank's route count, and not those that the launcher brought from the host of rank
    // 0.
    for (const EngineSettings* variables : {&slots_->variables(), &environment})
      for (const auto& [name, value] : *variables) setenv(name.c_str(), value.c_str(), 1);
    bridge_ = open_bridge(built.bridge);
    require(bridge_.start(), "starting");
    started_ = true;
    if (slots_->is_reordered()) require(bridge_.order(rank_), "numbering the ranks");
    if (bridge_.ranks() != ranks_ || bridge_.rank() != rank_) {
      broken_ = true;
      throw Error(ErrorCode::kUnavailable,
                  "the library that " + tools.mpicc + " links says rank " + std::to_string(bridge_.rank()) +
                      " of " + std::to_string(bridge_.ranks()) + ", " + tools.mpirun + " started rank " +
                      std::to_string(rank_) + " of " + std::to_string(ranks_) +
                      ": they belong to different MPIs; name the mpirun beside the mpicc with --mpi");
    }
    require(bridge_.meet(), "connecting the ranks");
  }

  /// Records what UCX reported while the ranks connected.
  /// @throws Error(kUnavailable) if it reported nothing, hence was not used
  void note_ucx(const UcxReport& report, const MpiToolchain& tools) {
    const UcxLanes lanes = report.lanes();
    if (lanes.version.empty() || lanes.paths.empty())
      throw Error(ErrorCode::kUnavailable, "mpi: UCX reported no connection, so " + tools.title() +
                                               " does not use it here; use --transport socket");
    facts_["mpi.ucx"] = lanes.version;
    paths_ = lanes.paths;
  }

  void prepare_call(const Operation& operation) {
    if (operation.kind == CollectiveKind::kAlltoallv) require_countable(operation);
    if (operation.count > INT_MAX) refuse_count(operation.count);
    run_ = bridge_.collective(std::string(name_of(operation.kind)).c_str());
    call_ = {};
    call_.count = static_cast<int>(operation.count);
    call_.type = bridge_.type(std::string(name_of(operation.dtype)).c_str());
    call_.op = bridge_.op(std::string(name_of(operation.op)).c_str());
    call_.root = operation.root;
    call_.in_place = operation.in_place;
    if (run_ == nullptr || call_.type < 0 || (reduces(operation.kind) && call_.op < 0))
      throw Error(ErrorCode::kInvalidArgument, "mpi: MPI has no " + std::string(name_of(operation.kind)) +
                                                   " of " + std::string(name_of(operation.dtype)) + ", " +
                                                   std::string(name_of(operation.op)));
    if (operation.kind == CollectiveKind::kAlltoallv) {
      sent_ = counts_of(part_for, operation);
      received_ = counts_of(part_from, operation);
      call_.send_counts = sent_.lengths.data();
      call_.send_offsets = sent_.offsets.data();
      call_.recv_counts = received_.lengths.data();
      call_.recv_offsets = received_.offsets.data();
    }
    prepared_ = operation;
  }

  /// Lengths and offsets of the parts of one buffer, in elements, by peer.
  struct PartCounts {
    std::vector<int> lengths, offsets;
  };
  template <class PartOf>
  PartCounts counts_of(PartOf part_of, const Operation& operation) const {
    PartCounts counts;
    for (int peer = 0; peer < ranks_; ++peer) {
      const BufferPart part = part_of(operation, rank_, peer, ranks_);
      counts.lengths.push_back(static_cast<int>(part.length));
      counts.offsets.push_back(static_cast<int>(part.at));
    }
    return counts;
  }
  /// Checks that MPI can count the elements of both buffers. @throws Error(kInvalidArgument) if not
  void require_countable(const Operation& operation) const {
    const BufferShape shape = shape_of(operation, rank_, ranks_);
    const std::size_t longest = std::max(shape.send_elements, shape.recv_elements);
    if (longest > INT_MAX) refuse_count(longest);
  }

  [[noreturn]] static void refuse_count(std::size_t count) {
    throw Error(ErrorCode::kInvalidArgument,
                "mpi: " + std::to_string(count) +
                    " elements are more than an int holds, which MPI counts with; "
                    "lower --max or take a wider --dtype");
  }
  [[noreturn]] static void refuse_bytes(std::size_t bytes) {
    throw Error(ErrorCode::kInvalidArgument, "mpi: a message of " + std::to_string(bytes) +
                                                 " bytes is longer than 2 GiB; take smaller ones");
  }

  void require(int code, const char* doing) {
    if (code != 0) broken_ = true;
    bridge_.require(code, doing);
  }

  const int rank_, ranks_;
  std::string address_ = kThisHost;  // By which the other hosts' ranks reach this one.
  std::unique_ptr<MpiSlots> slots_;  // Destroyed after MPI has ended.
  MpiBridge bridge_;
  bool started_ = false, broken_ = false;
  std::array<cpu::Pages, 2> buffers_;
  std::optional<Operation> prepared_;
  CollbenchMpiRun run_ = nullptr;
  CollbenchMpiCall call_{};
  PartCounts sent_, received_;
  std::vector<CollbenchMpiMessage> posted_;
  DeviceProperties device_;
  EngineSettings facts_;
  std::map<std::string, std::uint64_t> paths_;  // By lane of UCX; empty over other transports.
};

std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return std::make_unique<MpiEngine>(bootstrap, options);
}

Abilities abilities() {
  return {{Ability::kCollectives,
           {{"collective", collbench::names_of(kMpiKinds)},
            {"dtype", collbench::names_of(kMpiTypes)},
            {"op", collbench::names_of(kMpiOps)}}},
          {Ability::kMessages, {{"path", {"host", "rank"}}}},
          {Ability::kComputations, {}}};
}

}  // namespace
}  // namespace mpi

EngineEntry mpi_engine() { return {"mpi", mpi::create, mpi::abilities, mpi::probe}; }

}  // namespace collbench
