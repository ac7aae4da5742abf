#include "engines/nvshmem/settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.h"
#include "engines/nvshmem/offers.h"
#include "engines/nvshmem/tuning.h"

namespace collbench::nvshmem {
namespace {

constexpr long kMaxGpu = 1023;

[[noreturn]] void refuse(const std::string& word, const std::string& value, const std::string& allowed) {
  throw Error(ErrorCode::kInvalidArgument,
              "nvshmem: setting " + word + " is \"" + value + "\"; allowed: " + allowed);
}

long read_number(const std::string& word, std::string_view text, long lowest, long highest) {
  long value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < lowest || value > highest)
    refuse(word, std::string(text), std::to_string(lowest) + " to " + std::to_string(highest));
  return value;
}

/// True for the second of two words.
bool read_choice(const std::string& word, const std::string& value, std::string_view first,
                 std::string_view second) {
  if (value != first && value != second) refuse(word, value, std::string(first) + ", " + std::string(second));
  return value == second;
}

std::vector<int> read_gpus(const std::string& value) {
  std::vector<int> gpus;
  for (std::size_t begin = 0; begin <= value.size() && !value.empty();) {
    const auto end = std::min(value.find(',', begin), value.size());
    const auto part = std::string_view(value).substr(begin, end - begin);
    const int gpu = static_cast<int>(read_number("gpus", part, 0, kMaxGpu));
    if (std::find(gpus.begin(), gpus.end(), gpu) != gpus.end()) refuse("gpus", value, "each GPU once");
    gpus.push_back(gpu);
    begin = end + 1;
  }
  return gpus;
}

std::string read_algorithm(const std::string& value) {
  if (value.empty() || find_algorithm(value)) return value;
  std::string allowed;
  if (std::find(std::begin(kNcclAlgorithms), std::end(kNcclAlgorithms), value) != std::end(kNcclAlgorithms))
    return "";
  for (const auto name : kAlgorithms) allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  refuse("algo", value, allowed);
}

}  // namespace

NvshmemSettings parse_settings(const Settings& settings) {
  NvshmemSettings parsed;
  for (const auto& [word, value] : settings) {
    if (word == "nvshmem")
      parsed.library = value;
    else if (word == "gpus")
      parsed.gpus = read_gpus(value);
    else if (word == "cache")
      parsed.hot = read_choice(word, value, "cold", "hot");
    else if (word == "graph")
      parsed.graph = read_choice(word, value, "0", "1");
    else if (word == "algo")
      parsed.algorithm = read_algorithm(value);
    else if (word == "tune")
      parsed.tune = read_choice(word, value, "0", "1");
    else if (word == "blocks")
      parsed.blocks = static_cast<int>(read_number(word, value, 1, kMostBlocks));
    else if (word == "threads")
      parsed.threads = static_cast<int>(read_number(word, value, kLeastThreads, kMostThreads)) / 32 * 32;
    else if (word == "packet")
      parsed.packet_bytes =
          static_cast<std::size_t>(read_number(word, value, kLeastPacket, kMostPacket)) / 16 * 16;
    else if (word == "signal")
      parsed.separate_signal = read_choice(word, value, "fused", "separate");
    else if (word == "hostCheck")
      parsed.host_check = read_choice(word, value, "0", "1");
    else if (word != "nccl")  // of the engine that runs NCCL beside this one
      throw Error(
          ErrorCode::kInvalidArgument,
          "nvshmem: there is no setting \"" + word +
              "\"; there are nvshmem, gpus, cache, graph, algo, tune, blocks, threads, packet, signal, "
              "hostCheck, nccl");
  }
  return parsed;
}

}  // namespace collbench::nvshmem
