#include "measure/arrival_skew.h"

#include <charconv>
#include <string>
#include <system_error>

#include "core/error.h"
#include "measure/generated/longest_skew.h"

namespace collbench {
namespace {

/// Mixes the bits of a number (splitmix64 by Steele, Lea, Flood, 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Parses the whole text as a number that is not negative. @returns -1 if it is none
std::int64_t number_in(std::string_view text) noexcept {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : -1;
}

std::int64_t unit_ns(std::string_view unit) noexcept {
  if (unit == "ns") return 1;
  if (unit == "us") return 1'000;
  return unit == "ms" ? 1'000'000 : 0;
}

}  // namespace

std::int64_t ArrivalSkew::delay_ns(std::uint64_t seed, std::uint64_t iteration, int of_rank,
                                   int of_ranks) const noexcept {
  switch (ranks) {
    case Ranks::kSpread:
      return time_ns * of_rank / (of_ranks - 1);
    case Ranks::kRandom: {
      const std::uint64_t drawn = mixed(mixed(seed) ^ iteration) % static_cast<std::uint64_t>(of_ranks);
      return static_cast<std::uint64_t>(of_rank) == drawn ? time_ns : 0;
    }
    case Ranks::kOne:
      break;
  }
  return of_rank == rank ? time_ns : 0;
}

ArrivalSkew parse_arrival_skew(std::string_view text, int ranks) {
  const auto colon = text.find(':');
  const std::string_view time = text.substr(0, colon);
  const std::string_view who = colon == std::string_view::npos ? "0" : text.substr(colon + 1);
  ArrivalSkew skew;
  const std::string_view unit = time.substr(time.size() < 2 ? 0 : time.size() - 2);
  const std::int64_t count = number_in(time.substr(0, time.size() - unit.size()));
  const bool is_short = count >= 0 && count <= kLongestSkewNs;
  skew.time_ns = is_short ? count * unit_ns(unit) : 0;
  if (who == "all") {
    skew.ranks = ArrivalSkew::Ranks::kSpread;
  } else if (who == "random") {
    skew.ranks = ArrivalSkew::Ranks::kRandom;
  } else {
    const std::int64_t rank = number_in(who);
    skew.rank = rank < ranks ? static_cast<int>(rank) : -1;
  }
  if (skew.time_ns <= 0 || skew.time_ns > kLongestSkewNs || skew.rank < 0 || ranks < 2)
    throw Error(ErrorCode::kInvalidArgument,
                "skew '" + std::string(text) + "' of " + std::to_string(ranks) + " ranks: 1ns to " +
                    std::to_string(kLongestSkewNs / 1'000'000) + "ms, and one of at least two ranks");
  return skew;
}

}  // namespace collbench
