// fuzz.mutate [N [SEED [FORMAT...]]]: reads N mutations of valid files of each format. Each must be read or be refused
// by a tt::Error, and neither may take more memory than its size allows. The same seed makes the same files.
#include "readers.hpp"

#include <malloc.h>

#include <cstdio>
#include <new>
#include <random>

namespace {

/// Bytes of operator new that are in use, and the most there were.
std::size_t in_use = 0, most = 0;

void* counted(std::size_t size) {
  void* block = std::malloc(size ? size : 1);
  if (!block) throw std::bad_alloc();
  in_use += malloc_usable_size(block);
  most = std::max(most, in_use);
  return block;
}
void uncounted(void* block) {
  if (block) in_use -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {  // what std::stable_sort takes
  try {
    return counted(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { uncounted(block); }
void operator delete(void* block, std::size_t) noexcept { uncounted(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { uncounted(block); }

// Under AddressSanitizer blocks of the tensors are not pooled: a block past this is reported by it.
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=64"; }

namespace {

using fuzz::bytes;
using random_engine = std::mt19937_64;

std::size_t below(random_engine& random, std::size_t n) { return n ? random() % n : 0; }

/// Numbers at which sizes go wrong, and words that mean something to a reader.
constexpr std::uint64_t numbers[] = {0,
                                     1,
                                     2,
                                     0x7F,
                                     0x80,
                                     0xFF,
                                     0x7FFF,
                                     0xFFFF,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     0x7FFFFFFFFFFFFFFF,
                                     0x8000000000000000,
                                     0xFFFFFFFFFFFFFFFF,
                                     0xFFFFFFFFFFFFFFF8};
constexpr const char* words[] = {"4294967296",
                                 "9223372036854775807",
                                 "9223372036854775808",
                                 "18446744073709551615",
                                 "0",
                                 "-1",
                                 "1e9",
                                 "(",
                                 ")",
                                 "[",
                                 "]",
                                 "{",
                                 "}",
                                 ",",
                                 ":",
                                 "'",
                                 "\"",
                                 "\\",
                                 "True",
                                 "False",
                                 "'descr'",
                                 "'|O'",
                                 "'<f8'",
                                 "'>c16'",
                                 "\"shape\"",
                                 "\"data_offsets\"",
                                 "\"F64\"",
                                 "\\ud800",
                                 "__import__('os')",
                                 "PK\x01\x02",
                                 "PK\x03\x04",
                                 "PK\x05\x06",
                                 "\x93NUMPY",
                                 "    "};

void mutate(bytes& file, const std::vector<bytes>& seeds, random_engine& random) {
  const std::size_t n = file.size(), at = below(random, n + 1);
  const auto begin = file.begin();
  const auto position = [&](std::size_t i) { return begin + std::ptrdiff_t(i); };
  switch (below(random, 10)) {
    case 0:
      if (n) file[below(random, n)] ^= std::uint8_t(1u << below(random, 8));
      break;
    case 1:
      if (n) file[below(random, n)] = std::uint8_t(random());
      break;
    case 2: file.resize(at); break;
    case 3: file.erase(position(at), position(std::min(n, at + 1 + below(random, 8)))); break;
    case 4: file.insert(position(at), 1 + below(random, 8), std::uint8_t(random())); break;
    case 5: {  // a number over what stands there, in either byte order
      const std::size_t size = std::size_t(1) << below(random, 4);
      const std::uint64_t value = numbers[below(random, std::size(numbers))];
      const bool big = below(random, 2);
      for (std::size_t i = 0; i < size && at + i < n; ++i)
        file[at + i] = std::uint8_t(value >> (8 * (big ? size - 1 - i : i)));
      break;
    }
    case 6:
    case 7: {  // a word, inserted or over what stands there
      const std::string word = words[below(random, std::size(words))];
      if (below(random, 2)) file.insert(position(at), word.begin(), word.end());
      else
        for (std::size_t i = 0; i < word.size() && at + i < n; ++i) file[at + i] = std::uint8_t(word[i]);
      break;
    }
    case 8: {  // a piece of the file again, elsewhere
      const std::size_t from = below(random, n + 1), length = std::min(n - from, below(random, 64));
      const bytes piece(position(from), position(from + length));
      file.insert(position(at), piece.begin(), piece.end());
      break;
    }
    default: {  // the end of another file
      const bytes& other = seeds[below(random, seeds.size())];
      file.resize(at);
      file.insert(file.end(), other.begin() + std::ptrdiff_t(below(random, other.size() + 1)), other.end());
    }
  }
}

/// Empty, or what is wrong with the reader.
std::string fault(const fuzz::reader& reader, const bytes& file, bool& was_read) {
  const std::size_t before = in_use;
  const std::ptrdiff_t tensors = tt::memory_allocated();
  most = in_use;
  tt::reset_peak_memory_stats();
  try {
    reader.read(file);
    was_read = true;
  } catch (const tt::Error&) {
  } catch (const std::exception& e) {
    return std::string("it throws what is no tt::Error: ") + e.what();
  }
  if (in_use != before || tt::memory_allocated() != tensors) return "it leaks";
  const std::size_t taken = most - before + std::size_t(tt::max_memory_allocated() - tensors);
  if (taken > reader.allowance(file.size())) return "it takes " + std::to_string(taken) + " bytes";
  return "";
}

int run(const fuzz::reader& reader, std::size_t count, std::uint64_t seed) {
  const std::vector<bytes> seeds = reader.seeds();
  for (const bytes& file : seeds) reader.read(file);  // throws if a seed is not valid
  random_engine random(seed);
  std::size_t were_read = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bytes file = seeds[below(random, seeds.size())];
    for (std::size_t rounds = 1 + below(random, 4); rounds > 0; --rounds) mutate(file, seeds, random);
    bool was_read = false;
    if (const std::string wrong = fault(reader, file, was_read); !wrong.empty()) {
      files::write("fuzz-failure", file);
      std::printf("%s, mutation %zu of seed %llu: %s (%zu bytes, kept in fuzz-failure)\n", reader.name, i,
                  static_cast<unsigned long long>(seed), wrong.c_str(), file.size());
      return 1;
    }
    were_read += was_read;
  }
  std::printf("%s: %zu mutations, %zu read, %zu refused\n", reader.name, count, were_read, count - were_read);
  return 0;
}

}  // namespace

int main(int count, char** word) {
  const std::size_t n = count > 1 ? std::stoull(word[1]) : 3000;
  const std::uint64_t seed = count > 2 ? std::stoull(word[2]) : 1;
  int failed = 0;
  for (const fuzz::reader& reader : fuzz::readers) {
    bool wanted = count <= 3;
    for (int i = 3; i < count; ++i) wanted |= std::string(word[i]) == reader.name;
    if (wanted) failed |= run(reader, n, seed);
  }
  return failed;
}
