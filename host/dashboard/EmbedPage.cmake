# Makes the source OUTPUT, which has the files of the page in PAGE as the program serves them: compressed, and the modules
# as one, because each file is a request. Run by the build: cmake -DPAGE=... -DOUTPUT=... -P EmbedPage.cmake
get_filename_component(folder "${OUTPUT}" DIRECTORY)
set(scratch "${folder}/page")
file(MAKE_DIRECTORY "${scratch}")

# What others import comes first. In one file all know each other, so imports and exports, each of a line, go.
set(script "")
foreach(module IN ITEMS elements words charts json_tree host mcp form questions result_view app_frame log_view calls_view
                        plugins_view try_view main)
  file(READ "${PAGE}/${module}.js" text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND script "${text}")
endforeach()
file(WRITE "${scratch}/dashboard.js" "${script}")

foreach(name IN ITEMS index.html style.css frame.html)
  file(COPY "${PAGE}/${name}" DESTINATION "${scratch}")
endforeach()

set(names index.html style.css dashboard.js frame.html)
set(paths / /style.css /dashboard.js /frame)
set(types "text/html, charset=utf-8" text/css text/javascript "text/html, charset=utf-8")
set(rows "")
foreach(name path type IN ZIP_LISTS names paths types)
  string(REPLACE ", " "; " type "${type}")
  set(compressed "${scratch}/${name}.gz")
  file(ARCHIVE_CREATE OUTPUT "${compressed}" PATHS "${scratch}/${name}" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  file(SIZE "${compressed}" size)
  file(READ "${compressed}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND rows "    {\"${path}\", \"${type}\", {\"${bytes}\", ${size}}},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"dashboard/assets.hpp\"

namespace mcph {
namespace {

constexpr DashboardAsset all[] = {
${rows}};

}  // namespace

const std::span<const DashboardAsset> dashboard_assets = all;

}  // namespace mcph
")
