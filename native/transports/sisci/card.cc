#include "transports/sisci/card.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace collbench::sisci {
namespace {

constexpr const char* kDolphin = "0x11c8";

bool is_dolphin(const std::filesystem::path& device) {
  std::string vendor;
  return static_cast<bool>(std::ifstream(device / "vendor") >> vendor) && vendor == kDolphin;
}

}  // namespace

std::optional<std::string> find_card(const std::string& devices) {
  std::error_code missing;
  std::vector<std::filesystem::path> there;
  for (const auto& entry : std::filesystem::directory_iterator(devices, missing))
    there.push_back(entry.path());
  std::sort(there.begin(), there.end());
  const auto card = std::find_if(there.begin(), there.end(), is_dolphin);
  return card == there.end() ? std::nullopt : std::optional(card->filename().string());
}

}  // namespace collbench::sisci
