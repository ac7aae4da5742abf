#include "engines/nccl/fake/choose.h"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "engines/nccl/fake/log.h"

namespace collbench::nccl_fake {
namespace {

bool same_word(const std::string& a, const std::string& b) { return strcasecmp(a.c_str(), b.c_str()) == 0; }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

/// Newest ncclNet version that this NCCL looks for (nccl.h of its release).
int newest_net_version() {
  const int code = version();
  if (code >= 23000) return 12;
  if (code >= 22800) return 11;
  if (code >= 22600) return 10;
  if (code >= 22400) return 9;
  if (code >= 22000) return 8;
  return code >= 21900 ? 7 : 6;
}

/// Opens one plugin as NCCL does and reads its name, the first member of every version's table; "" = none.
std::string open_plugin(const std::string& word, int device) {
  std::string file = word;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const bool is_file =
      word.find('/') != std::string::npos || (word.starts_with("lib") && word.ends_with(".so"));
  if (handle == nullptr && !is_file) {
    file = "libnccl-net-" + word + ".so";
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    info(kInit | kNet, device, "NET/Plugin: Could not find: %s", file.c_str());
    return {};
  }
  for (int net = newest_net_version(); net >= 6; --net)
    if (void* table = dlsym(handle, ("ncclNetPlugin_v" + std::to_string(net)).c_str()); table != nullptr) {
      const std::string name = *static_cast<const char* const*>(table);
      info(kInit | kNet, device, "NET/Plugin: Loaded net plugin %s (v%d)", name.c_str(), net);
      info(kInit | kNet, device, "Successfully loaded external network plugin %s", file.c_str());
      return name;
    }
  info(kInit | kNet, device, "NET/Plugin: Failed to find ncclNetPlugin symbol in %s", file.c_str());
  dlclose(handle);
  return {};
}

/// NCCL's lists: "ring", "^tree", "tree,ring", and from 2.24 on "allreduce:tree;ring..." by function.
std::vector<std::string> allowed(const std::string& list, Func func,
                                 const std::vector<std::string>& possible) {
  std::string mine = list;
  if (list.find(':') != std::string::npos) {
    mine.clear();
    for (const std::string& part : split(list, ';'))
      if (const std::size_t colon = part.find(':'); colon == std::string::npos)
        mine = mine.empty() ? part : mine;
      else if (same_word(part.substr(0, colon), name_of(func)))
        mine = part.substr(colon + 1);
  }
  if (mine.empty()) return possible;
  const bool excluded = mine[0] == '^';
  const std::vector<std::string> words = split(excluded ? mine.substr(1) : mine, ',');
  std::vector<std::string> left;
  for (const std::string& one : possible) {
    const bool named = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      // "NVLSTree" and "CollNetDirect" are logged with an underscore.
      std::string plain = one;
      std::erase(plain, '_');
      return same_word(word, plain);
    });
    if (named != excluded) left.push_back(one);
  }
  return left;
}

}  // namespace

const char* name_of(Func func) {
  constexpr const char* kNames[] = {"Broadcast", "Reduce",  "AllGather", "ReduceScatter", "AllReduce",
                                    "AlltoAll",  "Scatter", "Gather",    "Send",          "Recv"};
  return kNames[static_cast<int>(func)];
}

std::string choose_network(const std::string& wanted, bool fallback, int device) {
  std::vector<std::string> networks;
  const std::string plugins = environment("NCCL_NET_PLUGIN");
  if (!same_word(plugins, "none"))
    for (const std::string& word : split(plugins.empty() ? "libnccl-net.so" : plugins, ','))
      if (const std::string name = open_plugin(word, device); !name.empty()) networks.push_back(name);
  if (fallback) networks.clear();
  const bool external = !networks.empty();
  networks.emplace_back("Socket");
  for (const std::string& name : networks) {
    if (!wanted.empty() && !same_word(wanted, name) && !fallback) continue;
    info(kInit | kNet, device, "Initialized NET plugin %s", name.c_str());
    info(kInit | kNet, device, "Assigned NET plugin %s to comm", name.c_str());
    if (!external || name == "Socket")
      info(kInit | kNet, device, "NET/Plugin: Using internal network plugin.");
    info(kInit, device, "Using network %s", name.c_str());
    return name;
  }
  warn(device, "Failed to initialize any NET plugin");
  return {};
}

std::uint64_t host_hash() {
  const std::string id = environment("NCCL_HOSTID");
  return std::hash<std::string>{}(id.empty() ? "host " + host_name() : id);
}

Way way_between(const Hello& a, const Hello& b) {
  if (a.host != b.host) return Way::kNetwork;
  if (environment("NCCL_P2P_DISABLE") != "1") return Way::kPeer;
  return environment("NCCL_SHM_DISABLE") != "1" ? Way::kMemory : Way::kNetwork;
}

Choice choose_algorithm(Func func, std::size_t bytes) {
  std::vector<std::string> algorithms = {"RING"};
  if (func == Func::kAllReduce) algorithms.insert(algorithms.begin(), "TREE");
  if (func == Func::kAllGather || func == Func::kReduceScatter) algorithms.emplace_back("PAT");
  Choice choice;
  const std::vector<std::string> left = allowed(environment("NCCL_ALGO"), func, algorithms);
  const std::vector<std::string> protocols =
      allowed(environment("NCCL_PROTO"), func, {"LL", "LL128", "SIMPLE"});
  if (left.empty() || protocols.empty()) return choice;
  const bool ring = std::find(left.begin(), left.end(), "RING") != left.end();
  choice.algorithm = ring ? "RING" : left.front();
  // Where NCCL would change over is a matter of measured tables; these are round figures.
  const std::size_t wanted = bytes <= 32 << 10 ? 0 : bytes <= 512 << 10 ? 1 : 2;
  choice.protocol =
      protocols.size() == 3 ? protocols[wanted] : (wanted == 2 ? protocols.back() : protocols.front());
  choice.last_channel = bytes <= 32 << 10 ? 0 : 1;
  return choice;
}

}  // namespace collbench::nccl_fake
