#include "files/setup.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "files/file_access.hpp"
#include "files/file_content_type.hpp"
#include "files/path_completion.hpp"
#include "files/settings.hpp"
#include "files/text_encoding.hpp"
#include "shared/folder_watch.hpp"

namespace plugins::files {
namespace {

using SharedAccess = std::shared_ptr<const FileAccess>;

constexpr std::string_view path_help = "Absolute, or from the name of a root: \"docs/guide.md\"";

struct ReadQuery {
  std::string path;
  std::optional<int> first_line;
  std::optional<int> line_count;
  std::optional<Encoding> encoding;
  std::optional<std::int64_t> max_size;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("path", &ReadQuery::path, path_help).min_length(1),
        mcp::field("first_line", &ReadQuery::first_line, "Of a text: begin with this line, counted from 1").min(1),
        mcp::field("line_count", &ReadQuery::line_count, "Of a text: at most this many lines").min(1),
        mcp::field(
            "encoding", &ReadQuery::encoding,
            "How the bytes are a text; base64: they are none. Left out: UTF-8, or an image, audio or other bytes"),
        mcp::field("max_size", &ReadQuery::max_size, "Refuse a file of more bytes").min(1)};
  }
};

struct WriteOrder {
  std::string path;
  std::string content;
  bool create_folders = false;
  bool append = false;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("path", &WriteOrder::path, path_help).min_length(1),
        mcp::field("content", &WriteOrder::content, "The whole text of the file, or what to add to it"),
        mcp::field("create_folders", &WriteOrder::create_folders, "Make the folders that are missing above the file")
            .default_value(false),
        mcp::field("append", &WriteOrder::append, "Add the text to the end of what is there").default_value(false)};
  }
};

// Throws PathError if the text ends before the first line that is asked for.
std::string_view selected_lines(std::string_view text, const ReadQuery& query) {
  const auto line_end = [&text](std::size_t from) {
    const std::size_t end = text.find('\n', from);
    return end == std::string_view::npos ? text.size() : end + 1;
  };
  const int first = query.first_line.value_or(1);
  std::size_t begin = 0;
  int before = 0;  // lines
  for (; before + 1 < first && begin < text.size(); ++before)
    begin = line_end(begin);
  if (first > 1 && begin == text.size()) {
    throw PathError(query.path,
                    "has no line " + std::to_string(first) + "; its lines are " + std::to_string(before) + " in all");
  }
  if (!query.line_count) return text.substr(begin);
  std::size_t end = begin;
  for (int line = 0; line < *query.line_count && end < text.size(); ++line)
    end = line_end(end);
  return text.substr(begin, end - begin);
}

mcp::Content content_of(const FileAccess::File& file, const ReadQuery& query) {
  const ContentType type = content_type(file.location.path.name(), file.content);
  if (query.encoding && *query.encoding != Encoding::base64) {
    const auto text = text_in(file.content, *query.encoding);
    if (!text) throw PathError(query.path, "is not text in this encoding");
    return mcp::text(selected_lines(*text, query));
  }
  if (query.encoding) return mcp::embedded_blob(file_uri(file.location), type.mime_type, file.content);
  if (type.is_text) return mcp::text(selected_lines(without_byte_order_mark(file.content), query));
  if (query.first_line || query.line_count) throw PathError(query.path, "is not a text and has no lines");
  if (type.mime_type.starts_with("image/")) return mcp::image(file.content, type.mime_type);
  if (type.mime_type.starts_with("audio/")) return mcp::audio(file.content, type.mime_type);
  return mcp::embedded_blob(file_uri(file.location), type.mime_type, file.content);
}

mcp::ResourceContent resource_of(const FileAccess& access, const mcp::Uri& uri) {
  try {
    const FileAccess::File file = access.read('/' + uri["path"]);
    const ContentType type = content_type(file.location.path.name(), file.content);
    return type.is_text ? mcp::text_resource(file.content, type.mime_type)
                        : mcp::blob_resource(file.content, type.mime_type);
  } catch (const FileNotFound&) {
    throw mcp::NotFound(uri.text());
  } catch (const PathError& error) {
    throw mcp::ProtocolError(mcp::invalid_params, error.what());
  }
}

std::string sentence(std::string_view done, std::size_t bytes, const Location& location) {
  return std::string(done) + ' ' + std::to_string(bytes) + " bytes to " + location.absolute_path();
}

