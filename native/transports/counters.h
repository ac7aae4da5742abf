#pragma once
#include "transports/transport.h"

namespace collbench {

/// What was counted between two readings of the same counters.
inline TransportCounters operator-(const TransportCounters& after, const TransportCounters& before) noexcept {
  return {after.bytes_sent - before.bytes_sent, after.bytes_received - before.bytes_received,
          after.messages_sent - before.messages_sent, after.messages_received - before.messages_received,
          after.flagged_sent - before.flagged_sent};
}

}  // namespace collbench
