#pragma once
// What a link between two adapters costs. `none` costs nothing; the others pace messages so that results have
// the shape that such adapters give. A model is not a measurement: figures taken with one are marked emulated
// and carry its name.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace collbench::softmlx5 {

/// Cost of one port, the same in both directions. All zero = `none`.
struct LinkModel {
  std::string name = "none";
  double gbitps = 0;           // as it is sold; 0 = no such thing
  double bytes_per_ns = 0;     // payload bandwidth of one direction, GB/s; 0 = unlimited
  double latency_ns = 0;       // from the doorbell of a small WRITE until it is visible at the peer
  double message_ns = 0;       // a message occupies the port for at least this long: 1 / message rate
  double dc_reconnect_ns = 0;  // a DC initiator turns to another target

  [[nodiscard]] bool paced() const noexcept {
    return bytes_per_ns > 0 || latency_ns > 0 || message_ns > 0 || dc_reconnect_ns > 0;
  }
  /// Time a message of so many bytes occupies the port.
  [[nodiscard]] std::int64_t wire_ns(std::uint64_t bytes) const noexcept;
  /// The fault slow-link: all costs times `factor`, none counts as 8 GB/s.
  void slow_down(double factor);
};

struct LinkModelRow {
  const char* name;
  double gbitps;
  double latency_us;
  double million_messages_per_s;
  const char* summary;
};

/// The named models, `none` first. Rates and latencies are those of NVIDIA's product briefs of ConnectX-5
/// (750 ns, 200 million messages a second), ConnectX-6 (under 600 ns, 215 million) and ConnectX-7 (330
/// million; its latency is not stated, that of ConnectX-6 stands in).
std::span<const LinkModelRow> link_model_table() noexcept;

/// Reads a model name or `custom:gbps=..,latency-us=..,message-rate-m=..,dc-reconnect-us=..` (each optional;
/// gigabytes, as for softntb). Empty text means `none`. Payload bandwidth of the named models: 4096 bytes of
/// payload in packets of 4096 + 30 bytes (local route header 8, base transport header 12, invariant and
/// variant CRC 4 + 2, start and end 4) at 64b/66b line code, which the data rate has already paid for.
/// A DC initiator pays one round trip when it turns to another target: the connect packet's answer.
/// @returns nothing for an unknown name or value; `problem` then says what is allowed
std::optional<LinkModel> parse_link_model(std::string_view text, std::string* problem);

}  // namespace collbench::softmlx5
