#include "engines/worker/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "engines/setting_words.h"

namespace collbench::worker {
namespace {
constexpr long kMaxThreads = 1024, kLongestJoinS = 86'400;
}

WorkerSettings parse_settings(std::string_view engine, const EngineSettings& settings) {
  WorkerSettings parsed;
  for (const auto& [word, value] : settings) {
    const SettingWord read{engine, word, value};
    if (word == "python") {
      if (value.empty()) read.refuse("a path or a name");
      parsed.python = value;
    } else if (word == "command") {
      const auto words = nlohmann::json::parse(value, nullptr, false);
      if (!words.is_array() || words.empty() ||
          !std::all_of(words.begin(), words.end(), [](const auto& one) { return one.is_string(); }))
        read.refuse("a JSON list of words, the program first");
      parsed.command = words.get<std::vector<std::string>>();
      if (parsed.command.front().empty()) read.refuse("a program");
    } else if (word == "backend") {
      if (value != "gloo" && value != "nccl") read.refuse("gloo, nccl");
      parsed.backend = value;
    } else if (word == "workerThreads") {
      parsed.threads = static_cast<int>(read.number(0, kMaxThreads));
    } else if (word == "joinTimeout") {
      static_cast<void>(read.number(1, kLongestJoinS));  // Read by the controller, which sets the deadline.
    } else if (word == "gpus") {
      parsed.gpus = read.gpus();
    } else if (word == "shareGpu") {
      parsed.share_gpu = read.is_on();
    } else {
      throw Error(ErrorCode::kInvalidArgument, std::string(engine) + ": there is no setting " + word);
    }
  }
  if (!parsed.on_gpus() && (settings.contains("gpus") || settings.contains("shareGpu")))
    throw Error(ErrorCode::kInvalidArgument,
                std::string(engine) +
                    ": GPUs are used with backend nccl alone; add --backend nccl, or leave out --gpus "
                    "and --share-gpu");
  return parsed;
}

}  // namespace collbench::worker
