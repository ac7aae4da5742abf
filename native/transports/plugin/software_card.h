#pragma once
// Whether a foreign plugin works on softmlx5: then what it moves is emulated, whatever the plugin says, and
// the card's own count says how much it was.
#include <optional>
#include <string>

#include "softmlx5/include/softmlx5.h"
#include "transports/transport.h"

namespace collbench::plugin {

/// softmlx5 in this process under a name of the real libraries, as plugins open it.
class SoftwareCard {
 public:
  /// std::nullopt: nothing in this process has opened it so.
  static std::optional<SoftwareCard> in_this_process();
  /// "softmlx5, link pcie-gen3-x8"
  [[nodiscard]] std::string text() const;
  /// Payload of the port since the card was made; all zero before a device was opened.
  [[nodiscard]] TransportCounters counters() const;

 private:
  using Counters = decltype(&softmlx5_counters);
  explicit SoftwareCard(Counters count) : counters_(count) {}
  Counters counters_;
};

}  // namespace collbench::plugin
