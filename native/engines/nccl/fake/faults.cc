#include "engines/nccl/fake/faults.h"

#include <cstdio>
#include <sstream>

namespace collbench::nccl_fake {

Faults parse_faults(const std::string& text, std::string& problem) {
  Faults faults;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    char name[16] = "";
    unsigned first = 3, second = 0;
    int end = 0;
    std::sscanf(word.c_str(), "%15[^:]%n:%u%n:%u%n", name, &end, &first, &end, &second, &end);
    const std::string fault = static_cast<std::size_t>(end) == word.size() ? name : "";
    if (fault == "fallback")
      faults.fallback = true;
    else if (fault == "detour")
      faults.detour = true;
    else if (fault == "drop")
      faults.drop_every = first;
    else if (fault == "bit-flip")
      faults.flip_every = first;
    else if (fault == "async-error")
      faults.async_error_from = first;
    else if (fault == "hang")
      faults.hang_rank = static_cast<int>(first), faults.hang_operation = second;
    else if (fault == "die")
      faults.die_rank = static_cast<int>(first), faults.die_operation = second;
    else
      problem = word;
  }
  return faults;
}

}  // namespace collbench::nccl_fake
