#include "engines/nccl/fake/faults.h"

#include <charconv>
#include <sstream>
#include <vector>

namespace collbench::nccl_fake {

Faults parse_faults(const std::string& text, std::string& problem) {
  Faults faults;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::istringstream parts(word);
    std::string name, part;
    std::getline(parts, name, ':');
    std::vector<std::uint64_t> numbers;
    bool understood = true;
    while (std::getline(parts, part, ':')) {
      const auto [end, error] =
          std::from_chars(part.data(), part.data() + part.size(), numbers.emplace_back(0));
      understood = understood && error == std::errc() && end == part.data() + part.size();
    }
    if (name == "fallback" && numbers.empty())
      faults.fallback = true;
    else if (name == "detour" && numbers.empty())
      faults.detour = true;
    else if (name == "drop" && numbers.size() < 2)
      faults.drop_every = numbers.empty() ? 3 : numbers[0];
    else if (name == "bit-flip" && numbers.size() < 2)
      faults.flip_every = numbers.empty() ? 3 : numbers[0];
    else if (name == "async-error" && numbers.size() == 1)
      faults.async_error_from = numbers[0];
    else if (name == "hang" && numbers.size() == 2)
      faults.hang_rank = static_cast<int>(numbers[0]), faults.hang_operation = numbers[1];
    else if (name == "die" && numbers.size() == 2)
      faults.die_rank = static_cast<int>(numbers[0]), faults.die_operation = numbers[1];
    else
      understood = false;
    if (!understood) problem = word;
  }
  return faults;
}

}  // namespace collbench::nccl_fake
