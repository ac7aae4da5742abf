#include "agent/forensics/symbols.h"

#include <cxxabi.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

#include "metrics/facts/elf.h"
#include "metrics/inventory.h"

namespace collbench::agent {
namespace {

struct Mapping {
  std::uint64_t begin, end, offset;
  std::string path;
};

std::vector<Mapping> mappings_of(pid_t pid) {
  std::vector<Mapping> mappings;
  std::istringstream maps(metrics::read_small_file("/proc/" + std::to_string(pid) + "/maps"));
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, offset = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %llx %*s %*s %n", &begin, &end, &offset, &path_at) == 3)
      mappings.push_back(
          {begin, end, offset, path_at > 0 ? line.substr(static_cast<std::size_t>(path_at)) : ""});
  }
  return mappings;
}

/// Returns a C++ symbol as a readable name with its scopes, without arguments, because they are long and of
/// little use in a stack. Other names are returned unchanged.
std::string demangled(const std::string& name) {
  int status = -1;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = result.find(kAnonymous)) != std::string::npos;)
    result.erase(at, kAnonymous.size());
  const std::size_t call = result.find("operator()");
  return result.substr(0, result.find('(', call == std::string::npos ? 0 : call + 10));
}

/// Returns the function that contains the byte at `offset` of the file, and the distance from its begin:
/// "name+0x24"; "" if there is none, or the file is not a 64-bit ELF file.
std::string function_at(const facts::ElfFile& file, std::uint64_t offset) {
  std::uint64_t address = offset;
  for (const Elf64_Phdr& segment : file.segments())
    if (segment.p_type == PT_LOAD && offset >= segment.p_offset &&
        offset < segment.p_offset + segment.p_filesz)
      address = offset - segment.p_offset + segment.p_vaddr;
  std::string function;
  for (const std::uint32_t table : {SHT_SYMTAB, SHT_DYNSYM})
    file.for_symbols(table, [&](const Elf64_Sym& symbol, std::uint64_t name_at) {
      if (!function.empty()) return false;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address < symbol.st_value ||
          address >= symbol.st_value + symbol.st_size)
        return true;
      const std::string_view name = file.content().text_at(name_at);
      if (name.empty()) return true;
      char distance[32];
      std::snprintf(distance, sizeof distance, "+0x%llx",
                    static_cast<unsigned long long>(address - symbol.st_value));
      function = demangled(std::string(name)) + distance;
      return false;
    });
  return function;
}

}  // namespace

std::vector<std::string> fold_unnamed_frames(const std::vector<std::string>& names) {
  const auto library_of = [](const std::string& name) {
    const std::size_t offset = name.rfind("+0x");
    const std::string file = name.substr(0, offset);
    return offset == std::string::npos || file.find(".so") == std::string::npos ? "" : file;
  };
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < names.size();) {
    const std::string library = library_of(names[i]);
    std::size_t end = i + 1;
    while (!library.empty() && end < names.size() && library_of(names[end]) == library) ++end;
    shown.push_back(end - i < 3 ? names[i]
                                : library + " (" + std::to_string(end - i) + " frames without names)");
    i = end - i < 3 ? i + 1 : end;
  }
  return shown;
}

std::vector<std::string> symbolize(pid_t pid, const std::vector<std::uint64_t>& addresses) {
  const std::vector<Mapping> mappings = mappings_of(pid);
  std::map<std::string, facts::ElfFile> files;
  std::vector<std::string> names;
  for (const std::uint64_t address : addresses) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    names.emplace_back(text);
    for (const Mapping& mapping : mappings) {
      if (address < mapping.begin || address >= mapping.end) continue;
      if (mapping.path.empty() || mapping.path[0] != '/') {
        if (!mapping.path.empty()) names.back() = mapping.path;
        break;
      }
      const std::uint64_t offset = address - mapping.begin + mapping.offset;
      names.back() = function_at(files.try_emplace(mapping.path, mapping.path).first->second, offset);
      if (!names.back().empty()) break;
      std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset));
      names.back() = mapping.path.substr(mapping.path.rfind('/') + 1) + text;
      break;
    }
  }
  return fold_unnamed_frames(names);
}

std::vector<std::string> crash_stack(pid_t pid, const std::vector<std::uint64_t>& addresses,
                                     const std::string& crash) {
  std::vector<std::string> names = symbolize(pid, addresses);
  if (names.empty()) names.emplace_back("no frame can be read");
  const auto thread = static_cast<pid_t>(
      std::strtoull(crash.c_str() + std::min(crash.size(), kStackCrash.size()), nullptr, 16));
  syscall(SYS_tgkill, pid, thread, SIGUSR2);
  return names;
}

}  // namespace collbench::agent
