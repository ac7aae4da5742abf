#pragma once
// The part of NVIDIA's management library (NVML) that collbench uses, declared here so that no vendor header
// is needed. Functions, structures and numbers are those of the public NVML API reference. The library is
// opened at run time.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace collbench::metrics {

namespace nvml {

using Device = struct DeviceOfNvml*;
using Return = int;
constexpr Return kSuccess = 0;
constexpr Return kNotSupported = 3, kInsufficientSize = 7;

struct Utilization {
  unsigned gpu, memory;  // percent
};
struct Memory {
  unsigned long long total, free, used;  // bytes
};
struct PciInfo {  // nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3
  char legacy_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);
enum ValueType : int { kDouble = 0, kUnsignedInt = 1, kUnsignedLong = 2, kUnsignedLongLong = 3 };
struct FieldValue {
  unsigned field;
  unsigned scope;  // link number; ~0U = all links
  long long timestamp, latency_us;
  ValueType type;
  Return result;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
  };
};
static_assert(sizeof(FieldValue) == 40);

enum RemoteKind : int { kRemoteGpu = 0, kRemoteSwitch = 2 };  // nvmlIntNvLinkDeviceType_t
enum Clock : int { kSmClock = 1, kMemoryClock = 2 };
constexpr int kGpuTemperature = 0;  // number of the GPU's sensor
constexpr int kCorrected = 0, kUncorrected = 1,
              kVolatile = 0;  // ECC errors counted since the driver's start

}  // namespace nvml

/// NVIDIA's management library: the constructor opens and initialises it, the destructor shuts it down.
/// Several objects may exist, because NVML counts them. The public members are its functions.
class Nvml {
 public:
  /// Opens and initialises the library.
  /// @param library file name or path
  /// @throws Error(kUnavailable) if it is missing, too old, or finds no GPU
  explicit Nvml(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] unsigned gpus() const noexcept { return gpus_; }
  /// Returns the GPU with this index, from 0 to gpus() - 1.
  /// @throws Error(kUnavailable) if NVML refuses it
  [[nodiscard]] nvml::Device gpu(unsigned index) const;
  /// Returns the description of a result code of NVML, such as "Not Supported".
  [[nodiscard]] const char* words(nvml::Return result) const noexcept { return error_string(result); }

  // Null if this version of the library lacks the function.
  nvml::Return (*utilization)(nvml::Device, nvml::Utilization*) = nullptr;
  nvml::Return (*memory)(nvml::Device, nvml::Memory*) = nullptr;
  nvml::Return (*power)(nvml::Device, unsigned* milliwatt) = nullptr;
  nvml::Return (*energy)(nvml::Device, unsigned long long* millijoule) = nullptr;
  nvml::Return (*temperature)(nvml::Device, int sensor, unsigned* celsius) = nullptr;
  nvml::Return (*clock)(nvml::Device, int clock, unsigned* mhz) = nullptr;
  nvml::Return (*throttle_reasons)(nvml::Device, unsigned long long* bits) = nullptr;
  nvml::Return (*pcie_replays)(nvml::Device, unsigned* count) = nullptr;
  nvml::Return (*ecc_errors)(nvml::Device, int kind, int counter, unsigned long long* count) = nullptr;
  nvml::Return (*driver_version)(char* text, unsigned bytes) = nullptr;
  nvml::Return (*gpu_name)(nvml::Device, char* text, unsigned bytes) = nullptr;
  nvml::Return (*gpu_uuid)(nvml::Device, char* text, unsigned bytes) = nullptr;
  nvml::Return (*pci_info)(nvml::Device, nvml::PciInfo*) = nullptr;
  nvml::Return (*link_width)(nvml::Device, unsigned* lanes) = nullptr;
  nvml::Return (*link_width_max)(nvml::Device, unsigned* lanes) = nullptr;
  nvml::Return (*link_generation)(nvml::Device, unsigned*) = nullptr;
  nvml::Return (*link_generation_max)(nvml::Device, unsigned*) = nullptr;
  nvml::Return (*persistence)(nvml::Device, unsigned* on) = nullptr;
  /// Lists the processes that compute on the GPU. With *count = 0 it sets *count to their number and returns
  /// kInsufficientSize, or kSuccess if there is none.
  nvml::Return (*compute_processes)(nvml::Device, unsigned* count, void* infos) = nullptr;
  nvml::Return (*nvlink_state)(nvml::Device, unsigned link, int* is_active) = nullptr;
  nvml::Return (*field_values)(nvml::Device, int count, nvml::FieldValue*) = nullptr;
  nvml::Return (*nvlink_remote_pci)(nvml::Device, unsigned link, nvml::PciInfo*) = nullptr;
  nvml::Return (*nvlink_remote_kind)(nvml::Device, unsigned link, int* kind) = nullptr;

 private:
  template <typename Function>
  void find(Function& function, const char* name, const char* newer = nullptr);
  void* library_;
  unsigned gpus_ = 0;
  nvml::Return (*shutdown)() = nullptr;
  const char* (*error_string)(nvml::Return) = nullptr;
  nvml::Return (*handle)(unsigned index, nvml::Device*) = nullptr;
};

/**
 * Selects the GPUs that CUDA shows to this process, so that only these are sampled.
 * @param listed  value of CUDA_VISIBLE_DEVICES: GPU numbers or beginnings of UUIDs. As in CUDA, the list ends
 * before the first invalid entry. Null = not set, all GPUs
 * @param count   number of GPUs that NVML sees
 * @param uuid_of returns the UUID of the GPU with a number; "" = not known
 * @return numbers of the GPUs, ascending; all GPUs if `listed` names parts of GPUs (MIG), because NVML has no
 * numbers for parts
 */
std::vector<unsigned> visible_gpus(const char* listed, unsigned count,
                                   const std::function<std::string(unsigned)>& uuid_of);

}  // namespace collbench::metrics
