#include "workloads/moe/check.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace collbench::moe {
namespace {

std::string name_of(int rank, const RoutedRow& row) {
  return "token " + std::to_string(row.token) + " of rank " + std::to_string(rank) + " for expert " +
         std::to_string(row.expert);
}

std::uint64_t first_word(const std::byte* row, std::size_t bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, row, std::min(bytes, sizeof word));
  return word;
}

/// Returns which token of `rank` a row begins with, in words; "" if it is none of them.
std::string token_in(const DataKey& data, int rank, int tokens, const std::byte* row, std::size_t bytes) {
  for (int token = 0; bytes >= 8 && token < tokens; ++token)
    if (word_of(data.of_token(rank, static_cast<std::uint32_t>(token)), 0) == first_word(row, bytes))
      return "; the row has token " + std::to_string(token);
  return "";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

std::vector<ArrivedRow> arrivals_of(const Routing& routing, int rank) {
  std::vector<ArrivedRow> arrivals;
  const auto first = static_cast<std::uint32_t>(rank * routing.experts_per_rank());
  const auto end = first + static_cast<std::uint32_t>(routing.experts_per_rank());
  for (int source = 0; source < routing.ranks(); ++source)
    for (const RoutedRow& row : routing.rows_of(source))
      if (row.expert >= first && row.expert < end) arrivals.push_back({source, row});
  return arrivals;
}

void write_token(std::uint64_t key, std::byte* to, std::size_t bytes) noexcept {
  std::size_t at = 0;
  for (; at + 8 <= bytes; at += 8) {
    const std::uint64_t word = word_of(key, at / 8);
    std::memcpy(to + at, &word, sizeof word);
  }
  const std::uint64_t word = word_of(key, at / 8);
  std::memcpy(to + at, &word, bytes - at);
}

Verification check_rows(const DataKey& data, const std::vector<ArrivedRow>& expected, int tokens,
                        const std::byte* rows, std::size_t row_bytes) {
  Verification found;
  std::vector<std::byte> wanted(row_bytes);
  const std::size_t elements = row_bytes / 2;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const ArrivedRow& one = expected[n];
    const std::byte* row = rows + n * row_bytes;
    write_token(data.of_token(one.rank, one.row.token), wanted.data(), row_bytes);
    found.compared += elements;
    if (std::memcmp(row, wanted.data(), row_bytes) == 0) continue;
    for (std::size_t i = 0; i < elements; ++i) {
      std::uint16_t is = 0, due = 0;
      std::memcpy(&is, row + 2 * i, sizeof is);
      std::memcpy(&due, wanted.data() + 2 * i, sizeof due);
      if (is == due) continue;
      if (found.wrong == 0) {
        found.first_index = n * elements + i;
        found.wanted = std::to_string(due);
        found.got = std::to_string(is);
        found.note = name_of(one.rank, one.row) + token_in(data, one.rank, tokens, row, row_bytes);
      }
      ++found.wrong;
    }
  }
  return found;
}

Verification check_counts(const Routing& routing, int rank, const std::uint32_t* counts) {
  Verification found;
  for (int source = 0; source < routing.ranks(); ++source)
    for (int n = 0; n < routing.experts_per_rank(); ++n) {
      const int expert = rank * routing.experts_per_rank() + n;
      const std::uint32_t due = routing.count(source, expert);
      const std::uint32_t is = counts[found.compared];
      if (is != due) {
        if (found.wrong == 0) {
          found.first_index = found.compared;
          found.wanted = std::to_string(due);
          found.got = std::to_string(is);
          found.note =
              "number of tokens of rank " + std::to_string(source) + " for expert " + std::to_string(expert);
        }
        ++found.wrong;
      }
      ++found.compared;
    }
  return found;
}

Verification check_outputs(const DataKey& data, const Routing& routing, int rank,
                           const std::uint16_t* outputs, std::size_t hidden) {
  constexpr double kHalfUlp = 0x1p-8, kFloatUnit = 0x1p-24;
  std::vector<std::vector<RoutedRow>> by_token(static_cast<std::size_t>(routing.tokens()));
  for (const RoutedRow& row : routing.rows_of(rank)) by_token[row.token].push_back(row);
  Verification found;
  std::vector<double> exact(hidden), size(hidden);
  std::vector<std::uint16_t> output(hidden);
  for (std::uint32_t token = 0; token < by_token.size(); ++token) {
    exact.assign(hidden, 0);
    size.assign(hidden, 0);
    for (const RoutedRow& row : by_token[token]) {
      const std::uint64_t key = data.of_output(rank, token, row.expert);
      const double weight = weight_of(key);
      write_output(key, output.data(), hidden);
      for (std::size_t i = 0; i < hidden; ++i) {
        const double product = weight * float_of_bfloat16(output[i]);
        exact[i] += product;
        size[i] += std::abs(product);
      }
    }
    const auto terms = static_cast<double>(by_token[token].size());
    const double gamma = terms * kFloatUnit / (1 - terms * kFloatUnit);
    for (std::size_t i = 0; i < hidden; ++i) {
      const double is = float_of_bfloat16(outputs[token * hidden + i]);
      const double bound = kHalfUlp * std::abs(exact[i]) + (1 + kHalfUlp) * gamma * size[i];
      ++found.compared;
      if (std::abs(is - exact[i]) <= bound) continue;
      if (found.wrong == 0) {
        found.first_index = token * hidden + i;
        found.wanted = number(exact[i]);
        found.got = number(is);
        found.note = "combined token " + std::to_string(token) + " of rank " + std::to_string(rank);
      }
      ++found.wrong;
    }
  }
  return found;
}

void add_part(Verification& all, Verification&& part) {
  const std::uint64_t compared = all.compared + part.compared, wrong = all.wrong + part.wrong;
  if (all.wrong == 0 && part.wrong > 0) all = std::move(part);
  all.compared = compared;
  all.wrong = wrong;
}

}  // namespace collbench::moe
