#include "engines/nvshmem/network.h"

#include <cstdlib>

#include "transports/ibgda/lookalikes.h"

namespace collbench::nvshmem {

bool over_software_card(const std::string& transport, const TransportOptions& options) {
  return transport == kNetwork && ibgda::wants_software_card(options);
}

std::vector<std::pair<std::string, std::string>> variables_of(const std::string& transport,
                                                              const TransportOptions& options) {
  // Otherwise NVSHMEM would use NCCL's collectives.
  std::vector<std::pair<std::string, std::string>> all = {{"NVSHMEM_DISABLE_NCCL", "1"}};
  if (transport != kNetwork) return all;
  const auto set = [&all](const char* name, const std::string& value) { all.emplace_back(name, value); };
  set("NVSHMEM_DISABLE_P2P", "1");  // Otherwise GPUs of one machine load and store.
  set("NVSHMEM_REMOTE_TRANSPORT", "none");
  set("NVSHMEM_IB_ENABLE_IBGDA", "1");
  if (!ibgda::wants_software_card(options)) return all;
  set("NVSHMEM_DISABLE_NVLS", "1");
  set("NVSHMEM_DISABLE_MNNVL", "1");
  set("NVSHMEM_IBGDA_NIC_HANDLER",
      "cpu_host_memory");  // A GPU cannot ring a page of host memory like a page of an adapter.
  set("NVSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE", "hostmem");  // softmlx5 reads queues with a CPU.
  set("NVSHMEM_DISABLE_DATA_DIRECT", "1");
  set("CUDA_MODULE_LOADING",
      "EAGER");  // Code loaded while a kernel waits for the adapter would wait for that kernel.
  for (const auto& [name, value] : ibgda::software_card_settings(options)) set(name.c_str(), value);
  return all;
}

std::map<std::string, std::string> environment_of(const std::string& transport,
                                                  const TransportOptions& options) {
  if (!over_software_card(transport, options)) return {};
  const char* before = std::getenv("LD_PRELOAD");
  const std::string more = before == nullptr || *before == '\0' ? "" : std::string(" ") + before;
  return {{"LD_PRELOAD", ibgda::sysfs_preload() + more}};
}

}  // namespace collbench::nvshmem
