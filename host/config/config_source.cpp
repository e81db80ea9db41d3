#include <algorithm>
#include <sys/stat.h>
#include <utility>

#include "base/json_pointer.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "config/config.hpp"
#include "config/settle.hpp"
#include "config/toml.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_file_size = std::size_t{1} << 20;

Result<TomlDocument> read_file(const std::filesystem::path& file) {
  const auto opened = open_to_read(file);
  if (!opened) return fail(file.string() + ": cannot be opened: " + last_error());
  if (const auto identity = identity_of_regular_file(opened); identity.has_error())
    return fail(file.string() + ": " + identity.error().message);
  struct ::stat status {};
  const bool known = ::fstat(opened.get(), &status) == 0;
  if (!known || (status.st_mode & S_IWOTH) != 0) {
    return fail(file.string() + ": everybody may write to it, and it says who may use what; chmod o-w it");
  }
  const auto text = read_regular_file(opened, max_file_size);
  if (text.has_error()) return fail(file.string() + ": " + text.error().message);
  auto document = read_toml(*text);
  if (document.has_error()) return fail(file.string() + ":" + document.error().message);
  return document;
}

bool is_path(const OrderedJson& schema, const OrderedJson& value) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return false;
  const auto format = schema.value("format", "");
  return format == "path" || (format == "path-or-none" && value != "none");
}

// Paths in the file begin where the file lies.
void settle_paths(const OrderedJson& schema, const std::filesystem::path& folder, OrderedJson& value) {
  if (is_path(schema, value)) {
    value = (folder / value.get<std::string>()).string();
  } else if (value.is_array() && schema.contains("items")) {
    for (auto& each : value)
      settle_paths(schema["items"], folder, each);
  } else if (value.is_object()) {
    for (auto& [key, member] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(key)) {
        settle_paths(schema["properties"][key], folder, member);
      } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
        settle_paths(schema["additionalProperties"], folder, member);
      }
    }
  }
}

std::string pointer_of(const std::string& key) {
  auto pointer = "/" + key;
  std::ranges::replace(pointer, '.', '/');
  return pointer;
}

// What the file calls it: the key, and which element it is of an array.
std::string name_of(std::string pointer) {
  std::string index;
  while (!pointer.empty() && pointer.find_first_not_of("0123456789", pointer.rfind('/') + 1) == std::string::npos) {
    index.insert(0, "[" + pointer.substr(pointer.rfind('/') + 1) + "]");
    pointer.erase(pointer.rfind('/'));
  }
  return "\"" + last_of_pointer(pointer) + index + "\"";
}

void override_setting(OrderedJson& json, const Override& setting) {
  auto* table = &json;
  std::size_t begin = 0;
  for (auto dot = setting.key.find('.'); dot != std::string::npos; dot = setting.key.find('.', begin)) {
    table = &(*table)[setting.key.substr(begin, dot - begin)];
    begin = dot + 1;
    if (!table->is_object() && !table->is_null()) return;  // the file has no table there, which will be told
  }
  (*table)[setting.key.substr(begin)] = setting.value;
}

}  // namespace

Result<Config> ConfigSource::load() const {
  TomlDocument document;
  if (!file_.empty()) {
    auto read = read_file(file_);
    if (read.has_error()) return read.error();
    document = *std::move(read);
    settle_paths(config_form().schema, file_.parent_path(), document.json);
  }
  for (const auto& each : overrides_)
    override_setting(document.json, each);
  auto config = defaults_;
  Mistakes mistakes;
  config_form().read(document.json, {}, config, mistakes);
  config.host.upstreams_folder = file_.parent_path();
  if (mistakes.empty()) settle(config, mistakes);
  for (const auto& [name, text] : config.host.upstreams)
    config.host.upstream_places[name] = place_in(document, append_to_pointer("/upstreams", name));
  if (mistakes.empty()) return config;
  return fail(words_for(std::move(mistakes), document));
}

ConfigSource ConfigSource::with(Override more) const {
  auto source = *this;
  source.overrides_.push_back(std::move(more));
  return source;
}

ConfigSource ConfigSource::with_default_data(std::filesystem::path folder) const {
  auto source = *this;
  source.defaults_.host.data_root = std::move(folder);
  return source;
}

std::string ConfigSource::words_for(const Mistakes& mistakes) const {
  const auto document = file_.empty() ? Result<TomlDocument>(TomlDocument()) : read_file(file_);
  return words_for(mistakes, document.has_error() ? TomlDocument() : *document);
}

std::string ConfigSource::words_for(Mistakes mistakes, const TomlDocument& document) const {
  std::ranges::stable_sort(mistakes, {}, [&](const Mistake& mistake) {
    const auto found = document.places.find(mistake.pointer);
    return found == document.places.end() ? 0 : found->second.value.line;
  });
  std::string words;
  for (const auto& mistake : mistakes)
    words.append(words.empty() ? "" : "\n").append(words_for(mistake, document));
  return words;
}

std::string ConfigSource::place_of(const std::string& pointer) const {
  const auto document = file_.empty() ? Result<TomlDocument>(TomlDocument()) : read_file(file_);
  return document.has_error() ? std::string() : place_in(*document, pointer);
}

std::string ConfigSource::place_in(const TomlDocument& document, const std::string& pointer) const {
  const auto found = document.places.find(pointer);
  if (found == document.places.end()) return {};
  const auto& [line, column] = found->second.value;
  return file_.string() + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string ConfigSource::words_for(const Mistake& mistake, const TomlDocument& document) const {
  // Where the value is, or the one that it is a part of.
  for (auto pointer = mistake.pointer; !pointer.empty(); pointer.erase(pointer.rfind('/'))) {
    for (const auto& each : overrides_) {
      if (pointer_of(each.key) == pointer) return each.name + " " + mistake.message;
    }
    if (const auto found = document.places.find(pointer); found != document.places.end()) {
      const auto& [line, column] = mistake.is_key ? found->second.key : found->second.value;
      return file_.string() + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " +
             name_of(mistake.pointer) + " " + mistake.message;
    }
  }
  // It is a default.
  return (file_.empty() ? "" : file_.string() + ": ") + name_of(mistake.pointer) + " " + mistake.message;
}

}  // namespace mcph
