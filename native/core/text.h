#pragma once
// Lists and bytes as text, and text as lists.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

/// Returns the items as one text: "a, b, c". Items before the first text that is not empty add no comma.
/// @param text_of returns the text of an item, or is a member of the item; absent = the item is a text
template <typename Items, typename TextOf = std::identity>
std::string join(const Items& items, TextOf text_of = {}) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += std::invoke(text_of, item);
  }
  return text;
}

/// Splits a text at a separator; empty parts are kept, so an empty text has one part. The parts point into
/// `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns bytes as hexadecimal digits: "0a1f".
std::string hex_of(std::span<const std::uint8_t> bytes);

}  // namespace collbench
