#include "metrics/facts/elf.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/text.h"

namespace collbench::facts {
namespace {

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_NONE;  // this machine type is not compared
#endif
constexpr const char* kOtherProcessor = "it is for another kind of processor";
constexpr std::size_t kMaxSymbols = 256, kLongestName = 64;

/// Returns the `count` entries of the table at `offset` of the file; only the first ones if the file ends
/// within the table.
template <class Entry>
std::vector<Entry> entries_of(const MappedFile& file, std::uint64_t offset, unsigned count) {
  std::vector<Entry> entries;
  Entry entry;
  for (unsigned i = 0; i < count && offset <= UINT64_MAX / 2; ++i) {
    if (!file.get(offset + i * sizeof entry, entry)) break;
    entries.push_back(entry);
  }
  return entries;
}

bool is_versioned(std::string_view name) {
  if (!name.starts_with("nccl") || name.size() >= kLongestName) return false;
  const auto mark = name.rfind("_v");
  return mark != std::string_view::npos && mark + 2 < name.size() &&
         name.find_first_not_of("0123456789", mark + 2) == std::string_view::npos;
}

std::string build_id_in(const MappedFile& file, const Elf64_Shdr& note) {
  Elf64_Nhdr head;
  if (!file.get(note.sh_offset, head) || head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
      head.n_descsz > 64)
    return "";
  std::vector<std::uint8_t> id(head.n_descsz);
  for (std::size_t i = 0; i < id.size(); ++i)
    if (!file.get(note.sh_offset + sizeof head + 4 + i, id[i])) return "";
  return hex_of(id);
}

}  // namespace

ElfFile::ElfFile(const std::string& path) : content_(path), problem_(content_.problem()) {
  if (!problem_.empty()) return;
  if (!content_.get(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0)
    problem_ = "it is no ELF file";
  else if (header_.e_ident[EI_CLASS] != ELFCLASS64)
    problem_ = kOtherProcessor;
  if (!problem_.empty()) return;
  segments_ = entries_of<Elf64_Phdr>(content_, header_.e_phoff, header_.e_phnum);
  sections_ = entries_of<Elf64_Shdr>(content_, header_.e_shoff, header_.e_shnum);
}

ElfFacts read_elf(const std::string& path) {
  ElfFacts facts;
  const ElfFile file(path);
  facts.problem = file.problem();
  if (facts.problem.empty() && kMachine != EM_NONE && file.header().e_machine != kMachine)
    facts.problem = kOtherProcessor;
  if (facts.problem.empty() && file.header().e_type != ET_DYN) facts.problem = "it is no shared library";
  if (!facts.problem.empty()) return facts;
  for (const Elf64_Shdr& section : file.sections())
    if (section.sh_type == SHT_NOTE && facts.build_id.empty())
      facts.build_id = build_id_in(file.content(), section);
  file.for_symbols(SHT_DYNSYM, [&](const Elf64_Sym& symbol, std::uint64_t name_at) {
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
      if (const std::string_view name = file.content().text_at(name_at); is_versioned(name))
        facts.symbols.emplace_back(name);
    return facts.symbols.size() < kMaxSymbols;
  });
  std::sort(facts.symbols.begin(), facts.symbols.end());
  return facts;
}

}  // namespace collbench::facts
