#include "transports/plugin/foreign_net.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "transports/plugin/plugin_log.h"
#include "transports/plugin/signal_handler_guard.h"

namespace collbench::plugin {
namespace {

/// Smallest value of a plugin's maximum message size that is accepted, in bytes. It holds an element of any
/// type, and a whole cache line fits into one message.
constexpr std::size_t kMinMessageBytes = 64;

nccl::NcclResult no_profiler(void** event, int, void*, std::int64_t, void*) {
  if (event != nullptr) *event = nullptr;
  return nccl::kSuccess;
}

template <typename Net>
class NetOf final : public ForeignNet {
 public:
  NetOf(std::string path, const Net* net) : path_(std::move(path)), net_(net) {
    if (net_->init == nullptr) throw lacks("init");
    nccl::NcclResult result;
    if constexpr (Net::kVersion >= 11)
      result = net_->init(&context_, static_cast<std::uint64_t>(getpid()), &config_, plugin_log, no_profiler);
    else if constexpr (Net::kVersion == 10)
      result = net_->init(plugin_log, no_profiler);
    else
      result = net_->init(plugin_log);
    if (result != nccl::kSuccess)
      throw Error(ErrorCode::kUnavailable, where() + ": init failed with " + result_name(result));
    // Some plugins export only a name and init, and fill in the other functions during init.
    for (const auto& [call, given] : {std::pair<const char*, bool>{"devices", net_->devices != nullptr},
                                      {"getProperties", net_->getProperties != nullptr},
                                      {"listen", net_->listen != nullptr},
                                      {"connect", net_->connect != nullptr},
                                      {"accept", net_->accept != nullptr},
                                      {"regMr", net_->regMr != nullptr},
                                      {"isend", net_->isend != nullptr},
                                      {"irecv", net_->irecv != nullptr},
                                      {"test", net_->test != nullptr}})
      if (!given) throw lacks(call);
    if (NetOf::devices() < 1)
      throw Error(ErrorCode::kUnavailable, where() + " finds no device on this machine");
    require_usable();
  }
  ~NetOf() override {
    if constexpr (Net::kVersion >= 11)
      if (net_->finalize != nullptr) report(net_->finalize(context_), "finalize");
    log_warnings_left_out();
  }

  [[nodiscard]] std::string name() const override { return net_->name != nullptr ? net_->name : "unnamed"; }
  [[nodiscard]] int version() const override { return Net::kVersion; }

  int devices() override {
    int count = 0;
    check(net_->devices(&count), "devices");
    return count;
  }

  DeviceProperties properties(int device) override {
    typename Net::Properties given{};
    check(net_->getProperties(device, &given), "getProperties");
    DeviceProperties device_properties;
    device_properties.name = given.name != nullptr ? given.name : name() + std::to_string(device);
    if (given.pciPath != nullptr) device_properties.pci_path = given.pciPath;
    device_properties.speed_mbps = given.speed;
    device_properties.latency_us = given.latency;
    device_properties.max_receives = std::clamp(given.maxRecvs, 1, kMaxGroup);
    device_properties.host_memory = (given.ptrSupport & nccl::kPtrHost) != 0;
    device_properties.cuda_memory = (given.ptrSupport & nccl::kPtrCuda) != 0;
    device_properties.max_comms = std::max(0, given.maxComms);
    device_properties.max_message_bytes = nccl::kMaxNetBytes;  // limit that NCCL assumes for older versions
    if constexpr (Net::kVersion >= 9)
      device_properties.max_message_bytes = std::min(given.maxP2pBytes, nccl::kMaxNetBytes);
    return device_properties;
  }

  std::string corrected_properties(int device) override {
    typename Net::Properties given{};
    check(net_->getProperties(device, &given), "getProperties");
    if (given.name == nullptr) return "no name";
    return given.maxRecvs < 1 ? "maxRecvs " + std::to_string(given.maxRecvs) : "";
  }

  void* listen(int device, ConnectHandle& handle) override {
    void* comm = nullptr;
    handle.fill(std::byte{0});
    if constexpr (Net::kVersion >= 11)
      check(net_->listen(context_, device, handle.data(), &comm), "listen");
    else
      check(net_->listen(device, handle.data(), &comm), "listen");
    if (comm == nullptr)
      throw Error(ErrorCode::kInternal, where() + ": listen succeeded and gave no listener");
    return comm;
  }

