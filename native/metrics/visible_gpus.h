#pragma once
#include <functional>
#include <string>
#include <vector>

namespace collbench::metrics {

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
