#pragma once
#include <string>

namespace collbench::agent {

/// Returns bytes as base64 text (RFC 4648 with padding). Data of bootstrap exchanges need it, because JSON
/// strings cannot hold arbitrary bytes.
std::string base64_encode(const std::string& bytes);
/// Returns the bytes of a base64 text. Unused bits of the last group are not checked.
/// @throws Error(kProtocol) for text that is not padded base64
std::string base64_decode(const std::string& text);

}  // namespace collbench::agent
