// NVIDIA GPUs through NVML, with NVML's numbering. A quantity that a GPU does not support at the start has no
// channel.
#include "metrics/nvml.h"

#include <array>
#include <cstdlib>

#include "core/error.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

using nvml::Device;
using nvml::Return;

/// Asks NVML for one number about a GPU, such as its power, and stores it in `value`. `value` stays unchanged
/// unless the result is kSuccess.
/// @param function NVML's function; nullptr if this version of the library lacks it, which counts as not
/// supported
template <typename Number, typename Function, typename... Arguments>
Return ask(Function function, Device gpu, double* value, Arguments... arguments) {
  if (function == nullptr) return nvml::kNotSupported;
  Number number{};
  const Return result = function(gpu, arguments..., &number);
  if (result == nvml::kSuccess) *value = static_cast<double>(number);
  return result;
}

/// Reads one value by nvmlDeviceGetFieldValues; for values of NVLinks it is the sum over all links. `value`
/// stays unchanged unless the result is kSuccess.
/// @param scale factor from the driver's unit to the channel's
/// @param wide true: accepts only a 64-bit counter, because one of 32 bits wraps within 100 ms at full speed
Return field(const Nvml& library, Device gpu, double* value, unsigned id, double scale, bool wide = false) {
  if (library.field_values == nullptr) return nvml::kNotSupported;
  nvml::FieldValue one{};
  one.field = id;
  one.scope = ~0U;
  if (const Return result = library.field_values(gpu, 1, &one); result != nvml::kSuccess) return result;
  if (one.result != nvml::kSuccess) return one.result;
  if (one.type == nvml::kUnsignedLong || one.type == nvml::kUnsignedLongLong)
    *value = static_cast<double>(one.as_unsigned_long_long) * scale;
  else if (one.type == nvml::kUnsignedInt && !wide)
    *value = one.as_unsigned * scale;
  else
    return nvml::kNotSupported;
  return nvml::kSuccess;
}
Return wide_field(const Nvml& library, Device gpu, double* value, unsigned id, double scale) {
  return field(library, gpu, value, id, scale, true);
}

struct Quantity {
  const char* name;
  const char* unit;
  bool cumulative;
  Return (*read)(const Nvml&, Device, double* value);
};

/// NVML's ids (NVML_FI_DEV_...) of values that nvmlDeviceGetFieldValues() can read.
enum FieldId : unsigned {
  kNvlinkCrcFlitErrors = 38,
  kNvlinkCrcDataErrors = 45,
  kNvlinkReplayErrors = 52,
  kNvlinkRecoveryErrors = 59,
  kNvlinkDataTxKib = 138,
  kNvlinkDataRxKib = 139,
  kPowerInstant = 186,
  kPcieTxBytes = 197,
  kPcieRxBytes = 198,
};

// Momentary power if the GPU reports it; nvmlDeviceGetPowerUsage is a mean over a second since Ampere.
Return read_power(const Nvml& library, Device gpu, double* value) {
  const Return result = field(library, gpu, value, kPowerInstant, 1);
  return result == nvml::kSuccess ? result : ask<unsigned>(library.power, gpu, value);
}

// Quantities that the driver keeps ready: microseconds per GPU, so every tick can read them.
constexpr std::array<Quantity, 7> kLoad = {{
    {"utilizationPercent", "percent", false,
     [](const Nvml& l, Device gpu, double* v) {
       nvml::Utilization both{};
       const Return r = l.utilization == nullptr ? nvml::kNotSupported : l.utilization(gpu, &both);
       if (r == nvml::kSuccess) *v = both.gpu;
       return r;
     }},
    {"memoryUsedBytes", "bytes", false,
     [](const Nvml& l, Device gpu, double* v) {
       nvml::Memory memory{};
       const Return r = l.memory == nullptr ? nvml::kNotSupported : l.memory(gpu, &memory);
       if (r == nvml::kSuccess) *v = static_cast<double>(memory.used);
       return r;
     }},
    {"powerMilliwatt", "mW", false, &read_power},
    {"temperatureCelsius", "celsius", false,
     [](const Nvml& l, Device gpu, double* v) {
       return ask<unsigned>(l.temperature, gpu, v, nvml::kGpuTemperature);
     }},
    {"smClockMHz", "MHz", false,
     [](const Nvml& l, Device gpu, double* v) {
       return ask<unsigned>(l.clock, gpu, v, int{nvml::kSmClock});
     }},
    {"memoryClockMHz", "MHz", false,
     [](const Nvml& l, Device gpu, double* v) {
       return ask<unsigned>(l.clock, gpu, v, int{nvml::kMemoryClock});
     }},
    // bits of nvmlClocksEventReasons
    {"throttleReasons", "bits", false,
     [](const Nvml& l, Device gpu, double* v) {
       return ask<unsigned long long>(l.throttle_reasons, gpu, v);
     }},
}};

