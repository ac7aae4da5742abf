#pragma once
// Cost of a link between two adapters. `none` costs nothing; the other models delay messages so that results
// have the shape of such adapters. A model is not a measurement: results made with one are marked emulated
// and carry its name.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace collbench::softmlx5 {

/// Time costs of the emulated port, equal for both directions. All zero = the model `none`: no added time.
struct LinkModel {
  std::string name = "none";
  double gbitps = 0;           // data rate in Gbit/s: nominal, or 8 x bytes_per_ns if custom; 0 = unlimited
  double bytes_per_ns = 0;     // payload bandwidth of one direction, GB/s; 0 = unlimited
  double latency_ns = 0;       // time from the doorbell of a small WRITE until it is visible at the peer
  double message_ns = 0;       // minimum time that a message occupies the port: 1 / message rate
  double dc_reconnect_ns = 0;  // time for a DC initiator to connect to another target

  [[nodiscard]] bool paced() const noexcept {
    return bytes_per_ns > 0 || latency_ns > 0 || message_ns > 0 || dc_reconnect_ns > 0;
  }
  /// Returns the nanoseconds that a message of `bytes` occupies one direction of the port.
  [[nodiscard]] std::int64_t wire_ns(std::uint64_t bytes) const noexcept;
  /// Multiplies all costs by `factor`, for the fault slow-link; does nothing for factors up to 1. Unlimited
  /// bandwidth is first replaced by 8 GB/s, so that the fault has an effect. The name then tells that the
  /// model is slowed.
  void slow_down(double factor);
};

struct LinkModelRow {
  const char* name;
  double gbitps;
  double latency_us;
  double million_messages_per_s;
  const char* summary;
};

/// Returns the link models that users can select, `none` first. Rates and latencies come from NVIDIA's briefs
/// of ConnectX-5 (750 ns, 200 million messages per second), ConnectX-6 (under 600 ns, 215 million) and
/// ConnectX-7 (330 million). The brief of ConnectX-7 states no latency; the model uses that of ConnectX-6.
std::span<const LinkModelRow> link_model_table() noexcept;

/// Reads a link model from text: a model's name, or
/// `custom:gbps=..,latency-us=..,message-rate-m=..,dc-reconnect-us=..` (each optional; gbps in gigabytes per
/// second, as for softntb). Empty text means `none`. Payload bandwidth of the named models: packets carry
/// 4096 bytes of payload and 30 bytes of headers (local route header 8, base transport header 12, invariant
/// and variant CRC 4 + 2, start and end 4). The data rate already accounts for the 64b/66b line code. A DC
/// initiator pays one round trip to connect to another target.
/// @returns nullopt for an unknown name or value; `problem` then lists what is allowed
std::optional<LinkModel> parse_link_model(std::string_view text, std::string* problem);

}  // namespace collbench::softmlx5
