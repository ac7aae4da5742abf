#pragma once
#include <functional>
#include <string>
#include <vector>

namespace collbench::metrics {

/**
 * GPUs that CUDA shows to the processes of this one: those of others say nothing of its figures.
 * @param listed  CUDA_VISIBLE_DEVICES: numbers, or beginnings of UUIDs; what stands behind one that is none
 * does not count. Null = all
 * @param count   of GPUs that NVML sees
 * @param uuid_of by number; "" = not known
 * @return ascending; all where instances of GPUs (MIG) are listed, which have no number here
 */
std::vector<unsigned> visible_gpus(const char* listed, unsigned count,
                                   const std::function<std::string(unsigned)>& uuid_of);

}  // namespace collbench::metrics
