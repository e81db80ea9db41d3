// Notes in SQLite. The file is in the plugin's data directory, which outlives versions of the plugin, and the host.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

struct Note {
  std::int64_t id;
  std::string text;
};

// One connection, which several threads may use: SQLite lets one after the other.
class Notes {
 public:
  explicit Notes(const std::filesystem::path& file) {
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
    database_.reset(opened);
    check(status);
    // While a new version of the plugin takes over, both have the file open, and one waits for the other.
    sqlite3_busy_timeout(opened, 5000);
    run("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  }

  Note add(const std::string& text) {
    return run("INSERT INTO notes (text) VALUES (?) RETURNING id, text", text).at(0);
  }

  std::vector<Note> find(const std::string& text) {
    return run("SELECT id, text FROM notes WHERE instr(lower(text), lower(?)) ORDER BY id DESC LIMIT 50", text);
  }

 private:
  // What a caller says takes the place of "?", and is never part of the SQL.
  std::vector<Note> run(const char* sql, const std::optional<std::string>& text = {}) {
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, nullptr));
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared, sqlite3_finalize);
    if (text) check(sqlite3_bind_text64(prepared, 1, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8));
    std::vector<Note> notes;
    int status = sqlite3_step(prepared);
    for (; status == SQLITE_ROW; status = sqlite3_step(prepared)) {
      const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(prepared, 1));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(prepared, 1));
      notes.push_back({sqlite3_column_int64(prepared, 0), std::string(bytes, size)});
    }
    check(status);
    return notes;
  }

  static void check(int status) {
    if (status != SQLITE_OK && status != SQLITE_DONE)
      throw std::runtime_error(std::string("The notes cannot be used: ") + sqlite3_errstr(status));
  }

  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_{nullptr, sqlite3_close};
};

static void setup(mcp::Plugin& plugin) {
  const auto notes = std::make_shared<std::optional<Notes>>();
  // Not in setup itself, which runs also where somebody only looks at what the plugin exports.
  plugin.on_start([&plugin, notes] { notes->emplace(std::filesystem::path(plugin.data_directory()) / "notes.db"); });
  plugin.on_stop([notes] { notes->reset(); });

  plugin
      .tool(
          "add_note", "Keeps a note.", [notes](const std::string& text) { return notes->value().add(text); },
          mcp::arg("text", "The note").min_length(1).max_length(10'000))
      .destructive(false);
  plugin
      .tool(
          "find_notes", "Finds the notes that have a text in them, the newest first.",
          [notes](const std::string& text) { return notes->value().find(text); }, mcp::arg("text", "The text"))
      .read_only();
}

MCP_PLUGIN("notes", "1.0.0", setup)
