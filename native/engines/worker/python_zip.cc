#include "engines/worker/python_zip.h"

#include <cstdint>

namespace collbench::worker {
namespace {

/// Returns the CRC-32 of a text, as zip files need it. It is computed bit by bit, because texts are short.
std::uint32_t zip_crc(const std::string& text) {
  constexpr std::uint32_t kPolynomial = 0xedb88320U;
  std::uint32_t crc = 0xffffffffU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

/// Returns a number as text of `bytes` bytes, little-endian, for a zip file's headers.
std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
  return text;
}

}  // namespace

std::string python_zip(const std::map<std::string, std::string>& modules) {
  std::string entries, directory;
  for (const auto& [module, text] : modules) {
    const std::string name = module + ".py";
    // Fields: version 2.0, no flags, stored, 1980-01-01.
    const std::string about = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0x21, 2) +
                              little(zip_crc(text), 4) + little(text.size(), 4) + little(text.size(), 4) +
                              little(name.size(), 2) + little(0, 2);
    directory += "PK\1\2" + little(20, 2) + about + little(0, 2) + little(0, 2) + little(0, 2) +
                 little(0, 4) + little(entries.size(), 4) + name;
    entries += "PK\3\4" + about + name + text;
  }
  return entries + directory + "PK\5\6" + little(0, 4) + little(modules.size(), 2) +
         little(modules.size(), 2) + little(directory.size(), 4) + little(entries.size(), 4) + little(0, 2);
}

}  // namespace collbench::worker
