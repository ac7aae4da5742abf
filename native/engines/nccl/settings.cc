#include "engines/nccl/settings.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "core/error.h"

namespace collbench::nccl {
namespace {

constexpr int kMaxAggregate = 1024, kMaxSplit = 1024, kMaxGpu = 1023;
constexpr std::size_t kMaxMisalign = 4096;

constexpr std::string_view kAlgorithms[] = {"tree",         "ring", "collnet",  "collnetdirect",
                                            "collnetchain", "nvls", "nvlstree", "pat"};
constexpr std::string_view kProtocols[] = {"ll", "ll128", "simple"};
constexpr std::string_view kFunctions[] = {"allreduce", "allgather", "reducescatter", "broadcast", "reduce"};

[[noreturn]] void refuse(const std::string& word, const std::string& value, const std::string& allowed) {
  throw Error(ErrorCode::kInvalidArgument,
              "nccl: setting " + word + " is \"" + value + "\"; allowed: " + allowed);
}

long read_number(const std::string& word, std::string_view text, long lowest, long highest) {
  long value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < lowest || value > highest)
    refuse(word, std::string(text), std::to_string(lowest) + " to " + std::to_string(highest));
  return value;
}

bool read_switch(const std::string& word, const std::string& value) {
  if (value != "0" && value != "1") refuse(word, value, "0, 1");
  return value == "1";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<int> read_gpus(const std::string& value) {
  std::vector<int> gpus;
  for (const auto part : split(value, ','))
    gpus.push_back(static_cast<int>(read_number("gpus", part, 0, kMaxGpu)));
  return gpus;
}

bool knows(std::string_view name, const std::string_view* first, const std::string_view* last) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::find(first, last, lower) != last;
}

/// "ring", "^tree", "tree,ring", "allreduce:tree;allgather:ring" (2.24 and newer): NCCL takes a misspelt name
/// for none at all, so names are checked here.
template <std::size_t kCount>
std::string read_choice(const std::string& word, const std::string& value,
                        const std::string_view (&names)[kCount]) {
  std::string allowed;
  for (const auto name : names) allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  allowed += "; several with commas, ^ before the first excludes them; per collective: allreduce:" +
             std::string(names[0]) + ";allgather:" + std::string(names[1]);
  for (auto part : split(value, ';')) {
    if (const auto colon = part.find(':'); colon != std::string_view::npos) {
      if (!knows(part.substr(0, colon), std::begin(kFunctions), std::end(kFunctions)))
        refuse(word, value, allowed);
      part.remove_prefix(colon + 1);
    }
    if (part.starts_with('^')) part.remove_prefix(1);
    for (const auto name : split(part, ','))
      if (!knows(name, std::begin(names), std::end(names))) refuse(word, value, allowed);
  }
  return value;
}

Registration read_registration(const std::string& value) {
  if (value == "none") return Registration::kNone;
  if (value == "local") return Registration::kLocal;
  if (value == "symmetric") return Registration::kSymmetric;
  refuse("register", value, "none, local, symmetric");
}

DeviceReach read_device_api(const std::string& value) {
  if (value.empty()) return DeviceReach::kNone;
  if (value == "lsa") return DeviceReach::kLsa;
  if (value == "gin") return DeviceReach::kGin;
  refuse("deviceApi", value, "lsa, gin");
}

bool read_hot(const std::string& value) {
  if (value != "hot" && value != "cold") refuse("cache", value, "cold, hot");
  return value == "hot";
}

void read_word(NcclSettings& into, const std::string& word, const std::string& value) {
  if (word == "nccl")
    into.library = value;
  else if (word == "gpus")
    into.gpus = value.empty() ? std::vector<int>{} : read_gpus(value);
  else if (word == "shareGpu")
    into.share_gpu = read_switch(word, value);
  else if (word == "cache")
    into.hot = read_hot(value);
  else if (word == "graph")
    into.graph = read_switch(word, value);
  else if (word == "aggregate")
    into.aggregate = static_cast<int>(read_number(word, value, 1, kMaxAggregate));
  else if (word == "register")
    into.registration = read_registration(value);
  else if (word == "blocking")
    into.blocking = read_switch(word, value);
  else if (word == "split")
    into.split = static_cast<int>(read_number(word, value, 0, kMaxSplit));
  else if (word == "misalign")
    into.misalign = static_cast<std::size_t>(read_number(word, value, 0, kMaxMisalign));
  else if (word == "algo")
    into.algorithm = value.empty() ? "" : read_choice(word, value, kAlgorithms);
  else if (word == "proto")
    into.protocol = value.empty() ? "" : read_choice(word, value, kProtocols);
  else if (word == "attest")
    into.attest = read_switch(word, value);
  else if (word == "deviceApi")
    into.device_api = read_device_api(value);
  else if (word == "hostCheck")
    into.host_check = read_switch(word, value);
  else
    throw Error(ErrorCode::kInvalidArgument,
                "nccl: there is no setting \"" + word +
                    "\"; there are nccl, gpus, shareGpu, cache, graph, aggregate, register, blocking, split, "
                    "misalign, algo, proto, attest, deviceApi, hostCheck");
}

/// Kernels of our own reach the peers through symmetric windows only, and NCCL neither groups nor polls them.
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

NcclSettings parse_settings(const Settings& settings) {
  NcclSettings parsed;
  for (const auto& [word, value] : settings) read_word(parsed, word, value);
  if (parsed.device_api != DeviceReach::kNone) check_device_api(parsed, settings.at("deviceApi"));
  auto sorted = parsed.gpus;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end() && !parsed.share_gpu)
    refuse("gpus", settings.at("gpus"),
           "each GPU once (GPU " + std::to_string(*twice) +
               " stands there twice; ranks share a GPU only with shareGpu 1)");
  return parsed;
}

}  // namespace collbench::nccl
