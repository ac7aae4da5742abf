#pragma once
#include <string>

namespace collbench::agent {

/// Encodes bytes as base64 (RFC 4648 with padding), because bootstrap blobs are bytes and JSON strings are
/// not.
std::string base64_encode(const std::string& bytes);
/// Decodes base64. @throws Error(kProtocol) for text that base64_encode does not produce
std::string base64_decode(const std::string& text);

}  // namespace collbench::agent
