#include "transports/shm/transport.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <list>
#include <mutex>
#include <string_view>

#include "core/error.h"
#include "transports/argument_checks.h"
#include "transports/shm/handshake.h"
#include "transports/socket/handshake.h"

namespace collbench {
namespace {

constexpr const char* kSpansHosts = "shm joins processes of one machine, and there are ranks on several";

/// True if large messages may be copied once, by the kernel. False if COLLBENCH_SHM_COPIES=2 is set, which
/// selects two copies through shared memory.
bool may_copy_once() {
  const char* copies = std::getenv("COLLBENCH_SHM_COPIES");
  return copies == nullptr || std::string_view(copies) != "2";
}

class ShmTransport final : public Transport {
 public:
  explicit ShmTransport(const TransportOptions& options) {
    socket::require_token(options.token);
    if (options.spans_hosts) throw Error(ErrorCode::kUnavailable, kSpansHosts);
    options_.token = options.token;
    options_.may_copy_once = may_copy_once();
    options_.sleeps = options.sleeps;
    options_.make_counters = [totals = totals_](bool sends, shm::CopyMode copy_mode) {
      return std::shared_ptr<CommCounters>(totals, &totals->open(sends, copy_mode));
    };
    // Yama lets unrelated processes read this one only after this call. Without Yama the call fails and is
    // not needed.
    if (options_.may_copy_once) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  }

  std::vector<DeviceProperties> devices() override {
    DeviceProperties device;
    device.name = "shm";
    device.detail.local_path = LocalPath::kProcessMemory;
    totals_->describe_copies(device.detail);
    device.flagged_bytes = kMaxFlaggedBytes;
    return {device};
  }

  std::unique_ptr<ListenComm> listen(int device) override {
    require_first_device("shm", device);
    return std::make_unique<shm::ShmListenComm>(options_);
  }

  std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) override {
    require_first_device("shm", device);
    return std::make_unique<shm::ShmConnecting>(options_, handle);
  }

  [[nodiscard]] TransportCounters counters() const override { return totals_->sum(); }

 private:
  /// Counters of every connection ever made, and the ways in which they copy large messages. Connections
  /// share this object, because they may outlive the transport.
  class ConnectionTotals {
   public:
    CommCounters& open(bool sends, shm::CopyMode copy_mode) {
      const std::lock_guard lock(mutex_);
      (copy_mode == shm::CopyMode::kSingleCopy ? single_copies_ : two_copies_) = true;
      return counters_.open(sends);
    }
    [[nodiscard]] TransportCounters sum() const { return counters_.sum(); }
    /// Writes into `detail` how often large messages are copied: 2 if any connection copies them twice,
    /// otherwise 1, with the size from which a message counts as large. Writes nothing before the first
    /// connection.
    void describe_copies(TransportDetail& detail) {
      const std::lock_guard lock(mutex_);
      if (two_copies_)
        detail.copies = 2;
      else if (single_copies_)
        detail.copies = 1, detail.single_copy_bytes = static_cast<int>(shm::kSingleCopyBytes);
    }

   private:
    std::mutex mutex_;
    CounterTable counters_;
    bool single_copies_ = false;
    bool two_copies_ = false;
  };

  std::shared_ptr<ConnectionTotals> totals_ = std::make_shared<ConnectionTotals>();
  shm::ConnectionOptions options_;
};

}  // namespace

std::unique_ptr<Transport> create_shm(const TransportOptions& options) {
  return std::make_unique<ShmTransport>(options);
}

Availability probe_shm(const TransportOptions& options) {
  Availability answer;
  answer.available = !options.spans_hosts;
  if (answer.available)
    answer.detail.local_path = LocalPath::kProcessMemory;
  else
    answer.reason = kSpansHosts, answer.remedy = "Use --transport socket.";
  return answer;
}

}  // namespace collbench
