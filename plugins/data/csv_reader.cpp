#include "data/csv_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "shared/file_error.hpp"

namespace plugins::data {
namespace {

constexpr std::size_t buffer_bytes = 262'144;

}  // namespace

CsvReader::CsvReader(const Descriptor& file, char delimiter)
    : file_(file), delimiter_(delimiter), buffer_(buffer_bytes, '\0') {
  skip_mark();
}

bool CsvReader::next() {
  record_.clear();
  ends_.clear();
  fields_.clear();
  has_quotes_ = false;
  line_ = next_line_;
  if (!has_more()) return false;
  do {
    if (ends_.size() == max_fields)
      throw CsvError(line_, "there are more than " + std::to_string(max_fields) + " fields");
    if (has_more() && buffer_[at_] == '"') {
      take_quoted();
    } else {
      take_plain();
    }
    ends_.push_back(record_.size());
  } while (take_separator());
  std::size_t begin = 0;
  for (const auto end : ends_) {
    fields_.push_back(std::string_view(record_).substr(begin, end - begin));
    begin = end;
  }
  return true;
}

bool CsvReader::fill() {
  for (;;) {
    const auto size = ::read(file_.get(), buffer_.data(), buffer_.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw FileError(errno);
    at_ = 0;
    size_ = static_cast<std::size_t>(size);
    bytes_read_ += size_;
    return size > 0;
  }
}

void CsvReader::skip_mark() {
  if (!has_more()) return;
  const std::string_view begin = std::string_view(buffer_).substr(0, size_);
  if (begin.starts_with("\xEF\xBB\xBF")) at_ = 3;
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF")) {
    throw CsvError(1, "the file is UTF-16: save it as UTF-8");
  }
}

void CsvReader::take_plain() {
  while (has_more()) {
    const char* const begin = buffer_.data() + at_;
    const char* const end = buffer_.data() + size_;
    const char* const found =
        std::find_if(begin, end, [this](char c) { return c == delimiter_ || c == '\n' || c == '\r'; });
    append({begin, static_cast<std::size_t>(found - begin)});
    at_ += static_cast<std::size_t>(found - begin);
    if (found != end) return;
  }
}

void CsvReader::take_quoted() {
  const auto first_line = next_line_;
  has_quotes_ = true;
  ++at_;
  for (;;) {
    if (!has_more()) throw CsvError(first_line, "a field in quotes has no end");
    const char* const begin = buffer_.data() + at_;
    const auto* const quote = static_cast<const char*>(std::memchr(begin, '"', size_ - at_));
    const std::size_t size = quote != nullptr ? static_cast<std::size_t>(quote - begin) : size_ - at_;
    append({begin, size});
    next_line_ += std::count(begin, begin + size, '\n');
    at_ += size;
    if (quote == nullptr) continue;
    ++at_;
    if (!has_more() || buffer_[at_] != '"') return;
    append("\"");
    ++at_;
  }
}

bool CsvReader::take_separator() {
  if (!has_more()) return false;
  const char c = buffer_[at_];
  if (c != delimiter_ && c != '\n' && c != '\r') {
    throw CsvError(next_line_, "a field in quotes goes on behind them: write \"\" for a quote inside of it");
  }
  ++at_;
  if (c == delimiter_) return true;
  if (c == '\r' && has_more() && buffer_[at_] == '\n') ++at_;
  ++next_line_;
  return false;
}

void CsvReader::append(std::string_view text) {
  if (record_.size() + text.size() > max_record_bytes) {
    throw CsvError(line_,
                   "the record is longer than " + std::to_string(max_record_bytes) + " bytes: a quote may be missing");
  }
  record_.append(text);
}

}  // namespace plugins::data
