// AMD GPUs through the amdgpu driver's files (Documentation/gpu/amdgpu/thermal.rst).
#include <array>

#include "core/error.h"
#include "metrics/sources/openers.h"
#include "metrics/value_files.h"

namespace collbench::metrics {
namespace {

constexpr const char* kAmd = "0x1002";

struct Gauge {
  const char* file;
  const char* channel;
  const char* unit;
  double scale;
};
constexpr std::array<Gauge, 3> kOfDevice = {{{"gpu_busy_percent", "utilizationPercent", "percent", 1},
                                             {"mem_busy_percent", "memoryBusyPercent", "percent", 1},
                                             {"mem_info_vram_used", "memoryUsedBytes", "bytes", 1}}};
constexpr std::array<Gauge, 5> kOfMonitor = {{{"power1_average", "powerMilliwatt", "mW", 1e-3},
                                              {"power1_input", "powerNowMilliwatt", "mW", 1e-3},
                                              {"temp1_input", "temperatureCelsius", "celsius", 1e-3},
                                              {"freq1_input", "smClockMHz", "MHz", 1e-6},
                                              {"freq2_input", "memoryClockMHz", "MHz", 1e-6}}};

class AmdGpus : public ValueFiles {
 public:
  explicit AmdGpus(const Roots& roots) {
    const std::string folder = roots.sys + "/class/drm/";
    int number = 0;
    for (const std::string& card : names_in(folder)) {
      // Accepts card0, but not its connectors such as card0-DP-1.
      if (!card.starts_with("card") || card.find('-') != std::string::npos) continue;
      const std::string device = folder + card + "/device/";
      if (first_line_of(device + "vendor") != kAmd) continue;
      const std::string prefix = "amdgpu" + std::to_string(number++) + ".";
      for (const Gauge& one : kOfDevice)
        add_file(device + one.file, prefix + one.channel, one.unit, false, one.scale);
      for (const std::string& monitor : names_in(device + "hwmon"))
        for (const Gauge& one : kOfMonitor)
          add_file(device + "hwmon/" + monitor + "/" + one.file, prefix + one.channel, one.unit, false,
                   one.scale);
    }
    if (number == 0) throw Error(ErrorCode::kUnavailable, folder + " lists no AMD GPU");
    if (channels().empty()) throw Error(ErrorCode::kUnavailable, "the AMD GPUs show no readings in /sys");
  }
};

}  // namespace

std::unique_ptr<Source> open_amdgpu(const SourceContext& context) {
  return std::make_unique<AmdGpus>(context.roots);
}

}  // namespace collbench::metrics
