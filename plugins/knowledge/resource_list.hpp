// ResourceList: keeps the resources of the plugin the same as the documents of the index, as long as they are few
// enough for a list that anybody reads. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin/resource.hpp>

#include "knowledge/index_reader.hpp"

namespace mcp {
class Plugin;
}

namespace plugins::knowledge {

// The content of a document by its path, nothing if there is none. Any thread.
using ReadDocument = std::function<std::optional<mcp::ResourceContent>(const std::string& path)>;

class ResourceList {
 public:
  static constexpr std::size_t max_listed = 1000;

  // The plugin outlives this object.
  ResourceList(mcp::Plugin& plugin, ReadDocument read) : plugin_(plugin), read_(std::move(read)) {}

  // Tells the host and clients what is different from the last time. None is listed where all together are too long.
  void set(const std::vector<ListedDocument>& documents);

 private:
  void publish(const ListedDocument& document);

  mcp::Plugin& plugin_;
  const ReadDocument read_;
  std::map<std::string, ListedDocument> listed_;  // by path
};

}  // namespace plugins::knowledge
