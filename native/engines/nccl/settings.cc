#include "engines/nccl/settings.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/error.h"
#include "engines/setting_words.h"

namespace collbench::nccl {
namespace {

constexpr int kMaxAggregate = 1024, kMaxSplit = 1024;
constexpr long kMaxMisalign = 4096;

constexpr std::string_view kAlgorithms[] = {"tree",         "ring", "collnet",  "collnetdirect",
                                            "collnetchain", "nvls", "nvlstree", "pat"};
constexpr std::string_view kProtocols[] = {"ll", "ll128", "simple"};
constexpr std::string_view kFunctions[] = {"allreduce", "allgather", "reducescatter", "broadcast", "reduce"};

bool knows(std::string_view name, const std::string_view* first, const std::string_view* last) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::find(first, last, lower) != last;
}

/// Checks and returns a list for NCCL_ALGO or NCCL_PROTO: "ring", "^tree", "tree,ring",
/// "allreduce:tree;allgather:ring" (2.24 and newer). Names in any letter case are checked here because NCCL
/// ignores a misspelt name. "" is allowed.
template <std::size_t kCount>
std::string read_choice(const SettingWord& read, const std::string_view (&names)[kCount]) {
  if (read.value.empty()) return "";
  const std::string allowed =
      join(names) + "; several with commas, ^ before the first excludes them; per collective: allreduce:" +
      std::string(names[0]) + ";allgather:" + std::string(names[1]);
  for (auto part : split(read.value, ';')) {
    if (const auto colon = part.find(':'); colon != std::string_view::npos) {
      if (!knows(part.substr(0, colon), std::begin(kFunctions), std::end(kFunctions))) read.refuse(allowed);
      part.remove_prefix(colon + 1);
    }
    if (part.starts_with('^')) part.remove_prefix(1);
    for (const auto name : split(part, ','))
      if (!knows(name, std::begin(names), std::end(names))) read.refuse(allowed);
  }
  return read.value;
}

Registration read_registration(const SettingWord& read) {
  const std::string& value = read.value;
  if (value == "none") return Registration::kNone;
  if (value == "local") return Registration::kLocal;
  if (value == "symmetric") return Registration::kSymmetric;
  read.refuse("none, local, symmetric");
}

DeviceReach read_device_api(const SettingWord& read) {
  const std::string& value = read.value;
  if (value.empty()) return DeviceReach::kNone;
  if (value == "lsa") return DeviceReach::kLsa;
  if (value == "gin") return DeviceReach::kGin;
  read.refuse("lsa, gin");
}

void read_word(NcclSettings& into, const SettingWord& read) {
  const auto& [engine, word, value] = read;
  if (word == "nccl")
    into.library = value;
  else if (word == "gpus")
    into.gpus = read.gpus();
  else if (word == "shareGpu")
    into.share_gpu = read.is_on();
  else if (word == "cache")
    into.hot = read.is_second("cold", "hot");
  else if (word == "graph")
    into.graph = read.is_on();
  else if (word == "aggregate")
    into.aggregate = static_cast<int>(read.number(1, kMaxAggregate));
  else if (word == "register")
    into.registration = read_registration(read);
  else if (word == "blocking")
    into.blocking = read.is_on();
  else if (word == "split")
    into.split = static_cast<int>(read.number(0, kMaxSplit));
  else if (word == "misalign")
    into.misalign = static_cast<std::size_t>(read.number(0, kMaxMisalign));
  else if (word == "algo")
    into.algorithm = read_choice(read, kAlgorithms);
  else if (word == "proto")
    into.protocol = read_choice(read, kProtocols);
  else if (word == "attest")
    into.attest = read.is_on();
  else if (word == "deviceApi")
    into.device_api = read_device_api(read);
  else if (word == "hostCheck")
    into.host_check = read.is_on();
  else
    throw Error(ErrorCode::kInvalidArgument,
                "nccl: there is no setting \"" + word +
                    "\"; there are nccl, gpus, shareGpu, cache, graph, aggregate, register, blocking, split, "
                    "misalign, algo, proto, attest, deviceApi, hostCheck");
}

/// Checks that other settings fit to "deviceApi". Its kernels reach peers only through symmetric windows, and
/// NCCL neither groups nor polls them.
void check_device_api(const NcclSettings& parsed, const std::string& value) {
  const std::string what = "nccl: deviceApi " + value + " wants ";
  if (parsed.registration != Registration::kSymmetric)
    throw Error(ErrorCode::kInvalidArgument,
                what + "register symmetric: kernels reach peers through windows");
  if (!parsed.blocking) throw Error(ErrorCode::kInvalidArgument, what + "blocking 1");
  if (parsed.aggregate != 1)
    throw Error(ErrorCode::kInvalidArgument, what + "aggregate 1: there is no group of kernels");
  if (!parsed.algorithm.empty() || !parsed.protocol.empty())
    throw Error(ErrorCode::kInvalidArgument,
                what + "no algo and no proto: those are choices of NCCL's collectives");
}

}  // namespace

NcclSettings parse_settings(const EngineSettings& settings) {
  NcclSettings parsed;
  for (const auto& [word, value] : settings) read_word(parsed, {"nccl", word, value});
  if (parsed.device_api != DeviceReach::kNone) check_device_api(parsed, settings.at("deviceApi"));
  if (!parsed.share_gpu && settings.contains("gpus"))
    SettingWord{"nccl", "gpus", settings.at("gpus")}.require_once(parsed.gpus,
                                                                  "ranks share a GPU only with shareGpu 1");
  return parsed;
}

}  // namespace collbench::nccl
