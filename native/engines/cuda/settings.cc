#include "engines/cuda/settings.h"

#include "core/error.h"
#include "engines/setting_words.h"

namespace collbench::gpu {
namespace {

std::string read_algorithm(const SettingWord& read) {
  const std::string& value = read.value;
  for (const auto* known : {"one-shot", "two-shot", "loads", "staged", "packets", "direct"})
    if (value == known) return value;
  read.refuse("one-shot, two-shot, loads, staged, packets, direct");
}

}  // namespace

CudaSettings parse_settings(const EngineSettings& settings) {
  CudaSettings parsed;
  for (const auto& [word, value] : settings) {
    const SettingWord read{"cuda", word, value};
    if (word == "gpus")
      parsed.gpus = read.gpus();
    else if (word == "shareGpu")
      parsed.share_gpu = read.is_on();
    else if (word == "hostCheck")
      parsed.host_check = read.is_on();
    else if (word == "algo")
      parsed.algorithm = read_algorithm(read);
    else if (word == "blocks")
      parsed.blocks = static_cast<std::uint32_t>(read.number(1, kMaxStoreBlocks));
    else if (word == "threads")
      parsed.threads = static_cast<std::uint32_t>(read.number(32, kMaxStoreThreads)) / 32 * 32;
    else if (word == "packet")
      parsed.piece_bytes = static_cast<std::size_t>(read.number(1024, 262144)) / 16 * 16;
    else
      throw Error(ErrorCode::kInvalidArgument, "cuda: there is no setting \"" + word +
                                                   "\"; there are gpus, shareGpu, hostCheck, algo, "
                                                   "blocks, threads, packet");
  }
  if (!parsed.share_gpu && settings.contains("gpus"))
    SettingWord{"cuda", "gpus", settings.at("gpus")}.require_once(parsed.gpus,
                                                                  "ranks share a GPU only with shareGpu 1");
  return parsed;
}

}  // namespace collbench::gpu
