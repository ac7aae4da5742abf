#pragma once
// Cost of a link. `none` costs nothing; the other models delay transfers so that results have the shape of a
// PCIe NTB. A model is not a measurement: results made with one are marked emulated and carry its name.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulated/softcard/link_ledger.h"

namespace collbench::softntb {

/// Time costs of an emulated link, equal for both directions. All 0 = model `none`: transfers run at memory
/// speed.
struct LinkModel {
  std::string name = "none";
  double bytes_per_ns = 0;        // payload bandwidth of one direction, GB/s; 0 = unlimited
  std::int64_t dma_start_ns = 0;  // time from the start of a DMA to its first byte on the wire
  std::int64_t pio_write_ns = 0;  // time until a posted write is visible at the peer
  std::int64_t pio_read_ns = 0;   // round trip of a read
  unsigned generation = 0;        // PCIe generation; 0 = not a PCIe link
  unsigned lanes = 0;

  [[nodiscard]] bool paced() const noexcept {
    return bytes_per_ns > 0 || dma_start_ns > 0 || pio_write_ns > 0 || pio_read_ns > 0;
  }
  /// Returns the nanoseconds that `bytes` occupy the wire; 0 if bandwidth is unlimited.
  [[nodiscard]] std::int64_t wire_ns(std::uint64_t bytes) const noexcept;
};

struct LinkModelRow {
  const char* name;
  unsigned generation;
  unsigned lanes;
  const char* summary;
};

/// Returns the link models that users can select by name, `none` first.
std::span<const LinkModelRow> link_model_table() noexcept;

/// Payload bandwidth of one direction of a PCIe link in GB/s (bytes per ns): transfer rate x line code x TLP
/// efficiency. Rates are 2.5, 5, 8, 16 and 32 GT/s per lane. The code is 8b/10b for generations 1 and 2, and
/// 128b/130b from 3 on (PCI Express Base Specification, chapter "Physical Layer"). TLP efficiency for writes
/// of 256 payload bytes is 256 / 280: framing, sequence number, 4-doubleword header and LCRC add 24 bytes.
/// Flow control and acknowledgement packets are not counted. Example, generation 3 x8: 7.88 x 0.914 = 7.2
/// GB/s.
/// @param generation 1 to 5
/// @param lanes 1 to 16
double pcie_bytes_per_ns(unsigned generation, unsigned lanes) noexcept;

/// Reads a model name or `custom:gbps=..,dma-start-us=..,pio-write-us=..,pio-read-us=..` (each optional,
/// decimal GB/s and microseconds, >= 0). Empty text means `none`. Latencies of the named models come from
/// public SISCI measurements (sisci-perf 6-peer log and vendor figures): DMA write of 1 byte 8.9 us, PIO
/// write one way about 0.7 us, PIO read 1.8 us.
/// @returns nullopt for an unknown name or value; `problem` then lists what is allowed
std::optional<LinkModel> parse_link_model(std::string_view text, std::string* problem);

using softcard::LinkLedger;
using softcard::WireSlot;

/// Returns how many payload bytes of a transfer have arrived at the time `now_ns` (CLOCK_MONOTONIC): 0 before
/// its time span on the wire begins, all after the span's end, in between proportional to time.
/// @param slot time span in which the transfer occupies the wire
std::uint64_t arrived_bytes(const WireSlot& slot, std::uint64_t total_bytes, std::int64_t now_ns) noexcept;

}  // namespace collbench::softntb
