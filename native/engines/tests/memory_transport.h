#pragma once
// Transport between threads, for tests of the layers above. It is rendezvous only: data are read from the
// sender's memory when the receiver tests. There is room for two messages in each direction, so reusing a
// buffer too early shows and "no room" happens often.
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "transports/transport.h"

namespace collbench::test {

inline constexpr std::size_t kMemoryRoom = 2;

struct MemoryPipe {
  struct Message final : Request {
    const void* data = nullptr;
    std::size_t bytes = 0;
    bool taken = false;
  };
  std::mutex mutex;
  bool connected = false;
  /// Oldest first; kept until the sender has tested the request.
  std::deque<std::unique_ptr<Message>> waiting;
};

struct MemoryHub {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<MemoryPipe>> pipes;
  std::uint64_t next = 1;
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> bytes{0};
};

struct MemoryTestRegion final : MemoryRegion {};

class MemorySend final : public SendComm {
 public:
  MemorySend(MemoryHub& hub, std::shared_ptr<MemoryPipe> pipe) : hub_(hub), pipe_(std::move(pipe)) {}
  MemoryRegion* register_memory(void*, std::size_t, MemoryKind) override { return new MemoryTestRegion; }
  void deregister_memory(MemoryRegion* region) override { delete region; }
  Request* isend(const void* data, std::size_t bytes, int, MemoryRegion* region) override {
    if (region == nullptr) throw Error(ErrorCode::kInvalidArgument, "memory that was not registered is sent");
    const std::lock_guard lock(pipe_->mutex);
    if (pipe_->waiting.size() == kMemoryRoom) return nullptr;
    auto& message = pipe_->waiting.emplace_back(std::make_unique<MemoryPipe::Message>());
    message->data = data;
    message->bytes = bytes;
    ++hub_.messages;
    hub_.bytes += bytes;
    return message.get();
  }
  bool test(Request* request) override {
    const std::lock_guard lock(pipe_->mutex);
    for (auto it = pipe_->waiting.begin(); it != pipe_->waiting.end(); ++it) {
      if (it->get() != request) continue;
      if (!(*it)->taken) return false;
      pipe_->waiting.erase(it);
      return true;
    }
    throw Error(ErrorCode::kInternal, "a request is tested after its end");
  }

 private:
  MemoryHub& hub_;
  std::shared_ptr<MemoryPipe> pipe_;
};

class MemoryRecv final : public RecvComm {
 public:
  explicit MemoryRecv(std::shared_ptr<MemoryPipe> pipe) : pipe_(std::move(pipe)) {}
  MemoryRegion* register_memory(void*, std::size_t, MemoryKind) override { return new MemoryTestRegion; }
  void deregister_memory(MemoryRegion* region) override { delete region; }
  Request* irecv(std::span<const ReceiveBuffer> buffers) override {
    if (buffers.front().region == nullptr)
      throw Error(ErrorCode::kInvalidArgument, "memory that was not registered receives");
    if (posted_.size() == kMemoryRoom) return nullptr;
    posted_.push_back(std::make_unique<Receive>());
    posted_.back()->buffer = buffers.front();
    return posted_.back().get();
  }
  bool test(Request* request, std::size_t* received_bytes) override {
    if (posted_.empty() || posted_.front().get() != request) return false;
    const std::lock_guard lock(pipe_->mutex);
    for (auto& message : pipe_->waiting) {
      if (message->taken) continue;
      const ReceiveBuffer& to = posted_.front()->buffer;
      if (message->bytes > to.bytes) throw Error(ErrorCode::kProtocol, "message longer than its buffer");
      if (message->bytes > 0) std::memcpy(to.data, message->data, message->bytes);
      if (received_bytes != nullptr) *received_bytes = message->bytes;
      message->taken = true;
      posted_.pop_front();
      return true;
    }
    return false;
  }
  Request* iflush(std::span<const ReceiveBuffer>) override { return nullptr; }

 private:
  struct Receive final : Request {
    ReceiveBuffer buffer;
  };
  std::shared_ptr<MemoryPipe> pipe_;
  std::deque<std::unique_ptr<Receive>> posted_;
};

class MemoryListen final : public ListenComm {
 public:
  MemoryListen(std::shared_ptr<MemoryPipe> pipe, std::uint64_t id) : pipe_(std::move(pipe)) {
    std::memcpy(handle_.data(), &id, sizeof id);
  }
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  std::unique_ptr<RecvComm> accept() override {
    const std::lock_guard lock(pipe_->mutex);
    if (!pipe_->connected) return nullptr;
    return std::make_unique<MemoryRecv>(pipe_);
  }

 private:
  std::shared_ptr<MemoryPipe> pipe_;
  ConnectHandle handle_{};
};

/// Connects at the second poll, because a first "not yet" belongs to the contract.
class MemoryConnecting final : public Connecting {
 public:
  MemoryConnecting(MemoryHub& hub, std::shared_ptr<MemoryPipe> pipe) : hub_(hub), pipe_(std::move(pipe)) {}
  std::unique_ptr<SendComm> poll() override {
    if (polls_++ == 0) return nullptr;
    const std::lock_guard lock(pipe_->mutex);
    pipe_->connected = true;
    return std::make_unique<MemorySend>(hub_, pipe_);
  }

 private:
  MemoryHub& hub_;
  std::shared_ptr<MemoryPipe> pipe_;
  int polls_ = 0;
};

class MemoryTransport final : public Transport {
 public:
  explicit MemoryTransport(MemoryHub& hub) : hub_(hub) {}
  [[nodiscard]] std::vector<DeviceProperties> devices() override {
    DeviceProperties device;
    device.name = "memory";
    return {device};
  }
  std::unique_ptr<ListenComm> listen(int) override {
    const std::lock_guard lock(hub_.mutex);
    auto pipe = std::make_shared<MemoryPipe>();
    hub_.pipes[hub_.next] = pipe;
    return std::make_unique<MemoryListen>(pipe, hub_.next++);
  }
  std::unique_ptr<Connecting> connect(int, const ConnectHandle& handle) override {
    std::uint64_t id = 0;
    std::memcpy(&id, handle.data(), sizeof id);
    const std::lock_guard lock(hub_.mutex);
    return std::make_unique<MemoryConnecting>(hub_, hub_.pipes.at(id));
  }
  [[nodiscard]] TransportCounters counters() const override { return {hub_.bytes, 0, hub_.messages, 0}; }

 private:
  MemoryHub& hub_;
};

}  // namespace collbench::test
