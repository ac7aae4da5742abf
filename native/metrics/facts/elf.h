#pragma once
// Headers and symbol tables of ELF files, read without loading them.
#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/mapped_file.h"

namespace collbench::facts {

/// Headers and tables of a 64-bit ELF file. Entries behind the end of a damaged file are left out.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path);
  /// Returns why the file cannot be read as a 64-bit ELF file; "" = it can be read. If it cannot, segments()
  /// and sections() are empty.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const Elf64_Ehdr& header() const noexcept { return header_; }
  [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const noexcept { return segments_; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const noexcept { return sections_; }
  [[nodiscard]] const MappedFile& content() const noexcept { return content_; }

  /// Calls `use` with each symbol of all tables of this type and the offset of its name in the file, until
  /// `use` returns false.
  /// @param type SHT_SYMTAB or SHT_DYNSYM
  template <class Use>
  void for_symbols(std::uint32_t type, Use use) const {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != type || table.sh_link >= sections_.size()) continue;
      Elf64_Sym symbol;
      for (std::uint64_t at = 0; at + sizeof symbol <= table.sh_size; at += sizeof symbol) {
        if (!content_.get(table.sh_offset + at, symbol)) break;
        if (!use(symbol, sections_[table.sh_link].sh_offset + symbol.st_name)) return;
      }
    }
  }

 private:
  const MappedFile content_;
  std::string problem_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

/// Facts about a shared library, read from its file: whether this machine can load it, and what it exports.
struct ElfFacts {
  std::string problem;   // "" = a shared library for this kind of machine; otherwise why it is not
  std::string build_id;  // GNU build id in hex; "" = none
  std::vector<std::string> symbols;  // defined symbols that begin with "nccl" and end in "_vN", sorted
};
/// Reads the headers and tables of the file, not its code; of the symbols at most 256 (see
/// ElfFacts::symbols). Never throws: a file that is unreadable, or no shared library for this machine, gives
/// only a `problem`.
ElfFacts read_elf(const std::string& path);

}  // namespace collbench::facts
