#include "transports/plugin/comms.h"

#include <array>
#include <deque>
#include <vector>

#include "core/error.h"

namespace collbench::plugin {
namespace {

struct ForeignRegion final : MemoryRegion {
  explicit ForeignRegion(void* plugin_region) : region(plugin_region) {}
  void* region;
};

/// A send or receive in progress: the plugin's own request, and what is needed to test it and to count its
/// bytes.
struct ForeignRequest final : Request {
  void* request = nullptr;
  int buffers = 0;
  std::array<std::size_t, kMaxGroup> room;  // capacity of each receive buffer
  std::array<int, kMaxGroup> sizes;         // sizes that test() wrote
  bool done = false;
  ForeignRequest* next = nullptr;  // next newer request of the comm
};

void* region_of(MemoryRegion* region) {
  return region != nullptr ? static_cast<ForeignRegion*>(region)->region : nullptr;
}

/// Memory registrations and unfinished requests of one comm of a net plugin. Request objects are reused, so
/// that no memory is allocated after the first messages.
class OpenRequests {
 public:
  OpenRequests(std::shared_ptr<PluginShare> host, void* comm) : host_(std::move(host)), comm_(comm) {}
  MemoryRegion* add(void* data, std::size_t bytes, MemoryKind kind) {
    return &regions_.emplace_back(net().register_memory(comm_, data, bytes, kind));
  }
  void remove(MemoryRegion* region) {
    if (region == nullptr) return;
    net().deregister_memory(comm_, region_of(region));
    regions_.remove_if([&](const ForeignRegion& r) { return &r == region; });
  }
  void remove_all() noexcept {
    for (const auto& region : regions_) net().deregister_memory(comm_, region.region);
    regions_.clear();
  }
  ForeignRequest* take(void* request, int buffers) {
    if (free_.empty()) free_.push_back(&requests_.emplace_back());
    ForeignRequest* taken = free_.back();
    free_.pop_back();
    taken->request = request;
    taken->buffers = buffers;
    taken->sizes.fill(0);
    taken->done = false;
    taken->next = nullptr;
    (oldest_ == nullptr ? oldest_ : newest_->next) = taken;
    newest_ = taken;
    return taken;
  }
  /// True once this request is done. It asks the plugin only about the oldest unfinished request of the comm,
  /// as NCCL does, because some plugins rely on that order.
  bool is_done(const ForeignRequest& wanted) {
    while (!wanted.done) {
      if (!net().test(oldest_->request, oldest_->sizes.data())) return false;
      oldest_->done = true;
      oldest_ = oldest_->next;
    }
    return true;
  }
  void give(ForeignRequest* request) { free_.push_back(request); }
  [[nodiscard]] ForeignNet& net() const { return *host_->net; }
  [[nodiscard]] void* comm() const { return comm_; }

 private:
  std::shared_ptr<PluginShare> host_;
  void* comm_;
  std::list<ForeignRegion> regions_;
  std::deque<ForeignRequest> requests_;
  std::vector<ForeignRequest*> free_;
  ForeignRequest *oldest_ = nullptr, *newest_ = nullptr;  // requests that are not done
};

class PluginSendComm final : public SendComm {
 public:
  PluginSendComm(const std::shared_ptr<PluginShare>& host, void* comm)
      : requests_open_(host, comm), counters_(host->counters.open(true)) {}
  ~PluginSendComm() override {
    requests_open_.remove_all();
    requests_open_.net().close_send(requests_open_.comm());
  }
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override {
    return requests_open_.add(data, bytes, kind);
  }
  void deregister_memory(MemoryRegion* region) override { requests_open_.remove(region); }
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override {
    void* request = requests_open_.net().isend(requests_open_.comm(), data, bytes, tag, region_of(region));
    if (request == nullptr) return nullptr;
    counters_.add(bytes);
    return requests_open_.take(request, 1);
  }
  bool test(Request* request) override {
    auto* foreign = static_cast<ForeignRequest*>(request);
    if (!requests_open_.is_done(*foreign)) return false;
    requests_open_.give(foreign);
    return true;
  }

