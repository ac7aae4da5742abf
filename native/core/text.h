#pragma once
// Lists and bytes as text, and text as lists.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

/// Returns the items as one text: "a, b, c". An empty item is kept: "a, , c".
/// @param text_of returns the text of an item, or is a member of the item; absent = the item is a text
template <typename Items, typename TextOf = std::identity>
std::string join(const Items& items, TextOf text_of = {}) {
  std::string text;
  const char* separator = "";
  for (const auto& item : items) {
    text += separator;
    text += std::invoke(text_of, item);
    separator = ", ";
  }
  return text;
}

/// Splits a text at a separator; empty parts are kept, so an empty text has one part. The parts point into
/// `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns bytes as hexadecimal digits: "0a1f".
std::string hex_of(std::span<const std::uint8_t> bytes);

}  // namespace collbench
