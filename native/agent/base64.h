#pragma once
#include <string>

namespace collbench::agent {

/// Returns bytes as base64 text (RFC 4648 with padding). Data of bootstrap exchanges need it, because JSON
/// strings cannot hold arbitrary bytes.
std::string base64_encode(const std::string& bytes);
/// Returns the bytes of a base64 text. @throws Error(kProtocol) for text that base64_encode() cannot have
/// produced
std::string base64_decode(const std::string& text);

}  // namespace collbench::agent
