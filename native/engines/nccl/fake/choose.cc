#include "engines/nccl/fake/choose.h"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <vector>

#include "engines/nccl/fake/log.h"

namespace collbench::nccl_fake {
namespace {

constexpr int kNewestNet = 11, kOldestNet = 6;  // Versions that NCCL 2.28 supports.

bool same_word(const std::string& a, const std::string& b) { return strcasecmp(a.c_str(), b.c_str()) == 0; }

/// Opens a net plugin like NCCL and returns its name, which is the first member of the plugin's table in
/// every version; "" if it cannot be opened.
std::string open_plugin(const std::string& file, int device) {
  void* handle = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (int net = kNewestNet; handle != nullptr && net >= kOldestNet; --net)
    if (void* table = dlsym(handle, ("ncclNetPlugin_v" + std::to_string(net)).c_str()); table != nullptr) {
      const std::string name = *static_cast<const char* const*>(table);
      info(kInit | kNet, device, "NET/Plugin: Loaded net plugin %s (v%d)", name.c_str(), net);
      return name;
    }
  if (!file.empty()) info(kInit | kNet, device, "NET/Plugin: Could not find: %s", file.c_str());
  return {};
}

/// Returns those of the `possible` names that NCCL_ALGO or NCCL_PROTO (`list`) allows for a function. Lists
/// have NCCL's format: "ring", "^tree", "tree,ring", or by function "allreduce:tree;allgather:ring".
std::vector<std::string> allowed(const std::string& list, NcclFunction func,
                                 const std::vector<std::string>& possible) {
  std::string mine = list;
  if (list.find(':') != std::string::npos) {
    mine.clear();
    for (const std::string& part : split_words(list, ';'))
      if (const std::size_t colon = part.find(':'); same_word(part.substr(0, colon), name_of(func)))
        mine = part.substr(colon + 1);
  }
  if (mine.empty()) return possible;
  const bool excluded = mine[0] == '^';
  const std::vector<std::string> words = split_words(excluded ? mine.substr(1) : mine, ',');
  std::vector<std::string> left;
  for (const std::string& one : possible)
    if (std::any_of(words.begin(), words.end(), [&](const auto& word) { return same_word(word, one); }) !=
        excluded)
      left.push_back(one);
  return left;
}

}  // namespace

const char* name_of(NcclFunction func) {
  constexpr const char* kNames[] = {"Broadcast", "Reduce",  "AllGather", "ReduceScatter", "AllReduce",
                                    "AlltoAll",  "Scatter", "Gather",    "Send",          "Recv"};
  return kNames[static_cast<int>(func)];
}

/// Returns true if InfiniBand is available by NCCL's test: libibverbs can be opened by its name without
/// folder, and lists a device.
static bool has_infiniband() {
  void* verbs = dlopen("libibverbs.so", RTLD_NOW);
  if (verbs == nullptr) verbs = dlopen("libibverbs.so.1", RTLD_NOW);
  using List = void** (*)(int* count);
  const auto list = verbs == nullptr
                        ? nullptr
                        : reinterpret_cast<List>(dlvsym(verbs, "ibv_get_device_list", "IBVERBS_1.1"));
  int count = 0;
  return list != nullptr && list(&count) != nullptr && count > 0;
}

std::string choose_network(bool fallback, int device) {
  const std::string wanted = environment("NCCL_NET");
  const std::string plugin = open_plugin(environment("NCCL_NET_PLUGIN"), device);
  const std::string own = same_word(wanted, "IB") && has_infiniband() ? "IB" : "";
  for (const std::string& name : {plugin, own, std::string("Socket")}) {
    if (name.empty() || (fallback && name != "Socket")) continue;
    if (!wanted.empty() && !same_word(wanted, name) && !fallback) continue;
    info(kInit, device, "Using network %s", name.c_str());
    return name;
  }
  warn(device, "Failed to initialize any NET plugin");
  return {};
}

TunerChoice choose_algorithm(NcclFunction func, std::size_t bytes) {
  std::vector<std::string> algorithms = {"RING"};
  if (func == NcclFunction::kAllReduce) algorithms.emplace_back("TREE");
  const auto left = allowed(environment("NCCL_ALGO"), func, algorithms);
  const auto protocols = allowed(environment("NCCL_PROTO"), func, {"LL", "LL128", "SIMPLE"});
  if (left.empty() || protocols.empty()) return {};
  // NCCL's own thresholds come from measured tables; these are round numbers.
  const std::size_t wanted = bytes <= 32 << 10 ? 0 : bytes <= 512 << 10 ? 1 : 2;
  return {left.front(), protocols[std::min(wanted, protocols.size() - 1)]};
}

}  // namespace collbench::nccl_fake
