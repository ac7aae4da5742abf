#include "agent/base64.h"

#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace collbench::agent {
namespace {
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string base64_encode(const std::string& bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < here ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= here ? kAlphabet[(group >> (18 - 6 * k)) & 63U] : '=';
  }
  return text;
}

std::string base64_decode(const std::string& text) {
  const auto refuse = [] { throw Error(ErrorCode::kProtocol, "a bootstrap blob is not base64"); };
  if (text.size() % 4 != 0) refuse();
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t characters = 4;
    if (i + 4 == text.size()) characters -= (text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=');
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t value = k < characters ? kAlphabet.find(text[i + k]) : 0;
      if (value == std::string_view::npos) refuse();
      group = group << 6 | static_cast<std::uint32_t>(value);
    }
    for (std::size_t k = 0; k + 1 < characters; ++k) bytes += static_cast<char>(group >> (16 - 8 * k));
  }
  return bytes;
}

}  // namespace collbench::agent
