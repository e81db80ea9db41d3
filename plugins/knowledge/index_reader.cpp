#include "knowledge/index_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <sys/stat.h>
#include <utility>

#include "shared/search_words.hpp"

namespace plugins::knowledge {
namespace {

using Clock = std::chrono::steady_clock;

// Of so many documents that match, the oldest in the index, the best are found: to rank all that have a common word
// would take a tenth of a second of each 100,000 documents.
constexpr int max_ranked = 3000;

// A word that is in the title says more than one in the path, and that more than one in the text.
constexpr auto rank_sql = R"(
SELECT id FROM (SELECT rowid AS id, bm25(texts, 8.0, 4.0, 1.0) AS score FROM texts WHERE texts MATCH ?1 LIMIT ?2)
ORDER BY score LIMIT ?3)";
constexpr auto count_sql = "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ?1 LIMIT ?2)";
constexpr auto show_sql = R"(
SELECT documents.path, documents.title, snippet(texts, 2, '**', '**', ' … ', 32)
FROM texts JOIN documents ON documents.id = texts.rowid WHERE texts MATCH ?1 AND texts.rowid = ?2)";

// How often words that are in most documents are left out once something has been found.
constexpr int max_rounds = 4;
// Shorter beginnings match most of the words that there are.
constexpr std::size_t min_prefix_bytes = 3;
constexpr int steps_between_looks = 100;

}  // namespace

class IndexReader::Connection {
 public:
  // The number comes first: if the file is replaced meanwhile, it is that of the old one, and this is not used again.
  explicit Connection(const std::string& file)
      : number_(number_of(file)),
        database_(file),
        rank_(database_.prepare(rank_sql)),
        count_(database_.prepare(count_sql)),
        show_(database_.prepare(show_sql)) {
    database_.execute("PRAGMA query_only = 1");
    sqlite3_progress_handler(database_.handle(), steps_between_looks, is_late, this);
  }

  const sqlite::Database& database() const { return database_; }
  bool leads_to(const std::string& file) const { return number_ == number_of(file); }

  // What has been found when the time is over, if that is something.
  std::vector<Hit> search(std::string_view query, std::size_t limit, std::chrono::milliseconds time) {
    hits_.clear();
    seen_.clear();
    end_ = Clock::now() + time;
    try {
      find(search_words(query), limit);
    } catch (const sqlite::Error& error) {
      end_ = Clock::time_point::max();
      if (!error.is_interrupted()) throw;
      if (hits_.empty()) {
        throw SearchTooLong("The search took longer than " + std::to_string(time.count()) +
                            " ms. Search for fewer words, or for rarer ones");
      }
    }
    end_ = Clock::time_point::max();
    return std::move(hits_);
  }

 private:
  static int is_late(void* given) { return Clock::now() >= static_cast<Connection*>(given)->end_ ? 1 : 0; }

  void find(std::vector<std::string> words, std::size_t limit) {
    if (words.empty()) return;
    add(all_of(words), limit);
    if (hits_.size() < limit && words.back().size() >= min_prefix_bytes) add(all_of(words, LastWord::prefix), limit);
    if (hits_.size() < limit && words.size() > 1) add_with_fewer(std::move(words), limit);
  }

  // Which file has a name now. The number of one that is still open is given to no other.
  struct FileNumber {
    dev_t device = 0;
    ino_t file = 0;

    bool operator==(const FileNumber&) const = default;
  };

  static FileNumber number_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {status.st_dev, status.st_ino};
  }

  void add(const std::string& expression, std::size_t limit) {
    std::vector<std::int64_t> ids;
    rank_.with(expression, max_ranked, static_cast<std::int64_t>(limit));
    while (rank_.step())
      ids.push_back(rank_.integer(0));
    rank_.reset();
    for (const auto id : ids) {
      if (hits_.size() == limit) return;
      if (std::find(seen_.begin(), seen_.end(), id) != seen_.end()) continue;
      seen_.push_back(id);
      show_.with(expression, id);
      // Not if it has been removed since.
      if (show_.step()) hits_.push_back({show_.string(0), show_.string(1), one_line(show_.text(2))});
      show_.reset();
    }
  }

  // Without the words that no document has, then without the commonest one, then the next.
  void add_with_fewer(std::vector<std::string> words, std::size_t limit) {
    std::vector<std::pair<std::int64_t, std::string>> by_count;
    for (auto& word : words) {
      count_.with(all_of({word}), max_ranked);
      const auto count = count_.step() ? count_.integer(0) : 0;
      count_.reset();
      if (count > 0) by_count.emplace_back(count, std::move(word));
    }
    std::stable_sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> rarest;
    rarest.reserve(by_count.size());
    for (auto& [count, word] : by_count)
      rarest.push_back(std::move(word));
    if (rarest.size() == words.size()) rarest.pop_back();  // with all of them has been asked for
    for (int round = 0; !rarest.empty() && hits_.size() < limit && (round < max_rounds || hits_.empty()); ++round) {
      add(all_of(rarest), limit);
      rarest.pop_back();
    }
  }

  static std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
      const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      if (!is_space) {
        line += c;
      } else if (!line.empty() && line.back() != ' ') {
        line += ' ';
      }
    }
    return line;
  }

  const FileNumber number_;
  sqlite::Database database_;
  sqlite::Statement rank_;
  sqlite::Statement count_;
  sqlite::Statement show_;
  std::vector<Hit> hits_;
  std::vector<std::int64_t> seen_;
  Clock::time_point end_ = Clock::time_point::max();  // of a search
};

