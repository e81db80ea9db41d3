// Finds the tools of a view of the catalog that fit a question best, by BM25 (Robertson and Zaragoza, "The
// Probabilistic Relevance Framework", 2009) over their names, titles, descriptions and parameters. Owned by the tool
// that searches; any thread.
//
// What words a tool has is found out when somebody searches after the catalog has changed, once for each plugin
// version, and shared by all views. How rare a word is, is counted among the tools of the view, so that what one client
// finds tells nothing of tools that it does not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "catalog/catalog.hpp"
#include "sources/finder/tool_index.hpp"

namespace mcph {

class ToolSearch {
 public:
  // Of a question: further words do not count.
  static constexpr std::size_t max_query_terms = 32;

  // The best first; none that has no word of the question. They live as long as the view.
  std::vector<const Tool*> search(const std::shared_ptr<const Catalog>& view, std::string_view query, std::size_t limit)
      EXCLUDES(mutex_);

 private:
  // The tools of a view. In memory, 12 bytes for each of the catalog.
  struct Rows;

  std::shared_ptr<const Rows> rows_of(const std::shared_ptr<const Catalog>& view) EXCLUDES(mutex_);

  struct SearchedView {
    std::weak_ptr<const Catalog> view;
    std::shared_ptr<const Rows> rows;
  };

  Mutex mutex_;
  std::shared_ptr<const ToolIndex> index_ GUARDED_BY(mutex_);  // as of the last search of a new catalog
  std::vector<SearchedView> searched_ GUARDED_BY(mutex_);      // not of views that are gone
};

}  // namespace mcph
