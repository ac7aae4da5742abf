#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "concurrent_load/kinds.h"
#include "core/error.h"
#include "core/spin.h"
#include "transports/registry.h"
#include "transports/transport.h"

namespace collbench::concurrent_load {
namespace {

constexpr std::size_t kMessage = std::size_t{256} << 10;
constexpr std::size_t kInFlight = 2;  // Messages under way in each direction.
constexpr int kMaxConnections = 8;

/// First word of each message: kMore = the sender continues, kLast = the sender pauses after this message.
enum class MessageMark : std::uint64_t { kMore = 1, kLast = 2 };

/// One connection of the concurrent load "traffic": to the next rank, and one from the previous rank. Both
/// always have messages in flight while the load runs. The last message before a pause is marked; a pause is
/// complete when the previous rank's marked message has arrived.
class Traffic final : public LoadTask {
 public:
  Traffic(const LoadContext& context)
      : spins_(context.spins),
        cancelled_(context.cancelled),
        transport_(find_transport(context.transport)->create(*context.options)),
        memory_(2 * kInFlight * kMessage) {
    connect(context);
    send_region_ = send_->register_memory(memory_.data(), memory_.size(), MemoryKind::kHost);
    receive_region_ = receive_->register_memory(memory_.data(), memory_.size(), MemoryKind::kHost);
  }
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  ~Traffic() override {
    if (send_region_ != nullptr) send_->deregister_memory(send_region_);
    if (receive_region_ != nullptr) receive_->deregister_memory(receive_region_);
  }

  std::uint64_t slice() override {
    begin();
    bool moved = send(MessageMark::kMore);
    std::uint64_t received = 0;
    moved = receive(received) || moved;
    wait(moved);
    return received;
  }

  void pause() override {
    begin();
    std::uint64_t received = 0;
    while (!is_over() && !is_abandoned_.load()) {
      const bool sent = send(MessageMark::kLast);
      wait(receive(received) || sent);
    }
    is_begun_ = false;
  }

  void abandon() noexcept override { is_abandoned_.store(true); }

  [[nodiscard]] TransferCounts moved() const override {
    const std::uint64_t sent = sent_.load(), received = received_.load();
    return {sent * kMessage, received * kMessage, sent, received};
  }

 private:
  struct Slot {
    std::byte* data = nullptr;
    Request* request = nullptr;
  };

  void connect(const LoadContext& context) {
    const DeviceProperties device = transport_->devices().at(0);
    if (device.max_message_bytes < kMessage)
      throw Error(ErrorCode::kUnavailable, "traffic beside needs messages of " + std::to_string(kMessage) +
                                               " bytes; device " + device.name + " takes at most " +
                                               std::to_string(device.max_message_bytes));
    const auto listener = transport_->listen(0);
    const std::string mine(reinterpret_cast<const char*>(listener->handle().data()), sizeof(ConnectHandle));
    const auto all = context.exchange("connect handles of beside", mine);
    const std::string& next = all.at(static_cast<std::size_t>((context.rank + 1) % context.ranks));
    ConnectHandle handle;
    if (next.size() != sizeof handle)
      throw Error(ErrorCode::kProtocol, "a connect handle of " + std::to_string(next.size()) + " bytes came");
    std::memcpy(handle.data(), next.data(), sizeof handle);
    const auto attempt = transport_->connect(0, handle);
    Spinner spinner(spins_);
    while (send_ == nullptr || receive_ == nullptr) {
      if (send_ == nullptr) send_ = attempt->poll();
      if (receive_ == nullptr) receive_ = listener->accept();
      stop_if_cancelled();
      spinner.step();
    }
  }

  void stop_if_cancelled() const {
    if (cancelled_ && cancelled_())
      throw Error(ErrorCode::kCancelled, "stopped while waiting for the traffic beside");
  }

