#pragma once
// Recognises that a foreign plugin runs on softmlx5, our emulated RDMA adapter. Its traffic then counts as
// emulated, whatever the plugin reports, and the adapter's own counters are used.
#include <optional>

#include "emulated/cards.h"
#include "transports/transport.h"

namespace collbench::plugin {

/// softmlx5, our emulated RDMA adapter, if a plugin in this process has loaded it under the name of
/// libibverbs or libmlx5.
class SoftwareCard {
 public:
  /// Returns the emulated adapter; nullopt if no plugin in this process has loaded it.
  static std::optional<SoftwareCard> in_this_process();
  /// Writes the emulated adapter's name and its link model ("none" if not set) into `detail`.
  void describe(TransportDetail& detail) const;
  /// Returns payload bytes and packets that the emulated adapter has sent and received in this process; all
  /// zero if no device is open.
  [[nodiscard]] TransportCounters counters() const;

 private:
  using Counters = decltype(&softmlx5_counters);
  explicit SoftwareCard(Counters count) : counters_(count) {}
  Counters counters_;
};

}  // namespace collbench::plugin
