#include "memory/setup.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "memory/note_store.hpp"

namespace plugins::memory {
namespace {

constexpr std::size_t max_note_characters = 100'000;
constexpr std::size_t max_tags = 20;
constexpr std::size_t max_tag_bytes = 100;

struct Settings {
  bool enabled = false;
  bool shared = false;
  std::int64_t max_notes = 0;
  std::int64_t max_bytes = 0;
  std::int64_t max_store_bytes = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("enabled", &Settings::enabled).default_value(false),
                      mcp::field("shared", &Settings::shared).default_value(false),
                      mcp::field("maxNotes", &Settings::max_notes).default_value(Limits().notes),
                      mcp::field("maxBytes", &Settings::max_bytes).default_value(Limits().bytes),
                      mcp::field("maxStoreBytes", &Settings::max_store_bytes).default_value(Limits().store_bytes)};
  }
};

struct Remembered {
  std::string text;
  std::optional<std::vector<std::string>> tags;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("text", &Remembered::text, "The note: a whole thought that can be understood alone")
            .min_length(1)
            .max_length(max_note_characters),
        mcp::field("tags", &Remembered::tags, "Words by which it can be found again").max_items(max_tags)};
  }
};

struct Wanted {
  std::string query;
  std::optional<std::vector<std::string>> tags;
  int limit = 10;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("query", &Wanted::query, "Words of the note. Left out: the newest notes").default_value(""),
        mcp::field("tags", &Wanted::tags, "Only notes that have all of these tags").max_items(max_tags),
        mcp::field("limit", &Wanted::limit, "At most so many notes").min(1).max(100).default_value(10)};
  }
};

struct FoundNote {
  std::int64_t id = 0;
  std::string uri;
  std::string text;
  std::vector<std::string> tags;
  std::string created;
};

struct FoundNotes {
  std::vector<FoundNote> notes;
};

struct Tags {
  std::vector<TagCount> tags;
};

// Between start and stop.
using SharedStore = std::shared_ptr<std::optional<NoteStore>>;
using Owner = std::function<std::string(const mcp::Context&)>;

Limits limits_of(const Settings& settings) {
  constexpr std::int64_t min_store_bytes = 1'048'576;
  if (settings.max_notes < 1) throw std::invalid_argument("maxNotes must be at least 1");
  if (settings.max_bytes < 1) throw std::invalid_argument("maxBytes must be at least 1");
  if (settings.max_store_bytes < min_store_bytes) {
    throw std::invalid_argument("maxStoreBytes must be at least " + std::to_string(min_store_bytes));
  }
  return {settings.max_notes, settings.max_bytes, settings.max_store_bytes};
}

// No principal can have the names of the other owners.
std::string owner_of(const mcp::Context& context) {
  const auto caller = context.caller();
  return caller.is_anonymous() ? "anonymous" : "principal " + caller.id;
}

std::string uri_of(std::int64_t id) {
  return "memory://notes/" + std::to_string(id);
}

FoundNote found_note(Note note) {
  return {note.id, uri_of(note.id), std::move(note.text), std::move(note.tags), std::move(note.created)};
}

std::vector<std::string> checked_tags(const std::optional<std::vector<std::string>>& given) {
  std::vector<std::string> tags;
  for (const auto& each : given.value_or(std::vector<std::string>())) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    if (each.empty() || each.size() > max_tag_bytes || std::any_of(each.begin(), each.end(), is_control)) {
      throw mcp::ToolError("\"" + each + "\" is no tag: a tag has 1 to " + std::to_string(max_tag_bytes) +
                           " bytes and no control characters");
    }
    tags.push_back(each);
  }
  return tags;
}

FoundNote remember(NoteStore& store, const std::string& owner, const Remembered& wanted) {
  if (wanted.text.find('\0') != std::string::npos) throw mcp::ToolError("A note has no NUL characters");
  try {
    return found_note(store.remember(owner, wanted.text, checked_tags(wanted.tags)));
  } catch (const StoreFull& error) {
    throw mcp::ToolError(error.what());
  }
}

FoundNotes recall(NoteStore& store, const std::string& owner, const Wanted& wanted) {
  FoundNotes found;
  for (auto& note : store.recall(owner, wanted.query, checked_tags(wanted.tags), wanted.limit))
    found.notes.push_back(found_note(std::move(note)));
  return found;
}

void register_changing(mcp::Plugin& plugin, const SharedStore& store, const Owner& owner) {
  plugin
      .tool("remember", "Keeps a note beyond this session. Keep one thought in each.",
            [store, owner](const Remembered& wanted, mcp::Context& context) {
              return remember(**store, owner(context), wanted);
            })
      .title("Remember")
      .destructive(false)
      .open_world(false);
  plugin
      .tool(
          "forget", "Removes a note for good.",
          [store, owner, &plugin](std::int64_t id, mcp::Context& context) {
            if (!(*store)->forget(owner(context), id)) throw mcp::ToolError("There is no note " + std::to_string(id));
            plugin.resource_updated(uri_of(id));
            return "Forgot the note " + std::to_string(id);
          },
          mcp::arg("id", "The id of the note").min(1))
      .title("Forget")
      .idempotent()
      .open_world(false);
}

void register_reading(mcp::Plugin& plugin, const SharedStore& store, const Owner& owner) {
  plugin
      .tool("recall", "Finds notes: the best first with a query, else the newest first.",
            [store, owner](const Wanted& wanted, mcp::Context& context) {
              return recall(**store, owner(context), wanted);
            })
      .title("Recall")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin
      .tool("list_tags", "Says which tags the notes have, and how many notes have each.",
            [store, owner](mcp::Context& context) { return Tags{(*store)->tags(owner(context))}; })
      .title("List tags")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin
      .resource_template("memory://notes/{id}", "note", "One of your notes by its id, as JSON",
                         [store, owner](std::int64_t id, mcp::Context& context) -> std::optional<FoundNote> {
                           auto note = (*store)->note(owner(context), id);
                           if (!note) return std::nullopt;
                           return found_note(*std::move(note));
                         })
      .title("Note")
      .mime_type("application/json");
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  const auto settings = plugin.config_as<Settings>();
  const auto limits = limits_of(settings);
  if (!settings.enabled) {
    return plugin.info(R"(keeps no notes. To have it, write a file memory.json beside the plugin: {"enabled": true})");
  }
  const auto store = std::make_shared<std::optional<NoteStore>>();
  const Owner owner = settings.shared ? Owner([](const mcp::Context&) { return "everybody"; }) : Owner(owner_of);
  register_changing(plugin, store, owner);
  register_reading(plugin, store, owner);
  plugin.instructions(
      std::string("Notes outlive the session. Recall what is known before asking the user, and remember what they tell "
                  "of lasting use.") +
      (settings.shared ? " The notes are shared by everybody who uses this server." : ""));
  plugin.on_start([&plugin, limits, store] { store->emplace(plugin.data_directory() + "/notes.db", limits); });
  plugin.on_stop([store] { store->reset(); });
}

}  // namespace plugins::memory
