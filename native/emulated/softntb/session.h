#pragma once
// State that all handles of the process share, and the settings that SCIInitialize reads from the
// environment.
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/shared_memory.h"
#include "emulated/softntb/endpoints.h"
#include "emulated/softntb/faults.h"
#include "emulated/softntb/link_model.h"
#include "vendor_api/sisci/sisci_api.h"

namespace collbench::softntb {

constexpr unsigned kAdapters = 64;

/// Returns the node id of the adapter with this number (0 to 63): 4, 8, ... 256.
constexpr unsigned node_of_adapter(unsigned adapter) { return 4 * (adapter + 1); }

/// Reservations of both directions of one adapter's link. Aligned so that ranks, each with its own adapter,
/// do not share cache lines. Peers map this struct too, because a transfer also reserves the other adapter's
/// side.
struct alignas(128) AdapterLink {
  LinkLedger outgoing;
  LinkLedger incoming;
};

/// State of the emulated SISCI library between SCIInitialize and SCITerminate, one per process.
class Session {
 public:
  /// Makes the library's state with the settings in the environment variables SOFTNTB_FABRIC, SOFTNTB_LINK,
  /// SOFTNTB_FAULT and SOFTNTB_ENGINES. nullptr for an invalid value, or if the link model gets no shared
  /// memory; `problem` then says what is wrong.
  static std::shared_ptr<Session> from_environment(std::string* problem);

  std::string fabric;
  LinkModel model;
  std::unique_ptr<AdapterFaults> faults;
  using AdapterLinks = std::array<AdapterLink, kAdapters>;
  SharedMemory links_memory;
  AdapterLinks* links = nullptr;  // in links_memory; nullptr if the link model costs nothing

  /// Returns the number of threads that move this process's large DMA transfers; 0 = the thread that polls
  /// the queue moves them.
  unsigned engines() {
    const int known = engines_.load(std::memory_order_relaxed);
    return static_cast<unsigned>(known >= 0 ? known : count_engines());
  }

  /// Makes other processes see this one as a user of the adapter's node until the session ends.
  /// @returns SCI_ERR_OK or the error
  sci_error_t use_adapter(unsigned adapter);
  /// Counts moved bytes for the fault link-down. True if the link is down; when that begins, the connected
  /// segments are notified.
  bool link_down(std::uint64_t bytes) noexcept {
    if (faults->link_down_after_bytes == AdapterFaults::kNever) return false;
    return check_link(bytes);
  }
  void add_remote(sci_remote_segment* segment);
  void remove_remote(sci_remote_segment* segment);

 private:
  bool check_link(std::uint64_t bytes) noexcept;
  int count_engines();
  std::atomic<int> engines_{-1};  // -1 = not computed yet: counted late, when the other ranks have started
  std::mutex mutex_;
  std::map<unsigned, FileDescriptor> presence_;
  std::set<sci_remote_segment*> remotes_;
  bool told_down_ = false;
};

/// Returns the library's state between SCIInitialize and the last SCITerminate; nullptr at other times.
std::shared_ptr<Session> current_session();

/// Latency of a PIO write in nanoseconds by the link model, which SCIStoreBarrier and SCIFlush wait if the
/// call names no sequence.
extern std::atomic<std::int64_t> default_pio_write_ns;

/// Stores `value` in `*error`, unless `error` is NULL.
inline void report(sci_error_t* error, sci_error_t value) {
  if (error != nullptr) *error = value;
}

}  // namespace collbench::softntb

/// A descriptor made by SCIOpen. `users` is the number of segments and other objects opened with it.
struct sci_desc {
  std::shared_ptr<collbench::softntb::Session> session;
  std::atomic<int> users{0};
};
