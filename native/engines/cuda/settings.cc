#include "engines/cuda/settings.h"

#include "core/error.h"
#include "engines/setting_words.h"

namespace collbench::gpu {

CudaSettings parse_settings(const Settings& settings) {
  CudaSettings parsed;
  for (const auto& [word, value] : settings) {
    const SettingWord read{"cuda", word, value};
    if (word == "gpus")
      parsed.gpus = read.gpus();
    else if (word == "shareGpu")
      parsed.share_gpu = read.is_on();
    else if (word == "hostCheck")
      parsed.host_check = read.is_on();
    else
      throw Error(ErrorCode::kInvalidArgument,
                  "cuda: there is no setting \"" + word + "\"; there are gpus, shareGpu, hostCheck");
  }
  if (!parsed.share_gpu && settings.contains("gpus"))
    SettingWord{"cuda", "gpus", settings.at("gpus")}.require_once(parsed.gpus,
                                                                  "ranks share a GPU only with shareGpu 1");
  return parsed;
}

}  // namespace collbench::gpu
