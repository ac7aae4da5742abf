#include "emulated/softntb/link_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "emulated/softcard/switches.h"

namespace collbench::softntb {
namespace {

constexpr std::array<LinkModelRow, 7> kModels{{
    {"none", 0, 0, "no pacing: memory speed"},
    {"pcie-gen1-x8", 1, 8, "PCIe 1 x8: 1.8 GB/s per direction"},
    {"pcie-gen3-x4", 3, 4, "PCIe 3 x4: 3.6 GB/s per direction"},
    {"pcie-gen3-x8", 3, 8, "PCIe 3 x8: 7.2 GB/s per direction"},
    {"pcie-gen3-x16", 3, 16, "PCIe 3 x16: 14.4 GB/s per direction"},
    {"pcie-gen4-x8", 4, 8, "PCIe 4 x8: 14.4 GB/s per direction"},
    {"pcie-gen4-x16", 4, 16, "PCIe 4 x16: 28.8 GB/s per direction"},
}};

constexpr std::int64_t kDmaStartNs = 8'900;
constexpr std::int64_t kPioWriteNs = 700;
constexpr std::int64_t kPioReadNs = 1'800;

std::string allowed_names() {
  std::string names;
  for (const LinkModelRow& row : kModels) names += std::string(row.name) + ", ";
  return names + "custom:gbps=..,dma-start-us=..,pio-write-us=..,pio-read-us=..";
}

std::optional<LinkModel> parse_custom(std::string_view parameters, std::string* problem) {
  LinkModel model;
  model.name = "custom:" + std::string(parameters);
  double dma_start_us = 0, pio_write_us = 0, pio_read_us = 0;
  const softcard::LinkParameter allowed[] = {{"gbps", &model.bytes_per_ns},
                                             {"dma-start-us", &dma_start_us},
                                             {"pio-write-us", &pio_write_us},
                                             {"pio-read-us", &pio_read_us}};
  if (!softcard::read_link_parameters(parameters, allowed, problem)) return std::nullopt;
  model.dma_start_ns = std::llround(dma_start_us * 1e3);
  model.pio_write_ns = std::llround(pio_write_us * 1e3);
  model.pio_read_ns = std::llround(pio_read_us * 1e3);
  return model;
}

}  // namespace

std::int64_t LinkModel::wire_ns(std::uint64_t bytes) const noexcept {
  if (bytes_per_ns <= 0) return 0;
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / bytes_per_ns));
}

std::span<const LinkModelRow> link_model_table() noexcept { return kModels; }

double pcie_bytes_per_ns(unsigned generation, unsigned lanes) noexcept {
  constexpr std::array<double, 6> kGigatransfers{0, 2.5, 5, 8, 16, 32};
  const double code = generation < 3 ? 8.0 / 10.0 : 128.0 / 130.0;
  const double packet = 256.0 / (256.0 + 24.0);
  return kGigatransfers[std::min(generation, 5U)] / 8.0 * code * packet * lanes;
}

std::optional<LinkModel> parse_link_model(std::string_view text, std::string* problem) {
  if (text.empty()) return LinkModel{};
  constexpr std::string_view kCustom = "custom:";
  if (text.substr(0, kCustom.size()) == kCustom) return parse_custom(text.substr(kCustom.size()), problem);
  for (const LinkModelRow& row : kModels) {
    if (text != row.name) continue;
    LinkModel model;
    if (row.generation == 0) return model;
    model.name = row.name;
    model.generation = row.generation;
    model.lanes = row.lanes;
    model.bytes_per_ns = pcie_bytes_per_ns(row.generation, row.lanes);
    model.dma_start_ns = kDmaStartNs;
    model.pio_write_ns = kPioWriteNs;
    model.pio_read_ns = kPioReadNs;
    return model;
  }
  *problem = "unknown link model '" + std::string(text) + "'; allowed: " + allowed_names();
  return std::nullopt;
}

std::uint64_t arrived_bytes(const WireSlot& slot, std::uint64_t total_bytes, std::int64_t now_ns) noexcept {
  if (now_ns >= slot.end_ns) return total_bytes;
  if (now_ns <= slot.begin_ns) return 0;
  const double share =
      static_cast<double>(now_ns - slot.begin_ns) / static_cast<double>(slot.end_ns - slot.begin_ns);
  return std::min(total_bytes, static_cast<std::uint64_t>(static_cast<double>(total_bytes) * share));
}

}  // namespace collbench::softntb