  void* connect(int device, ConnectHandle& handle) override {
    void* comm = nullptr;
    nccl::DeviceHandle* offload = nullptr;
    nccl::NcclResult result;
    if constexpr (Net::kVersion >= 11)
      result = net_->connect(context_, device, handle.data(), &comm, &offload);
    else if constexpr (Net::kVersion == 10)
      result = net_->connect(device, &config_, handle.data(), &comm, &offload);
    else if constexpr (Net::kVersion >= 7)
      result = net_->connect(device, handle.data(), &comm, &offload);
    else
      result = net_->connect(device, handle.data(), &comm);
    check(result, "connect");
    return comm;
  }

  void* accept(void* listener) override {
    void* comm = nullptr;
    nccl::DeviceHandle* offload = nullptr;
    if constexpr (Net::kVersion >= 7)
      check(net_->accept(listener, &comm, &offload), "accept");
    else
      check(net_->accept(listener, &comm), "accept");
    return comm;
  }

  void* register_memory(void* comm, void* data, std::size_t bytes, MemoryKind kind) override {
    void* region = nullptr;
    const int type = kind == MemoryKind::kHost ? nccl::kPtrHost : nccl::kPtrCuda;
    nccl::NcclResult result;
    if constexpr (Net::kVersion >= 8)
      result = net_->regMr(comm, data, bytes, type, &region);
    else
      result = net_->regMr(comm, data, narrow(bytes), type, &region);
    if (result != nccl::kSuccess) check(result, ("regMr of " + std::to_string(bytes) + " bytes").c_str());
    return region;
  }

  void deregister_memory(void* comm, void* region) noexcept override {
    if (net_->deregMr != nullptr) report(net_->deregMr(comm, region), "deregMr");
  }

  void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region) override {
    void* request = nullptr;
    void* from = const_cast<void*>(data);
    nccl::NcclResult result;
    if constexpr (Net::kVersion >= 10)
      result = net_->isend(comm, from, bytes, tag, region, nullptr, &request);
    else if constexpr (Net::kVersion == 9)
      result = net_->isend(comm, from, bytes, tag, region, &request);
    else
      result = net_->isend(comm, from, narrow(bytes), tag, region, &request);
    check(result, "isend");
    return request;
  }

  void* irecv(void* comm, int count, void** data, std::size_t* bytes, int* tags, void** regions) override {
    void* request = nullptr;
    nccl::NcclResult result;
    if constexpr (Net::kVersion >= 10) {
      void* parents[kMaxGroup] = {};
      result = net_->irecv(comm, count, data, bytes, tags, regions, parents, &request);
    } else if constexpr (Net::kVersion == 9) {
      result = net_->irecv(comm, count, data, bytes, tags, regions, &request);
    } else {
      int sizes[kMaxGroup];
      for (int i = 0; i < count; ++i) sizes[i] = narrow(bytes[i]);
      result = net_->irecv(comm, count, data, sizes, tags, regions, &request);
    }
    check(result, "irecv");
    return request;
  }

  bool test(void* request, int* sizes) override {
    int done = 0;
    check(net_->test(request, &done, sizes), "test");
    return done != 0;
  }

  void close_send(void* comm) noexcept override {
    if (net_->closeSend != nullptr) report(net_->closeSend(comm), "closeSend");
  }
  void close_recv(void* comm) noexcept override {
    if (net_->closeRecv != nullptr) report(net_->closeRecv(comm), "closeRecv");
  }
  void close_listen(void* comm) noexcept override {
    if (net_->closeListen != nullptr) report(net_->closeListen(comm), "closeListen");
  }