constexpr std::string_view how_to_configure =
    "offers nothing, because no folders are configured. Write a file files.json beside the plugin, such as "
    R"({"roots": [{"name": "docs", "path": "/absolute/path/of/a/folder", "writable": false}]})";

std::string instructions(const Roots& roots) {
  std::string text = "Files can be used below these folders only:";
  for (const Root& root : roots.all()) {
    text += "\n- " + root.name + ": " + root.directory.path() + (root.writable ? "" : " (read-only)");
  }
  return text;
}

void warn_about_unreadable(mcp::Plugin& plugin, const Roots& roots) {
  for (const Root& root : roots.all()) {
    const auto error = root.directory.why_unreadable();
    if (!error) continue;
    plugin.warn("the root \"" + root.name + "\", " + root.directory.path() + ", " + error->what());
  }
}

void register_reading(mcp::Plugin& plugin, const SharedAccess& access) {
  plugin
      .tool("read_file", "Reads a file: a text, all of it or some lines, an image, or other bytes.",
            [access](const ReadQuery& query) { return content_of(access->read(query.path, query.max_size), query); })
      .title("Read a file")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin
      .tool("list_files", "Lists the entries of a folder and, with depth, of the folders in it.",
            [access](const ListQuery& query, mcp::Context& context) { return access->list(query, context); })
      .title("List files")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin
      .resource_template("file:///{+path}", "file", "A file below one of the configured folders",
                         [access](const mcp::Uri& uri) { return resource_of(*access, uri); })
      .title("File")
      .complete("path", [access](std::string_view typed) { return complete_path(access->roots(), typed); });
}

void register_writing(mcp::Plugin& plugin, const SharedAccess& access) {
  plugin
      .tool("write_file", "Writes a text file, in place of what was there or, with append, behind it.",
            [access, &plugin](const WriteOrder& order) {
              const auto folders =
                  order.create_folders ? FileAccess::Folders::are_made : FileAccess::Folders::must_exist;
              const Location location = order.append ? access->append(order.path, order.content, folders)
                                                     : access->write(order.path, order.content, folders);
              plugin.resource_updated(file_uri(location));
              return sentence(order.append ? "Appended" : "Wrote", order.content.size(), location);
            })
      .title("Write a file")
      .open_world(false);
  plugin
      .tool(
          "append_file", "Adds text to the end of a file, which is made if it is not there.",
          [access, &plugin](const std::string& path, const std::string& content) {
            const Location location = access->append(path, content, FileAccess::Folders::must_exist);
            plugin.resource_updated(file_uri(location));
            return sentence("Appended", content.size(), location);
          },
          mcp::arg("path", path_help).min_length(1), mcp::arg("content", "What to add; nothing is put before it"))
      .title("Append to a file")
      .destructive(false)
      .open_world(false);
}

// From start to stop, because watching needs a thread.
void register_watching(mcp::Plugin& plugin, const SharedAccess& access) {
  const auto watch = std::make_shared<std::optional<FolderWatch>>();
  plugin.on_start([&plugin, access, watch] {
    std::vector<std::string> folders;
    for (const Root& root : access->roots().all())
      folders.push_back(root.directory.path());
    const auto tell = [&plugin, access](const std::string& path) {
      try {
        plugin.resource_updated(file_uri(access->roots().locate(path)));
      } catch (const std::exception& error) {
        plugin.debug(error.what());
      }
    };
    const auto warn = [&plugin](const std::string& reason) {
      plugin.warn(reason + ": clients that subscribed are told of what this plugin writes itself");
    };
    watch->emplace(std::move(folders), FolderWatch::Listener{.changed = tell, .degraded = warn});
  });
  plugin.on_stop([watch] { watch->reset(); });
}

}  // namespace

// Lists only what can work: nothing without roots, and nothing that writes where no root may be written.
void setup(mcp::Plugin& plugin) {
  const auto settings = plugin.config_as<Settings>();
  const auto access = std::make_shared<const FileAccess>(roots_of(settings), max_file_bytes_of(settings));
  const auto& roots = access->roots().all();
  if (roots.empty()) return plugin.warn(how_to_configure);
  register_reading(plugin, access);
  if (std::any_of(roots.begin(), roots.end(), std::mem_fn(&Root::writable))) register_writing(plugin, access);
  plugin.instructions(instructions(access->roots()));
  if (settings.watch) register_watching(plugin, access);
  plugin.on_start([&plugin, access] { warn_about_unreadable(plugin, access->roots()); });
}

}  // namespace plugins::files
