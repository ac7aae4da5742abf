// /sys/bus/pci/devices (Documentation/ABI/testing/sysfs-bus-pci, -aer_stats): link speed, link width and
// errors seen by the kernel (AER) of network adapters, GPUs and bridges to other hosts.
#include <array>
#include <charconv>

#include "core/error.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"
#include "metrics/value_files.h"

namespace collbench::metrics {
namespace {

/// Codes of the PCI devices whose link speed, width and errors are recorded (PCI Code and ID Assignment).
/// kNetwork, kDisplay and kAccelerator are base classes; kOtherBridge is base class and subclass; kDolphin is
/// a vendor id.
constexpr std::uint64_t kNetwork = 0x02, kDisplay = 0x03;
constexpr std::uint64_t kOtherBridge = 0x0680;  // NTBs of Intel, AMD, Switchtec
constexpr std::uint64_t kAccelerator = 0x12;
constexpr std::uint64_t kDolphin = 0x11c8;

std::uint64_t hexadecimal(std::string_view text) noexcept {
  std::uint64_t value = 0;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

bool is_of_interest(const std::string& folder) {
  const std::uint64_t type = hexadecimal(first_line_of(folder + "/class")) >> 8;
  return type >> 8 == kNetwork || type >> 8 == kDisplay || type >> 8 == kAccelerator ||
         type == kOtherBridge || hexadecimal(first_line_of(folder + "/vendor")) == kDolphin;
}

/// Returns the link rate in megatransfers per second: 16000 for "16.0 GT/s PCIe" or "16 GT/s"; NaN for
/// "Unknown".
double megatransfers(std::string_view text) noexcept {
  if (!text.ends_with('\n')) return kAbsent;
  text.remove_suffix(1);
  const std::string_view number = take_word(text);
  if (take_word(text) != "GT/s" || number.find_first_not_of("0123456789.") != std::string_view::npos)
    return kAbsent;
  double value = 0;
  const char* end = number.data() + number.size();
  const auto [at, error] = std::from_chars(number.data(), end, value, std::chars_format::fixed);
  return error == std::errc() && at == end ? value * 1000 : kAbsent;
}

/// Returns the total number of PCIe errors in a file such as aer_dev_correctable, from its line
/// "TOTAL_ERR_COR 0"; NaN if it has none.
double total_errors(std::string_view text) noexcept {
  double total = kAbsent;
  each_whole_line(text, [&](std::string_view line) {
    if (take_word(line).starts_with("TOTAL_ERR_")) total = take_value(line);
  });
  return total;
}

double lanes(std::string_view text) noexcept {
  const double width = value_of(text, 1);
  return width == 0 || width == 255 ? kAbsent : width;  // 0 and 255 mean no link
}

struct Attribute {
  const char* file;
  const char* channel;
  const char* unit;
  bool cumulative;
  double (*value)(std::string_view text) noexcept;
};
constexpr std::array<Attribute, 7> kAttributes = {
    {{"current_link_speed", "linkSpeedMTps", "MT/s", false, &megatransfers},
     {"max_link_speed", "maxLinkSpeedMTps", "MT/s", false, &megatransfers},
     {"current_link_width", "linkWidth", "lanes", false, &lanes},
     {"max_link_width", "maxLinkWidth", "lanes", false, &lanes},
     {"aer_dev_correctable", "aerCorrectable", "errors", true, &total_errors},
     {"aer_dev_nonfatal", "aerNonfatal", "errors", true, &total_errors},
     {"aer_dev_fatal", "aerFatal", "errors", true, &total_errors}}};

class PcieSource : public Source {
 public:
  explicit PcieSource(const Roots& roots) {
    const std::string folder = roots.sys + "/bus/pci/devices";
    for (const std::string& address : names_in(folder)) {
      const std::string device = folder + "/" + address;
      if (!is_of_interest(device)) continue;
      for (const Attribute& attribute : kAttributes) {
        KernelFile file(device + "/" + attribute.file);
        const auto text = file.read();
        if (!text || attribute.value(*text) != attribute.value(*text))
          continue;  // NaN: the device has no link of its own
        files_.push_back({std::move(file), &attribute});
        const std::string channel = "pci." + address + "." + attribute.channel;
        if (attribute.cumulative)
          add_counter(channel, attribute.unit);
        else
          add_gauge(channel, attribute.unit);
      }
    }
    if (files_.empty())
      throw Error(ErrorCode::kUnavailable,
                  "no network adapter, GPU or NTB below " + folder + " shows a PCIe link of its own");
  }
  void read(double* values) override {
    for (File& one : files_) {
      const auto text = one.file.read();
      *values++ = text ? one.attribute->value(*text) : kAbsent;
    }
  }

 private:
  struct File {
    KernelFile file;
    const Attribute* attribute;
  };
  std::vector<File> files_;
};

}  // namespace

std::unique_ptr<Source> open_pcie(const SourceContext& context) {
  return std::make_unique<PcieSource>(context.roots);
}

}  // namespace collbench::metrics