 private:
  [[nodiscard]] std::string where() const {
    return "net plugin " + path_ + " (" + name() + ", v" + std::to_string(Net::kVersion) + ")";
  }
  [[nodiscard]] Error lacks(const char* call) const {
    return Error(ErrorCode::kUnavailable, where() + " has no function " + call);
  }
  /// Checks that device 0 of the plugin can be used.
  /// @throws Error(kUnavailable) if the device takes no host memory, is driven by a GPU, or takes only
  /// messages of less than kMinMessageBytes
  void require_usable() {
    typename Net::Properties given{};
    check(net_->getProperties(0, &given), "getProperties");
    const std::string device = where() + ": its device 0 ";
    if ((given.ptrSupport & nccl::kPtrHost) == 0)
      throw Error(ErrorCode::kUnavailable, device + "takes no host memory (ptrSupport " +
                                               std::to_string(given.ptrSupport) +
                                               "); the cpu engine has no other");
    if constexpr (Net::kVersion >= 7)
      if (given.netDeviceType != nccl::kNetDeviceHost)
        throw Error(ErrorCode::kUnavailable, device + "is driven by a GPU (netDeviceType " +
                                                 std::to_string(given.netDeviceType) +
                                                 "); the cpu engine has none");
    if constexpr (Net::kVersion >= 9)
      if (given.maxP2pBytes < kMinMessageBytes)
        throw Error(ErrorCode::kUnavailable, device + "takes messages of " +
                                                 std::to_string(given.maxP2pBytes) +
                                                 " bytes at most (maxP2pBytes); at least " +
                                                 std::to_string(kMinMessageBytes) + " are needed");
  }
  /// Logs a warning if a call of the plugin failed while something is closed; closing continues.
  /// @param call name of the plugin's function
  void report(nccl::NcclResult result, const char* call) const noexcept {
    if (result == nccl::kSuccess) return;
    try {
      log(LogLevel::kWarn, where() + ": " + call + " failed with " + result_name(result));
    } catch (const std::exception&) {  // no memory for the message
    }
  }
  void check(nccl::NcclResult result, const char* call) const {
    if (result == nccl::kSuccess) [[likely]]
      return;
    const bool remote = result == nccl::kRemoteError || result == nccl::kSystemError;
    throw Error(remote ? ErrorCode::kConnectionLost : ErrorCode::kInternal,
                where() + ": " + call + " failed with " + result_name(result));
  }
  [[nodiscard]] int narrow(std::size_t bytes) const {
    if (bytes > nccl::kMaxNetBytes)
      throw Error(ErrorCode::kInvalidArgument, where() + " takes at most 1 GiB at once, got " +
                                                   std::to_string(bytes) +
                                                   " bytes; its interface version has no larger sizes");
    return static_cast<int>(bytes);
  }

  std::string path_;
  const Net* net_;
  void* context_ = nullptr;
  nccl::CommConfig config_{nccl::kUndefined};
};

template <typename Net>
std::shared_ptr<ForeignNet> try_version(void* handle, const std::string& path) {
  const std::string symbol = "ncclNetPlugin_v" + std::to_string(Net::kVersion);
  const auto* net = static_cast<const Net*>(dlsym(handle, symbol.c_str()));
  return net != nullptr ? std::make_shared<NetOf<Net>>(path, net) : nullptr;
}

template <typename... Nets>
std::shared_ptr<ForeignNet> try_versions(void* handle, const std::string& path, int wanted) {
  std::shared_ptr<ForeignNet> net;
  ((net == nullptr && (wanted == 0 || wanted == Nets::kVersion) && (net = try_version<Nets>(handle, path))),
   ...);
  return net;
}

void* opened(const std::string& path) {
  const SignalHandlerGuard while_loading;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const std::string why = dlerror();
  throw Error(ErrorCode::kUnavailable, "net plugin " + path + " cannot be loaded: " + why);
}

std::shared_ptr<ForeignNet> load(const std::string& path, int version) {
  if (path.empty())
    throw Error(ErrorCode::kUnavailable,
                "no net plugin named; write --transport plugin:/path/to/libnccl-net-x.so");
  void* const handle = opened(path);
  const SignalHandlerGuard in_init;
  auto net = try_versions<nccl::NetV12, nccl::NetV11, nccl::NetV10, nccl::NetV9, nccl::NetV8, nccl::NetV7,
                          nccl::NetV6>(handle, path, version);
  if (net == nullptr)
    throw Error(ErrorCode::kUnavailable,
                path + " exports no ncclNetPlugin_v" +
                    (version != 0 ? std::to_string(version) : std::string("6 to ncclNetPlugin_v12")) +
                    "; it is no NCCL net plugin, or one for NCCL before 2.13");
  return net;
}

}  // namespace

std::shared_ptr<ForeignNet> open_foreign_net(const std::string& path, int version) {
  // Up to v10 init is per process, so ranks that are threads share one object.
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, std::weak_ptr<ForeignNet>> open;
  const std::lock_guard lock(mutex);
  auto& entry = open[{path, version}];
  auto net = entry.lock();
  if (net == nullptr) entry = net = load(path, version);
  return net;
}

}  // namespace collbench::plugin