class IndexReader::Lease {
 public:
  explicit Lease(IndexReader& reader) : reader_(reader) {
    {
      const MutexLock lock(reader.mutex_);
      if (!reader.idle_.empty()) {
        connection_ = std::move(reader.idle_.back());
        reader.idle_.pop_back();
      }
    }
    if (connection_ && !connection_->leads_to(reader.file_)) {
      connection_.reset();
      reader.forget_idle();
    }
    if (!connection_) connection_ = std::make_unique<Connection>(reader.file_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    const MutexLock lock(reader_.mutex_);
    reader_.idle_.push_back(std::move(connection_));
  }

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  IndexReader& reader_;
  std::unique_ptr<Connection> connection_;
};

IndexReader::IndexReader(std::string file, std::chrono::milliseconds search_time)
    : file_(std::move(file)), search_time_(search_time) {}

IndexReader::~IndexReader() = default;

std::vector<Hit> IndexReader::search(std::string_view query, std::size_t limit) {
  return Lease(*this)->search(query, limit, search_time_);
}

std::optional<std::string> IndexReader::text(const std::string& path) {
  const Lease connection(*this);
  auto row = connection->database().prepare(
      "SELECT body FROM documents JOIN texts ON texts.rowid = documents.id WHERE documents.path = ? AND problem IS "
      "NULL");
  row.with(path);
  if (!row.step()) return std::nullopt;
  return row.string(0);
}

std::int64_t IndexReader::count_documents() {
  return Lease(*this)->database().integer("SELECT count(*) FROM documents WHERE problem IS NULL");
}

std::vector<ListedDocument> IndexReader::list(std::size_t max) {
  const Lease connection(*this);
  auto rows = connection->database().prepare(
      "SELECT path, title, size, modified FROM documents WHERE problem IS NULL ORDER BY path LIMIT ?");
  rows.with(static_cast<std::int64_t>(max + 1));
  std::vector<ListedDocument> documents;
  while (rows.step())
    documents.push_back({rows.string(0), rows.string(1), {rows.integer(2), rows.integer(3)}});
  if (documents.size() > max) documents.clear();
  return documents;
}

std::vector<std::string> IndexReader::paths_that_begin_with(const std::string& typed, std::size_t limit) {
  const Lease connection(*this);
  auto rows = connection->database().prepare(
      "SELECT path FROM documents WHERE path >= ?1 AND path < ?1 || char(1114111) AND problem IS NULL LIMIT ?2");
  rows.with(typed, static_cast<std::int64_t>(limit));
  std::vector<std::string> paths;
  while (rows.step())
    paths.push_back(rows.string(0));
  return paths;
}

std::optional<std::vector<std::string>> IndexReader::news() {
  const bool is_other = !watching_ || !watching_->leads_to(file_);
  if (is_other) watching_ = std::make_unique<Connection>(file_);
  const auto& database = watching_->database();
  const auto version = database.integer("PRAGMA data_version");
  if (!is_other && version == version_) return std::nullopt;
  version_ = version;
  // Before what is told is read: what comes in between is told twice, and not never.
  const auto last_id = database.integer("SELECT coalesce(max(id), 0) FROM documents");
  const auto last_removed = database.integer("SELECT coalesce(max(id), 0) FROM removed");
  std::vector<std::string> paths;
  if (!is_other) {
    auto rows = database.prepare(
        "SELECT path FROM documents WHERE id > ? UNION SELECT path FROM removed WHERE id > ? ORDER BY path");
    rows.with(last_id_, last_removed_);
    while (rows.step())
      paths.push_back(rows.string(0));
  }
  last_id_ = last_id;
  last_removed_ = last_removed;
  return paths;
}

void IndexReader::forget_idle() {
  const MutexLock lock(mutex_);
  idle_.clear();
}

}  // namespace plugins::knowledge
