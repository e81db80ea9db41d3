# add_mcp_plugin(NAME KIND tools|resources|prompts SOURCES file... [OUTPUT_DIRECTORY dir] [C])
#
# A plugin: a library that exports mcp_plugin_entry_v1 and nothing else, so that any number of plugins, and of versions of
# one, can be in a process together and be unloaded again. It is put into MCP_COMPONENTS_DIR/KIND, or, where that variable
# is not set, into mcp_components/KIND of the build folder. KIND is order for people: a plugin may export components of
# every kind. With C, the plugin is written against mcp/plugin.h alone, and the C++ runtime is not linked into it.
include_guard(GLOBAL)
set_property(GLOBAL PROPERTY MCP_PLUGIN_SYMBOL_MAP "${CMAKE_CURRENT_LIST_DIR}/mcp-plugin.map")

function(add_mcp_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "C" "KIND;OUTPUT_DIRECTORY" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_mcp_plugin(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "add_mcp_plugin(${name}): give its source files: SOURCES ${name}.cpp")
  endif()
  if(NOT arg_KIND MATCHES "^(tools|resources|prompts)$")
    message(FATAL_ERROR "add_mcp_plugin(${name}): KIND must be tools, resources or prompts, not \"${arg_KIND}\"")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    if(MCP_COMPONENTS_DIR)
      set(arg_OUTPUT_DIRECTORY "${MCP_COMPONENTS_DIR}/${arg_KIND}")
    else()
      set(arg_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/mcp_components/${arg_KIND}")
    endif()
  endif()

  add_library(${name} MODULE ${arg_SOURCES})
  if(arg_C)
    target_link_libraries(${name} PRIVATE mcp::plugin_abi)
  else()
    target_link_libraries(${name} PRIVATE mcp::plugin)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}"
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(APPLE)
    set_target_properties(${name} PROPERTIES SUFFIX ".dylib")
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffunction-sections;-fdata-sections>)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    _mcp_plugin_link_options(${name})
  endif()
endfunction()

function(_mcp_plugin_link_options name)
  get_property(symbol_map GLOBAL PROPERTY MCP_PLUGIN_SYMBOL_MAP)
  # -z now: a function that is missing is found when the plugin is loaded and refused, not in the middle of a call.
  # --gc-sections: only what the plugin uses of what is linked into it; half of it, for a small one.
  target_link_options(${name} PRIVATE "LINKER:--version-script=${symbol_map}" "LINKER:-z,now" "LINKER:--gc-sections")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${symbol_map}")
  # Sanitizers leave symbols to the program that loads the plugin.
  if(NOT MCP_SANITIZER AND NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE "LINKER:--no-undefined")
  endif()
endfunction()