  void begin() {
    if (std::exchange(is_begun_, true)) return;
    last_sent_ = last_received_ = false;
    sending_ = receiving_ = 0;
    for (std::size_t i = 0; i < kInFlight; ++i) {
      sends_[i] = {memory_.data() + i * kMessage, nullptr};
      receives_[i] = {memory_.data() + (kInFlight + i) * kMessage, nullptr};
    }
  }

  /// Sends messages while slots are free, none after one marked kLast. Only the oldest slot is polled,
  /// because messages complete in order. Returns true if an earlier message was completed.
  /// @param word first word of the message
  bool send(MessageMark word) {
    bool moved = false;
    for (std::size_t i = 0; i < kInFlight; ++i) {
      Slot& slot = sends_[sending_];
      if (slot.request != nullptr) {
        if (!send_->test(slot.request)) break;
        slot.request = nullptr;
        moved = true;
      }
      if (!last_sent_) {
        std::memcpy(slot.data, &word, sizeof word);
        slot.request = send_->isend(slot.data, kMessage, 0, send_region_);
        if (slot.request == nullptr) break;
        sent_.fetch_add(1, std::memory_order_relaxed);
        last_sent_ = word == MessageMark::kLast;
      }
      sending_ = (sending_ + 1) % kInFlight;
    }
    return moved;
  }

  bool receive(std::uint64_t& bytes) {
    bool moved = false;
    for (std::size_t i = 0; i < kInFlight && !last_received_; ++i) {
      Slot& slot = receives_[receiving_];
      if (slot.request == nullptr) {
        // Only one receive is posted at a time, since none may be left posted after the last message.
        const ReceiveBuffer buffer{slot.data, kMessage, 0, receive_region_};
        slot.request = receive_->irecv({&buffer, 1});
      }
      std::size_t got = 0;
      if (slot.request == nullptr || !receive_->test(slot.request, &got)) break;
      slot.request = nullptr;
      moved = true;
      received_.fetch_add(1, std::memory_order_relaxed);
      bytes += got;
      MessageMark word;
      std::memcpy(&word, slot.data, sizeof word);
      last_received_ = word == MessageMark::kLast;
      receiving_ = (receiving_ + 1) % kInFlight;
    }
    return moved;
  }

  [[nodiscard]] bool is_over() const {
    if (!last_sent_ || !last_received_) return false;
    for (const Slot& slot : sends_)
      if (slot.request != nullptr) return false;
    return true;
  }

  void wait(bool moved) {
    if (moved) {
      spinner_ = Spinner(spins_);
      return;
    }
    spinner_.step();
    if ((++looks_ & 0xFFU) == 0) stop_if_cancelled();
  }

  const std::uint32_t spins_;
  const std::function<bool()> cancelled_;
  // Members are destroyed from the bottom up: connections before the transport.
  std::unique_ptr<Transport> transport_;
  std::vector<std::byte> memory_;
  std::unique_ptr<SendComm> send_;
  std::unique_ptr<RecvComm> receive_;
  MemoryRegion *send_region_ = nullptr, *receive_region_ = nullptr;
  std::array<Slot, kInFlight> sends_, receives_;
  std::size_t sending_ = 0, receiving_ = 0;  // Index of the oldest slot in each ring.
  bool is_begun_ = false, last_sent_ = false, last_received_ = false;
  std::atomic<bool> is_abandoned_{false};
  std::atomic<std::uint64_t> sent_{0}, received_{0};
  Spinner spinner_;
  std::uint32_t looks_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<LoadTask>> traffic(const LoadContext& context) {
  if (context.ranks < 2)
    throw Error(ErrorCode::kInvalidArgument,
                "--beside traffic: one rank has nobody to send to; use 2 or more");
  std::vector<std::unique_ptr<LoadTask>> works;
  for (int left = amount_of(context, "traffic", 1, kMaxConnections); left > 0; --left)
    works.push_back(std::make_unique<Traffic>(context));
  return works;
}

}  // namespace collbench::concurrent_load
