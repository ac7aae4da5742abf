#pragma once
#include <string>

namespace collbench::agent {

/// RFC 4648 with padding: bootstrap blobs are bytes, JSON strings are not.
std::string base64_encode(const std::string& bytes);
/// @throws Error(kProtocol) for text that base64_encode does not write
std::string base64_decode(const std::string& text);

}  // namespace collbench::agent
