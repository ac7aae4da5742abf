#pragma once
// What SCIInitialize reads from the environment and all handles of the process share.
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "softntb/endpoints.h"
#include "softntb/faults.h"
#include "softntb/include/sisci_api.h"
#include "softntb/link_model.h"

namespace collbench::softntb {

constexpr unsigned kAdapters = 64;

/// Node id of an adapter: 4, 8, ... 256.
constexpr unsigned node_of_adapter(unsigned adapter) { return 4 * (adapter + 1); }

/// The link of one adapter, each direction by itself. Kept apart so that ranks do not share cache lines.
struct alignas(128) AdapterLink {
  LinkLedger outgoing;
  LinkLedger incoming;
};

class Session {
 public:
  /// From SOFTNTB_FABRIC, SOFTNTB_LINK, SOFTNTB_FAULT and SOFTNTB_ENGINES. nullptr for bad values; `problem`
  /// says what is allowed.
  static std::shared_ptr<Session> from_environment(std::string* problem);

  std::string fabric;
  LinkModel model;
  std::unique_ptr<Faults> faults;
  std::array<AdapterLink, kAdapters> links;

  /// Threads that move this process's large DMA transfers; 0 = the polling thread does.
  unsigned engines() {
    const int known = engines_.load(std::memory_order_relaxed);
    return static_cast<unsigned>(known >= 0 ? known : count_engines());
  }

  /// Makes this process visible as a user of the node until the session ends. SCI_ERR_OK, or why not.
  sci_error_t use_adapter(unsigned adapter);
  /// Counts bytes against the link-down fault; tells the connected segments when the link goes down.
  bool link_down(std::uint64_t bytes) noexcept {
    if (faults->link_down_after_bytes == Faults::kNever) return false;
    return check_link(bytes);
  }
  void add_remote(sci_remote_segment* segment);
  void remove_remote(sci_remote_segment* segment);

 private:
  bool check_link(std::uint64_t bytes) noexcept;
  int count_engines();
  std::atomic<int> engines_{-1};  // -1 = not asked yet: by then the other ranks are there to be counted
  std::mutex mutex_;
  std::map<unsigned, Fd> presence_;
  std::set<sci_remote_segment*> remotes_;
  bool told_down_ = false;
};

/// The session between SCIInitialize and the last SCITerminate, else nullptr.
std::shared_ptr<Session> current_session();

/// Write latency of the current session, for barriers that name no sequence.
extern std::atomic<std::int64_t> default_pio_write_ns;

/// Stores into `*error` unless it is NULL.
inline void report(sci_error_t* error, sci_error_t value) {
  if (error != nullptr) *error = value;
}

}  // namespace collbench::softntb

/// A descriptor; counts what was opened with it.
struct sci_desc {
  std::shared_ptr<collbench::softntb::Session> session;
  std::atomic<int> users{0};
};
