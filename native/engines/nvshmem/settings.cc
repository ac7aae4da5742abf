#include "engines/nvshmem/settings.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "engines/nvshmem/offers.h"
#include "engines/nvshmem/tuning.h"
#include "engines/setting_words.h"

namespace collbench::nvshmem {
namespace {

std::string read_algorithm(const SettingWord& read) {
  const std::string& value = read.value;
  if (value.empty() || find_algorithm(value)) return value;
  if (std::find(std::begin(kNcclAlgorithms), std::end(kNcclAlgorithms), value) != std::end(kNcclAlgorithms))
    return "";
  read.refuse(join(kAlgorithms));
}

}  // namespace

NvshmemSettings parse_settings(const EngineSettings& settings) {
  NvshmemSettings parsed;
  for (const auto& [word, value] : settings) {
    const SettingWord read{"nvshmem", word, value};
    if (word == "nvshmem")
      parsed.library = value;
    else if (word == "gpus")
      read.require_once(parsed.gpus = read.gpus());
    else if (word == "cache")
      parsed.hot = read.is_second("cold", "hot");
    else if (word == "graph")
      parsed.graph = read.is_on();
    else if (word == "algo")
      parsed.algorithm = read_algorithm(read);
    else if (word == "tune")
      parsed.tune = read.is_on();
    else if (word == "blocks")
      parsed.blocks = static_cast<int>(read.number(1, kMaxBlocks));
    else if (word == "threads")
      parsed.threads = static_cast<int>(read.number(kMinThreads, kMaxThreads)) / 32 * 32;
    else if (word == "packet")
      parsed.packet_bytes = static_cast<std::size_t>(read.number(kMinPacket, kMaxPacket)) / 16 * 16;
    else if (word == "signal")
      parsed.separate_signal = read.is_second("fused", "separate");
    else if (word == "hostCheck")
      parsed.host_check = read.is_on();
    else if (word != "nccl")  // "nccl" is a setting of the nccl engine in the same run.
      throw Error(
          ErrorCode::kInvalidArgument,
          "nvshmem: there is no setting \"" + word +
              "\"; there are nvshmem, gpus, cache, graph, algo, tune, blocks, threads, packet, signal, "
              "hostCheck, nccl");
  }
  return parsed;
}

}  // namespace collbench::nvshmem
