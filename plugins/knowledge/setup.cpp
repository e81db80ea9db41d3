#include "knowledge/setup.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "knowledge/document.hpp"
#include "knowledge/index_reader.hpp"
#include "knowledge/indexer.hpp"
#include "knowledge/settings.hpp"
#include "shared/folder_database.hpp"
#include "shared/text.hpp"

namespace plugins::knowledge {
namespace {

struct Query {
  std::string query;
  int limit = 10;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("query", &Query::query,
                   "Words, of which the last may be the beginning of one, of three letters or more. No operators")
            .min_length(1)
            .max_length(1000),
        mcp::field("limit", &Query::limit, "At most so many documents").min(1).max(50).default_value(10)};
  }
};

struct FoundDocument {
  std::string id;
  std::string uri;
  std::string title;
  std::string snippet;
};

struct Found {
  std::vector<FoundDocument> results;
  std::int64_t documents = 0;
  bool indexing = false;
  static constexpr auto fields() {
    return std::tuple{mcp::field("results", &Found::results, "The best first"),
                      mcp::field("documents", &Found::documents, "How many there are"),
                      mcp::field("indexing", &Found::indexing, "Some cannot be found yet")};
  }
};

// A small folder is in the index, and its documents are listed, before a client can ask. Others are served meanwhile.
constexpr std::chrono::milliseconds start{500};
constexpr std::chrono::seconds first_look{2};

// What is there between start and stop.
class Service {
 public:
  Service(mcp::Plugin& plugin, const Settings& settings)
      : directory_(settings.folder, Resolution::stepwise),
        max_file_bytes_(settings.max_file_bytes),
        file_(database_of_folder(plugin.data_directory(), "index", settings.folder)),
        reader_(file_),
        indexer_(plugin, settings, file_, reader_, [this](const std::string& id) { return read(id); }) {
    remove_other_databases(plugin.data_directory(), "index", file_);
    indexer_.wait_for_first_look(start);
  }

  mcp::ToolResult search(const Query& query) {
    indexer_.wait_for_first_look(first_look);
    Found found{{}, indexer_.documents(), indexer_.is_indexing()};
    std::string text;
    mcp::Contents links;
    for (auto& hit : hits(query)) {
      const auto uri = uri_of(hit.path);
      text += std::to_string(links.size() + 1) + ". " + hit.title + " (" + uri + ")\n   " + hit.snippet + '\n';
      const auto kind = kind_of(RelativePath::parse(hit.path).value_or(RelativePath()));
      links.push_back(mcp::resource_link(uri, hit.path, {}, mime_type_of(kind.value_or(Kind::text))).title(hit.title));
      found.results.push_back({std::move(hit.path), uri, std::move(hit.title), std::move(hit.snippet)});
    }
    if (links.empty()) text = "No document has these words.";
    if (const auto error = directory_.why_unreadable()) {
      text += "\nThe folder of the documents, " + directory_.path() + ", " + error->what() +
              ". What was known of it before can be found.";
    }
    if (found.indexing) text += "\nThe documents are still being indexed; search again later for more.";
    mcp::ToolResult result;
    result.text(text).structured(found);
    for (const auto& link : links)
      result.content(link);
    return result;
  }

  // A PDF as its text, everything else as it is.
  std::optional<mcp::ResourceContent> read(const std::string& id) {
    const auto path = RelativePath::parse(id);
    const auto kind = path ? kind_of(*path) : std::nullopt;
    if (!kind) return std::nullopt;
    try {
      if (kind == Kind::pdf) {
        auto text = reader_.text(path->text());
        if (!text) return std::nullopt;
        return mcp::text_resource(*text, mime_type_of(*kind));
      }
      const auto content = directory_.read(*path, max_file_bytes_);
      if (!is_text(content)) throw FileError(EILSEQ, "is not UTF-8 text");
      return mcp::text_resource(content, mime_type_of(*kind));
    } catch (const FileError& error) {
      if (error.is_not_found() || error.is_not_a_folder()) return std::nullopt;
      throw mcp::ProtocolError(mcp::invalid_params, '"' + id + "\" " + error.what());
    }
  }

  std::vector<std::string> ids(std::string_view typed) {
    return reader_.paths_that_begin_with(std::string(typed), 100);
  }

 private:
  std::vector<Hit> hits(const Query& query) {
    try {
      return reader_.search(query.query, static_cast<std::size_t>(query.limit));
    } catch (const SearchTooLong& error) {
      throw mcp::ToolError(error.what());
    }
  }

  const RootedDirectory directory_;  // follows no links: they could lead to what is left out
  const std::uint64_t max_file_bytes_;
  const std::string file_;
  IndexReader reader_;
  Indexer indexer_;  // last, because it uses the others
};

constexpr auto how_to_configure =
    "offers nothing, because no folder is configured. Write a file knowledge.json beside the plugin, such as "
    R"({"folder": "/absolute/path/of/a/folder"})";

}  // namespace

void setup(mcp::Plugin& plugin) {
  const auto settings = settings_of(plugin);
  if (!settings) return plugin.info(how_to_configure);
  const auto service = std::make_shared<std::optional<Service>>();
  plugin
      .tool("search_knowledge", "Searches the documents of this server, and links to the best.",
            [service](const Query& query) { return (*service)->search(query); })
      .title("Search the documents")
      .read_only()
      .idempotent()
      .open_world(false)
      .output<Found>();
  plugin
      .resource_template("knowledge://{+id}", "document", "A document by its id, which search_knowledge tells",
                         [service](const std::string& id) { return (*service)->read(id); })
      .title("Document")
      .complete("id", [service](std::string_view typed) { return (*service)->ids(typed); });
  plugin.instructions(
      "Search the documents with search_knowledge before you answer from memory, and read what it links to.");
  plugin.on_start([&plugin, settings, service] { service->emplace(plugin, *settings); });
  plugin.on_stop([service] { service->reset(); });
}

}  // namespace plugins::knowledge
