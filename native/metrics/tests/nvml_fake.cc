// A fake NVML: two GPUs whose numbers follow from the GPU and the number of calls. The second has no ECC and
// no NVLink. Structures and numbers of the NVML API reference are written a second time on purpose, to reveal
// mistakes in metrics/nvml.h.
#include <cstdint>
#include <cstdio>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
int g_users = 0, g_failure = 0;
unsigned long long g_energy_mj = 5'000'000'000;
struct FakeGpu {
  int number;
} g_gpus[2] = {{0}, {1}};
int number_of(void* gpu) { return static_cast<FakeGpu*>(gpu)->number; }
}  // namespace

/// Makes every later call about a GPU return this; 15 is NVML_ERROR_GPU_IS_LOST.
EXPORT void nvml_fake_fail(int result) { g_failure = result; }
EXPORT int nvml_fake_users() { return g_users; }

EXPORT int nvmlInit_v2() {
  ++g_users;
  return 0;
}
EXPORT int nvmlShutdown() {
  --g_users;
  return 0;
}
EXPORT const char* nvmlErrorString(int result) { return result == 15 ? "GPU is lost" : "Not Supported"; }
EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
  *gpu = &g_gpus[index];
  return 0;
}
EXPORT int nvmlDeviceGetUtilizationRates(void* gpu, unsigned* gpu_then_memory) {
  gpu_then_memory[0] = number_of(gpu) == 0 ? 97 : 3;
  gpu_then_memory[1] = 40;
  return g_failure;
}
EXPORT int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  total_free_used[0] = 150'754'820'096;
  total_free_used[1] = 150'000'000'000;
  total_free_used[2] = 754'820'096;
  return g_failure;
}
EXPORT int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatt) {
  *milliwatt = 111'000;
  return g_failure;
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoule) {
  *millijoule = g_energy_mj += 70;
  return g_failure;
}
EXPORT int nvmlDeviceGetTemperature(void* gpu, int sensor, unsigned* celsius) {
  *celsius = sensor == 0 ? 41U + static_cast<unsigned>(number_of(gpu)) : 999U;
  return g_failure;
}
EXPORT int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1980 : clock == 2 ? 3201 : 1;
  return g_failure;
}
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 0x4;
  return g_failure;
}
EXPORT int nvmlDeviceGetPcieReplayCounter(void*, unsigned* count) {
  *count = 2;
  return g_failure;
}
EXPORT int nvmlDeviceGetTotalEccErrors(void* gpu, int kind, int counter, unsigned long long* count) {
  if (number_of(gpu) == 1) return 3;
  *count = counter == 0 ? (kind == 0 ? 6 : 1) : 99;
  return g_failure;
}

struct FieldValue {
  unsigned id, scope;
  long long timestamp, latency;
  int type, result;
  unsigned long long value;
};
EXPORT int nvmlDeviceGetFieldValues(void* gpu, int count, FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    FieldValue& one = values[i];
    one.result = 0;
    one.type = 3;  // unsigned long long
    const bool links = number_of(gpu) == 0 && one.scope == 0xffffffffU;
    switch (one.id) {
      case 90:
      case 91:
        one.value = 0xdeadbeef00000000ULL | (one.id == 91 ? 18U : 26'562U);
        one.type = 1;
        one.result = number_of(gpu) == 0 ? 0 : 3;
        break;
      case 138:
        one.value = 1000;
        one.result = links ? 0 : 3;
        break;
      case 139:
        one.value = 2000;
        one.result = links ? 0 : 3;
        break;
      case 52:
        one.value = 8;
        one.result = links ? 0 : 3;
        break;
      case 186:
        one.value = 0xdeadbeef00000000ULL | 698'123U;
        one.type = 1;  // unsigned int: the upper half is undefined
        one.result = number_of(gpu) == 0 ? 0 : 3;
        break;
      case 197:
        one.value = 1ULL << 40;
        break;
      case 198:
        one.value = 77;
        one.type = 1;  // too narrow for a byte counter
        break;
      default:
        one.result = 3;
    }
  }
  return g_failure;
}

/// The last four of eighteen links are down.
EXPORT int nvmlDeviceGetNvLinkState(void*, unsigned link, int* is_active) {
  *is_active = link < 14 ? 1 : 0;
  return g_failure;
}

EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  std::snprintf(text, bytes, "570.86.15");
  return g_failure;
}
EXPORT int nvmlDeviceGetName(void*, char* text, unsigned bytes) {
  std::snprintf(text, bytes, "NVIDIA H200 (fake)");
  return g_failure;
}
struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char bus_id[32];
};
EXPORT int nvmlDeviceGetPciInfo_v3(void* gpu, PciInfo* pci) {
  *pci = {"", 0, 0x1bU + static_cast<unsigned>(number_of(gpu)), 0, 0x233510de, 0, ""};
  return g_failure;
}
EXPORT int nvmlDeviceGetCurrPcieLinkWidth(void* gpu, unsigned* lanes) {
  *lanes = number_of(gpu) == 0 ? 16 : 4;
  return g_failure;
}
EXPORT int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) {
  *lanes = 16;
  return g_failure;
}
EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 1;
  return g_failure;
}
EXPORT int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return g_failure;
}
EXPORT int nvmlDeviceGetPersistenceMode(void*, unsigned* on) {
  *on = 1;
  return g_failure;
}
/// Three processes on the second GPU; a caller without room gets the required count.
EXPORT int nvmlDeviceGetComputeRunningProcesses(void* gpu, unsigned* count, void*) {
  const unsigned there = number_of(gpu) == 0 ? 0 : 3, room = *count;
  *count = there;
  return g_failure != 0 ? g_failure : there > room ? 7 : 0;
}
/// The first link leads to another device, the others to a switch that is hidden from a guest.
EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned link, PciInfo* pci) {
  *pci = {"", 0xffffffff, 0xff, 0xff, 0, 0, ""};
  if (link == 0) *pci = {"", 0, 0x1c, 0, 0, 0, ""};
  return g_failure;
}