 private:
  OpenRequests requests_open_;
  CommCounters& counters_;
};

class PluginRecvComm final : public RecvComm {
 public:
  PluginRecvComm(const std::shared_ptr<PluginShare>& host, void* comm)
      : host_(host), requests_open_(host, comm), counters_(host->counters.open(false)) {}
  ~PluginRecvComm() override {
    requests_open_.remove_all();
    requests_open_.net().close_recv(requests_open_.comm());
  }
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override {
    return requests_open_.add(data, bytes, kind);
  }
  void deregister_memory(MemoryRegion* region) override { requests_open_.remove(region); }
  Request* irecv(std::span<const ReceiveBuffer> buffers) override {
    if (buffers.empty() || buffers.size() > kMaxGroup)
      throw Error(ErrorCode::kInvalidArgument, "irecv takes 1 to " + std::to_string(kMaxGroup) +
                                                   " buffers, got " + std::to_string(buffers.size()));
    void* data[kMaxGroup];
    std::size_t bytes[kMaxGroup];
    int tags[kMaxGroup];
    void* regions[kMaxGroup];
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      data[i] = buffers[i].data;
      bytes[i] = buffers[i].bytes;
      tags[i] = buffers[i].tag;
      regions[i] = region_of(buffers[i].region);
    }
    const int count = static_cast<int>(buffers.size());
    void* request = requests_open_.net().irecv(requests_open_.comm(), count, data, bytes, tags, regions);
    if (request == nullptr) return nullptr;
    ForeignRequest* taken = requests_open_.take(request, count);
    for (std::size_t i = 0; i < buffers.size(); ++i) taken->room[i] = buffers[i].bytes;
    return taken;
  }
  bool test(Request* request, std::size_t* received_bytes) override {
    auto* foreign = static_cast<ForeignRequest*>(request);
    if (!requests_open_.is_done(*foreign)) return false;
    const auto& sizes = foreign->sizes;
    for (std::size_t i = 0; i < static_cast<std::size_t>(foreign->buffers); ++i) {
      if (sizes[i] > 0) host_->reports_sizes.store(true, std::memory_order_relaxed);
      // Some plugins never write the size. NCCL zeroes it and does not need it; the data are verified in any
      // case.
      const bool is_told = sizes[i] > 0 || host_->reports_sizes.load(std::memory_order_relaxed);
      // A negative size becomes a huge unsigned number and is refused too.
      if (is_told && static_cast<std::size_t>(sizes[i]) > foreign->room[i])
        throw Error(ErrorCode::kProtocol, "net plugin " + requests_open_.net().name() + ": test says that " +
                                              std::to_string(sizes[i]) + " bytes came into a buffer of " +
                                              std::to_string(foreign->room[i]));
      const std::size_t size = is_told ? static_cast<std::size_t>(sizes[i]) : foreign->room[i];
      if (received_bytes != nullptr) received_bytes[i] = size;
      counters_.add(size);
    }
    requests_open_.give(foreign);
    return true;
  }
  // NCCL flushes GPU memory only, and this host has none.
  Request* iflush(std::span<const ReceiveBuffer> /*buffers*/) override { return nullptr; }

 private:
  std::shared_ptr<PluginShare> host_;
  OpenRequests requests_open_;
  CommCounters& counters_;
};

class PluginListenComm final : public ListenComm {
 public:
  PluginListenComm(std::shared_ptr<PluginShare> host, int device) : host_(std::move(host)) {
    comm_ = host_->net->listen(device, handle_);
  }
  ~PluginListenComm() override { host_->net->close_listen(comm_); }
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  std::unique_ptr<RecvComm> accept() override {
    void* comm = host_->net->accept(comm_);
    return comm != nullptr ? std::make_unique<PluginRecvComm>(host_, comm) : nullptr;
  }

 private:
  std::shared_ptr<PluginShare> host_;
  ConnectHandle handle_{};
  void* comm_ = nullptr;
};

class PluginConnecting final : public Connecting {
 public:
  PluginConnecting(std::shared_ptr<PluginShare> host, int device, const ConnectHandle& handle)
      : host_(std::move(host)), device_(device), handle_(handle) {}
  std::unique_ptr<SendComm> poll() override {
    void* comm = host_->net->connect(device_, handle_);
    return comm != nullptr ? std::make_unique<PluginSendComm>(host_, comm) : nullptr;
  }

 private:
  std::shared_ptr<PluginShare> host_;
  int device_;
  ConnectHandle handle_;  // plugins may store the state of the attempt in it
};

}  // namespace

std::unique_ptr<ListenComm> listen_on(std::shared_ptr<PluginShare> host, int device) {
  return std::make_unique<PluginListenComm>(std::move(host), device);
}

std::unique_ptr<Connecting> connect_to(std::shared_ptr<PluginShare> host, int device,
                                       const ConnectHandle& handle) {
  return std::make_unique<PluginConnecting>(std::move(host), device, handle);
}

}  // namespace collbench::plugin
