#include "net_plugin/plugin.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/log.h"
#include "transports/sisci/transport.h"

namespace collbench::net_plugin {
namespace {

// reported if the adapter states no speed; NCCL needs one to compare paths
constexpr int kNominalMbps = 100'000;

TransportOptions options_from_environment() {
  TransportOptions options;
  options.token = environment_value("COLLBENCH_SISCI_TOKEN");
  options.rank = std::atoi(environment_value("COLLBENCH_SISCI_ADAPTER", "0").c_str());
  options.library = environment_value("COLLBENCH_SISCI_LIBRARY");
  options.link = environment_value("COLLBENCH_SISCI_LINK", "none");
  options.fault = environment_value("COLLBENCH_SISCI_FAULT");
  options.path_proof = environment_value("COLLBENCH_SISCI_PATH_PROOF", "1") != "0";
  return options;
}

struct NamedDevice {
  std::string name, pci_path;
  PluginDevice device;
};

struct State {
  std::mutex mutex;
  std::atomic<nccl::Logger> logger{nullptr};
  int users = 0;
  std::shared_ptr<Transport> transport;
  std::deque<NamedDevice> devices;  // never shrinks: NCCL keeps pointers to the strings
  std::map<ConnectHandle, std::unique_ptr<Connecting>> connecting;
  std::set<void*> open;  // comms and listeners; a second close does nothing
};

State& state() {
  static State instance;
  return instance;
}

void log_to_nccl(LogLevel level, const std::string& text) {
  if (const nccl::Logger logger = state().logger.load())
    logger(level == LogLevel::kWarn ? nccl::kLogWarn : nccl::kLogInfo, nccl::kLogInit | nccl::kLogNet,
           __FILE__, __LINE__, "NET/%s %s", kName, text.c_str());
}

template <typename CommType>
struct Endpoint;

struct RequestBase {
  bool sends;
};

/// A send or receive in progress together with its comm, because NCCL's test() names only the request.
template <typename CommType>
struct PendingRequest : RequestBase {
  Endpoint<CommType>* owner = nullptr;
  Request* request = nullptr;
  std::size_t bytes = 0;
};

/// A send or receive comm as NCCL holds it, with its requests. Only NCCL's progress thread sends or receives
/// with it; other threads may register memory at the same time.
template <typename CommType>
struct Endpoint {
  Endpoint(std::unique_ptr<CommType> opened, std::shared_ptr<Transport> keep)
      : transport(std::move(keep)), comm(std::move(opened)) {
    requests.resize(nccl::kMaxRequests);
    for (auto& request : requests) {
      request.sends = std::is_same_v<CommType, SendComm>;
      request.owner = this;
      free.push_back(&request);
    }
  }
  PendingRequest<CommType>* take() {
    if (free.empty()) return nullptr;
    auto* request = free.back();
    free.pop_back();
    return request;
  }
  std::shared_ptr<Transport> transport;  // lives on after finalize while a comm is open
  std::unique_ptr<CommType> comm;
  std::vector<PendingRequest<CommType>> requests;
  std::vector<PendingRequest<CommType>*> free;
};

/// Common base of send and receive comms. NCCL's regMr passes a pointer to either, without telling which.
struct AnyComm {
  virtual ~AnyComm() = default;
  virtual MemoryRegion* add(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void remove(MemoryRegion* region) = 0;
};

template <typename CommType>
struct OpenComm final : AnyComm {
  OpenComm(std::unique_ptr<CommType> opened, std::shared_ptr<Transport> keep)
      : endpoint(std::move(opened), std::move(keep)) {}
  MemoryRegion* add(void* data, std::size_t bytes, MemoryKind kind) override {
    return endpoint.comm->register_memory(data, bytes, kind);
  }
  void remove(MemoryRegion* region) override { endpoint.comm->deregister_memory(region); }
  Endpoint<CommType> endpoint;
};

struct Listener {
  std::shared_ptr<Transport> transport;
  std::unique_ptr<ListenComm> comm;
};

template <typename CommType>
Endpoint<CommType>& endpoint_of(void* comm) {
  return static_cast<OpenComm<CommType>*>(static_cast<AnyComm*>(comm))->endpoint;
}

/// Variable whose address is the mhandle of memory that needs no registration, because NCCL takes a null
/// mhandle for a failure.
int no_region;

void* opened(void* comm) {
  const std::lock_guard lock(state().mutex);
  state().open.insert(comm);
  return comm;
}

bool forget(void* comm) {
  const std::lock_guard lock(state().mutex);
  return state().open.erase(comm) != 0;
}

MemoryRegion* region_of(void* region) {
  return region == &no_region ? nullptr : static_cast<MemoryRegion*>(region);
}

}  // namespace

std::shared_ptr<Transport> transport() {
  const std::lock_guard lock(state().mutex);
  if (state().transport == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "the plugin is used before init or after finalize");
  return state().transport;
}

void init(nccl::Logger logger) {
  const std::lock_guard lock(state().mutex);
  state().logger = logger;
  set_log_sink(log_to_nccl);
  if (state().transport == nullptr) {
    state().transport = create_sisci(options_from_environment());
    const DeviceProperties found = state().transport->devices().front();
    auto& named = state().devices.emplace_back(NamedDevice{found.name, found.pci_path, {}});
    named.device = {named.name.data(), named.pci_path.empty() ? nullptr : named.pci_path.data(),
                    found.speed_mbps > 0 ? found.speed_mbps : kNominalMbps, found.latency_us};
    if (logger != nullptr)
      logger(nccl::kLogInfo, nccl::kLogInit | nccl::kLogNet, __FILE__, __LINE__, "NET/%s : %s", kName,
             found.medium == Medium::kEmulated
                 ? ("softntb, link " + found.detail.link.value_or("none") + " [EMULATED]").c_str()
                 : found.detail.adapter.value_or("").c_str());
  }
  ++state().users;
}

void finalize() {
  std::shared_ptr<Transport> last;
  std::map<ConnectHandle, std::unique_ptr<Connecting>> abandoned;
  const std::lock_guard lock(state().mutex);
  if (state().users > 0 && --state().users == 0) {
    last = std::move(state().transport);
    abandoned = std::move(state().connecting);
    state().connecting.clear();
  }
}

void warn(const char* call, const char* text) noexcept {
  if (const nccl::Logger logger = state().logger.load())
    logger(nccl::kLogWarn, ~0UL, __FILE__, __LINE__, "NET/%s : %s: %s", kName, call, text);
}

bool emulated() {
  const std::lock_guard lock(state().mutex);
  return state().transport != nullptr && state().transport->devices().front().medium == Medium::kEmulated;
}

TransportCounters counters() {
  const std::lock_guard lock(state().mutex);
  return state().transport != nullptr ? state().transport->counters() : TransportCounters{};
}

int device_count() {
  const std::lock_guard lock(state().mutex);
  return state().transport != nullptr ? 1 : 0;
}

PluginDevice device(int index) {
  const std::lock_guard lock(state().mutex);
  if (index != 0 || state().devices.empty())
    throw Error(ErrorCode::kInvalidArgument, "there is device 0 only, asked for " + std::to_string(index));
  return state().devices.back().device;
}

void* listen(int device, void* handle) {
  auto keep = transport();
  auto listener = std::make_unique<Listener>(Listener{keep, keep->listen(device)});
  std::memcpy(handle, listener->comm->handle().data(), sizeof(ConnectHandle));
  return opened(listener.release());
}

void* connect(int device, void* handle) {
  auto keep = transport();
  ConnectHandle key;
  std::memcpy(key.data(), handle, sizeof key);
  std::unique_ptr<Connecting> attempt;
  {
    const std::lock_guard lock(state().mutex);
    auto found = state().connecting.extract(key);
    if (!found.empty()) attempt = std::move(found.mapped());
  }
  if (attempt == nullptr) attempt = keep->connect(device, key);
  if (auto comm = attempt->poll())
    return opened(static_cast<AnyComm*>(new OpenComm<SendComm>(std::move(comm), std::move(keep))));
  const std::lock_guard lock(state().mutex);
  state().connecting[key] = std::move(attempt);
  return nullptr;
}

void* accept(void* listener) {
  auto* open = static_cast<Listener*>(listener);
  auto comm = open->comm->accept();
  if (comm == nullptr) return nullptr;
  return opened(static_cast<AnyComm*>(new OpenComm<RecvComm>(std::move(comm), open->transport)));
}

void* register_memory(void* comm, void* data, std::size_t bytes, int type) {
  const MemoryKind kind = type == nccl::kPtrHost ? MemoryKind::kHost : MemoryKind::kCuda;
  MemoryRegion* region = static_cast<AnyComm*>(comm)->add(data, bytes, kind);
  return region != nullptr ? static_cast<void*>(region) : &no_region;
}

void deregister_memory(void* comm, void* region) {
  if (region_of(region) != nullptr) static_cast<AnyComm*>(comm)->remove(region_of(region));
}

void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region) {
  if (bytes > nccl::kMaxNetBytes)
    throw Error(
        ErrorCode::kInvalidArgument,
        "a message holds at most 1 GiB (test() tells sizes as int), got " + std::to_string(bytes) + " bytes");
  auto& endpoint = endpoint_of<SendComm>(comm);
  auto* pending = endpoint.take();
  if (pending == nullptr) return nullptr;
  pending->request = endpoint.comm->isend(data, bytes, tag, region_of(region));
  pending->bytes = bytes;
  if (pending->request != nullptr) return static_cast<RequestBase*>(pending);
  endpoint.free.push_back(pending);
  return nullptr;
}

void* irecv(void* comm, int count, void* const* data, const std::size_t* bytes, const int* tags,
            void* const* regions) {
  if (count != 1)
    throw Error(ErrorCode::kInvalidArgument, "maxRecvs is 1, got a group of " + std::to_string(count));
  auto& endpoint = endpoint_of<RecvComm>(comm);
  auto* pending = endpoint.take();
  if (pending == nullptr) return nullptr;
  const ReceiveBuffer buffer{data[0], bytes[0], tags != nullptr ? tags[0] : 0, region_of(regions[0])};
  pending->request = endpoint.comm->irecv({&buffer, 1});
  if (pending->request != nullptr) return static_cast<RequestBase*>(pending);
  endpoint.free.push_back(pending);
  return nullptr;
}

bool test(void* request, int* sizes) {
  auto* base = static_cast<RequestBase*>(request);
  std::size_t bytes = 0;
  if (base->sends) {
    auto* pending = static_cast<PendingRequest<SendComm>*>(base);
    if (!pending->owner->comm->test(pending->request)) return false;
    bytes = pending->bytes;
    pending->owner->free.push_back(pending);
  } else {
    auto* pending = static_cast<PendingRequest<RecvComm>*>(base);
    if (!pending->owner->comm->test(pending->request, &bytes)) return false;
    pending->owner->free.push_back(pending);
  }
  if (sizes != nullptr) sizes[0] = static_cast<int>(bytes);
  return true;
}

void close_send(void* comm) {
  if (forget(comm)) delete static_cast<AnyComm*>(comm);
}
void close_recv(void* comm) { close_send(comm); }
void close_listen(void* comm) {
  if (forget(comm)) delete static_cast<Listener*>(comm);
}

}  // namespace collbench::net_plugin
