# A room is a folder of sources that is one library. It sees the headers of the rooms that it uses, and of those that they
# use, and no others: each room has an include folder of its own in the build tree, with links to its headers. An include
# against the arrows therefore does not compile.

# Shows TARGET and who links it the headers in SOURCE_DIR/FOLDER, as "FOLDER/name.hpp".
function(show_headers target scope source_dir folder)
  set(root "${PROJECT_BINARY_DIR}/rooms/${target}")
  file(REMOVE_RECURSE "${root}")
  file(MAKE_DIRECTORY "${root}/${folder}")
  file(GLOB headers CONFIGURE_DEPENDS "${source_dir}/${folder}/*.hpp")
  foreach(header IN LISTS headers)
    cmake_path(GET header FILENAME name)
    file(CREATE_LINK "${header}" "${root}/${folder}/${name}" SYMBOLIC)
  endforeach()
  target_include_directories(${target} ${scope} "${root}")
endfunction()

# add_room(FOLDER [USES ROOM...] [LIBRARIES LIBRARY...] [APART SOURCE...]): all sources in FOLDER. The rooms are named by
# their folders. A source that is apart is not linked by a program that needs only others of its room, nor are the
# libraries that it alone needs.
function(add_room folder)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;LIBRARIES;APART")
  string(REPLACE "/" "_" name "host_${folder}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  add_library(${name} STATIC ${sources})
  # All sources of a room are one unit: what they include is read once, which is most of the work.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${MCP_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 0)
  # So that some rooms can be part of a shared library, too (rules/).
  set_target_properties(${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  list(TRANSFORM room_APART PREPEND "${folder}/")
  set_source_files_properties(${room_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  show_headers(${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}")
  list(TRANSFORM room_USES PREPEND "host_")
  list(TRANSFORM room_USES REPLACE "/" "_")
  foreach(used IN LISTS room_USES)
    if(NOT TARGET ${used})
      message(FATAL_ERROR "${folder} uses ${used}, which is no room above it in the list")
    endif()
  endforeach()
  target_link_libraries(${name} PUBLIC ${room_USES} PRIVATE ${room_LIBRARIES} mcp_project_options)
endfunction()