// Quantities that the driver requests from the GPU: 1 to 3 ms each on an H200 (driver 580).
constexpr std::array<Quantity, 6> kCounters = {{
    {"energyMillijoule", "mJ", true,
     [](const Nvml& l, Device gpu, double* v) { return ask<unsigned long long>(l.energy, gpu, v); }},
    {"nvlinkTxBytes", "bytes", true,
     [](const Nvml& l, Device gpu, double* v) { return wide_field(l, gpu, v, kNvlinkDataTxKib, 1024); }},
    {"nvlinkRxBytes", "bytes", true,
     [](const Nvml& l, Device gpu, double* v) { return wide_field(l, gpu, v, kNvlinkDataRxKib, 1024); }},
    {"pcieTxBytes", "bytes", true,
     [](const Nvml& l, Device gpu, double* v) { return wide_field(l, gpu, v, kPcieTxBytes, 1); }},
    {"pcieRxBytes", "bytes", true,
     [](const Nvml& l, Device gpu, double* v) { return wide_field(l, gpu, v, kPcieRxBytes, 1); }},
    {"pcieReplays", "packets", true,
     [](const Nvml& l, Device gpu, double* v) { return ask<unsigned>(l.pcie_replays, gpu, v); }},
}};

constexpr std::array<Quantity, 6> kGpuFaults = {{
    {"eccCorrected", "errors", true,
     [](const Nvml& l, Device gpu, double* v) {
       return ask<unsigned long long>(l.ecc_errors, gpu, v, nvml::kCorrected, nvml::kVolatile);
     }},
    {"eccUncorrected", "errors", true,
     [](const Nvml& l, Device gpu, double* v) {
       return ask<unsigned long long>(l.ecc_errors, gpu, v, nvml::kUncorrected, nvml::kVolatile);
     }},
    {"nvlinkCrcFlitErrors", "errors", true,
     [](const Nvml& l, Device gpu, double* v) { return field(l, gpu, v, kNvlinkCrcFlitErrors, 1); }},
    {"nvlinkCrcDataErrors", "errors", true,
     [](const Nvml& l, Device gpu, double* v) { return field(l, gpu, v, kNvlinkCrcDataErrors, 1); }},
    {"nvlinkReplays", "errors", true,
     [](const Nvml& l, Device gpu, double* v) { return field(l, gpu, v, kNvlinkReplayErrors, 1); }},
    {"nvlinkRecoveries", "errors", true,
     [](const Nvml& l, Device gpu, double* v) { return field(l, gpu, v, kNvlinkRecoveryErrors, 1); }},
}};

class NvmlSource : public Source {
 public:
  template <std::size_t N>
  NvmlSource(const std::string& library, const std::array<Quantity, N>& quantities) : library_(library) {
    const auto uuid_of = [this](unsigned number) -> std::string {
      std::array<char, 96> text{};
      const bool is_known =
          library_.gpu_uuid != nullptr &&
          library_.gpu_uuid(library_.gpu(number), text.data(), text.size()) == nvml::kSuccess;
      return is_known ? text.data() : "";
    };
    const std::vector<unsigned> visible =
        visible_gpus(std::getenv("CUDA_VISIBLE_DEVICES"), library_.gpus(), uuid_of);
    if (visible.empty()) throw Error(ErrorCode::kUnavailable, "CUDA_VISIBLE_DEVICES shows no GPU");
    for (const unsigned i : visible) {
      const Device gpu = library_.gpu(i);
      for (const Quantity& one : quantities) {
        double value = 0;
        if (one.read(library_, gpu, &value) != nvml::kSuccess) continue;
        readings_.push_back({gpu, i, &one});
        const std::string channel = "gpu" + std::to_string(i) + "." + one.name;
        if (one.cumulative)
          add_counter(channel, one.unit);
        else
          add_gauge(channel, one.unit);
      }
    }
    if (readings_.empty()) throw Error(ErrorCode::kUnavailable, "the GPUs show nothing of the kind to NVML");
  }
  void read(double* values) override {
    for (const Reading& one : readings_) {
      *values = kAbsent;
      const Return result = one.quantity->read(library_, one.gpu, values++);
      if (result != nvml::kSuccess && failure() == nullptr)
        fail(("GPU " + std::to_string(one.number) + ", " + one.quantity->name + ": " + library_.words(result))
                 .c_str());
    }
  }

 private:
  struct Reading {
    Device gpu;
    unsigned number;
    const Quantity* quantity;
  };
  Nvml library_;
  std::vector<Reading> readings_;
};

}  // namespace

std::unique_ptr<Source> open_nvml(const SourceContext& context) {
  return std::make_unique<NvmlSource>(context.roots.nvml, kLoad);
}
std::unique_ptr<Source> open_nvml_counters(const SourceContext& context) {
  return std::make_unique<NvmlSource>(context.roots.nvml, kCounters);
}
std::unique_ptr<Source> open_nvml_faults(const SourceContext& context) {
  return std::make_unique<NvmlSource>(context.roots.nvml, kGpuFaults);
}

}  // namespace collbench::metrics
