#include "metrics/facts/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

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
constexpr std::size_t kMaxSymbols = 256, kLongestName = 64;

/// A regular file mapped into memory. problem() says why it could not be mapped, "" = it is. Every access is
/// checked against the file's size, because the content is not trusted.
class Mapped {
 public:
  explicit Mapped(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
      problem_ = std::strerror(errno);
      return;
    }
    struct stat status{};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0) {
      problem_ = "it is no file with content";
    } else {
      void* memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory == MAP_FAILED) {
        problem_ = std::strerror(errno);
      } else {
        data_ = static_cast<const char*>(memory);
        size_ = static_cast<std::size_t>(status.st_size);
      }
    }
    close(fd);
  }
  ~Mapped() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  template <typename T>
  bool get(std::uint64_t offset, T& value) const {
    if (data_ == nullptr || offset > size_ || size_ - offset < sizeof value) return false;
    std::memcpy(&value, data_ + offset, sizeof value);
    return true;
  }
  /// Returns the zero-terminated text at `offset`; "" if it is longer than kLongestName or the file ends
  /// before.
  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (data_ == nullptr || offset >= size_) return "";
    const std::size_t most = std::min<std::uint64_t>(size_ - offset, kLongestName);
    const void* end = std::memchr(data_ + offset, 0, most);
    return end == nullptr ? "" : std::string(data_ + offset);
  }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::string problem_;
};

bool is_versioned(const std::string& name) {
  if (!name.starts_with("nccl")) return false;
  const auto mark = name.rfind("_v");
  return mark != std::string::npos && mark + 2 < name.size() &&
         name.find_first_not_of("0123456789", mark + 2) == std::string::npos;
}

void read_symbols(const Mapped& file, const Elf64_Shdr& table, const Elf64_Shdr& strings, ElfFacts& facts) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (facts.symbols.size() >= kMaxSymbols || !file.get(table.sh_offset + at, symbol)) return;
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    if (std::string name = file.text(strings.sh_offset + symbol.st_name); is_versioned(name))
      facts.symbols.push_back(std::move(name));
  }
}

void read_build_id(const Mapped& file, const Elf64_Shdr& note, ElfFacts& facts) {
  Elf64_Nhdr head;
  if (!file.get(note.sh_offset, head) || head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
      head.n_descsz > 64)
    return;
  std::vector<std::uint8_t> id(head.n_descsz);
  for (std::size_t i = 0; i < id.size(); ++i)
    if (!file.get(note.sh_offset + sizeof head + 4 + i, id[i])) return;
  facts.build_id = hex_of(id);
}

}  // namespace

ElfFacts read_elf(const std::string& path) {
  ElfFacts facts;
  const Mapped file(path);
  Elf64_Ehdr header;
  if (!file.problem().empty()) {
    facts.problem = file.problem();
  } else if (!file.get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    facts.problem = "it is no ELF file";
  } else if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
             (kMachine != EM_NONE && header.e_machine != kMachine)) {
    facts.problem = "it is for another kind of processor";
  } else if (header.e_type != ET_DYN) {
    facts.problem = "it is no shared library";
  }
  if (!facts.problem.empty()) return facts;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    if (header.e_shoff > UINT64_MAX / 2 || !file.get(header.e_shoff + i * sizeof section, section)) break;
    if (section.sh_type == SHT_NOTE && facts.build_id.empty()) read_build_id(file, section, facts);
    if (section.sh_type == SHT_DYNSYM && file.get(header.e_shoff + section.sh_link * sizeof strings, strings))
      read_symbols(file, section, strings, facts);
  }
  std::sort(facts.symbols.begin(), facts.symbols.end());
  return facts;
}

}  // namespace collbench::facts
