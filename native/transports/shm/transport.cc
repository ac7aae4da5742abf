#include "transports/shm/transport.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <list>
#include <mutex>
#include <string_view>

#include "core/error.h"
#include "transports/shm/handshake.h"
#include "transports/socket/handshake.h"

namespace collbench {
namespace {

constexpr const char* kDetail = "memory shared by processes";
constexpr const char* kSpansHosts = "shm joins processes of one machine, and there are ranks on several";

/// COLLBENCH_SHM_COPIES=2: never copies by the kernel.
bool may_copy_once() {
  const char* copies = std::getenv("COLLBENCH_SHM_COPIES");
  return copies == nullptr || std::string_view(copies) != "2";
}

class ShmTransport final : public Transport {
 public:
  explicit ShmTransport(const TransportOptions& options) {
    socket::require_token(options.token);
    if (options.spans_hosts) throw Error(ErrorCode::kUnavailable, kSpansHosts);
    terms_.token = options.token;
    terms_.may_copy_once = may_copy_once();
    terms_.sleeps = options.sleeps;
    terms_.make_tally = [ledger = ledger_](bool sends, shm::Way way) { return ledger->add(sends, way); };
    // Under Yama a process may be read by strangers only if it says so; elsewhere this fails and is not
    // needed.
    if (terms_.may_copy_once) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  }

  std::vector<DeviceProperties> devices() override {
    DeviceProperties device;
    device.name = "shm";
    device.detail = kDetail + ledger_->ways();
    device.flagged_bytes = kMostFlaggedBytes;
    return {device};
  }

  std::unique_ptr<ListenComm> listen(int device) override {
    require_device(device);
    return std::make_unique<shm::ShmListenComm>(terms_);
  }

  std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) override {
    require_device(device);
    return std::make_unique<shm::ShmConnecting>(terms_, handle);
  }

  [[nodiscard]] TransportCounters counters() const override { return ledger_->sum(); }

 private:
  /// Of every connection ever made; those may outlive the transport.
  class Ledger {
   public:
    std::shared_ptr<shm::Tally> add(bool sends, shm::Way way) {
      const std::lock_guard lock(mutex_);
      (way == shm::Way::kSingleCopy ? single_copies_ : two_copies_) = true;
      return (sends ? sent_ : received_).emplace_back(std::make_shared<shm::Tally>());
    }
    TransportCounters sum() {
      const std::lock_guard lock(mutex_);
      TransportCounters all;
      for (const auto& one : sent_) {
        all.bytes_sent += one->bytes, all.messages_sent += one->messages;
        all.flagged_sent += one->flagged;
      }
      for (const auto& one : received_)
        all.bytes_received += one->bytes, all.messages_received += one->messages;
      return all;
    }
    /// Nothing before the first connection.
    std::string ways() {
      const std::lock_guard lock(mutex_);
      if (two_copies_) return ", two copies: ranks may not read each other's memory";
      return single_copies_ ? ", one copy by process_vm_readv from " +
                                  std::to_string(shm::kSingleCopyBytes >> 10) + " KiB on"
                            : "";
    }

   private:
    std::mutex mutex_;
    std::list<std::shared_ptr<shm::Tally>> sent_, received_;
    bool single_copies_ = false;
    bool two_copies_ = false;
  };

  static void require_device(int device) {
    if (device != 0)
      throw Error(ErrorCode::kInvalidArgument,
                  "shm: there is one device, number 0, not " + std::to_string(device));
  }

  std::shared_ptr<Ledger> ledger_ = std::make_shared<Ledger>();
  shm::Terms terms_;
};

}  // namespace

std::unique_ptr<Transport> create_shm(const TransportOptions& options) {
  return std::make_unique<ShmTransport>(options);
}

Availability probe_shm(const TransportOptions& options) {
  Availability answer;
  answer.available = !options.spans_hosts;
  if (answer.available)
    answer.detail = kDetail;
  else
    answer.reason = kSpansHosts, answer.remedy = "Use --transport socket.";
  return answer;
}

}  // namespace collbench
