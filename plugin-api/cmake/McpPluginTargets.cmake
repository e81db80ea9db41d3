# The targets of the plugin API, of the headers in MCP_PLUGIN_INCLUDE_DIR and the sources in MCP_PLUGIN_SOURCE_DIR:
#   mcp::plugin_abi      the C contract alone: mcp/plugin.h
#   mcp::plugin          the C++ API with its runtime, which is linked into each plugin
#   mcp::plugin_testing  what mcp/plugin/testing.hpp needs, for an author's unit tests
# The last two only where the project has C++.
if(NOT TARGET mcp::plugin_abi)
  add_library(mcp_plugin_abi INTERFACE)
  add_library(mcp::plugin_abi ALIAS mcp_plugin_abi)
  target_include_directories(mcp_plugin_abi INTERFACE "${MCP_PLUGIN_INCLUDE_DIR}")
endif()
if(TARGET mcp::plugin OR NOT CMAKE_CXX_COMPILER_LOADED)
  return()
endif()

# How the runtime would be compiled for this project: libraries that were compiled so can be linked.
set(MCP_PLUGIN_TOOLCHAIN "${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}, ${CMAKE_CXX_COMPILER_ID} \
${CMAKE_CXX_COMPILER_VERSION}, nlohmann_json ${nlohmann_json_VERSION}")

# Whether nothing in the project's flags makes code that does not fit together with that of other flags, as debug modes of
# the standard library do, and what -Wp, -Wa, and -Wl, hand on may; what hardens each function by itself, as distributions
# want, does not. With SANITIZED, those of sanitizers do not count:
# AddressSanitizer finds what the plugin does wrong with a runtime that is compiled without it.
function(_mcp_plugin_has_plain_flags result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SANITIZED" "" "")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  set(flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}})
  separate_arguments(flags)
  get_directory_property(more COMPILE_OPTIONS)
  get_directory_property(definitions COMPILE_DEFINITIONS)
  list(TRANSFORM definitions PREPEND "-D")
  list(APPEND flags ${more} ${definitions})
  set(warnings "W([^apl].*|[apl]([^,].*)?)?")
  set(hardening "fstack-protector.*|fstack-clash-protection|fcf-protection.*|[DU]_FORTIFY_SOURCE.*|f(file|debug|macro)-prefix-map=.*")
  list(FILTER flags EXCLUDE REGEX
    "^-([Og].*|${warnings}|${hardening}|pipe|DNDEBUG|std=.*|fdiagnostics-.*|fno-omit-frame-pointer|mno-omit-leaf-frame-pointer)$")
  if(arg_SANITIZED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(FILTER flags EXCLUDE REGEX "^-fsanitize=(address|undefined|leak|,)+$")
  endif()
  if(flags)
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Compiled by the installation, if it fits; otherwise by the project, with its own compiler and flags.
option(MCP_PLUGIN_FROM_SOURCE "Compile the runtime of plugins even where it is installed compiled" OFF)
_mcp_plugin_has_plain_flags(_plain_flags SANITIZED)
if(MCP_PLUGIN_PREBUILT_DIR AND MCP_PLUGIN_PREBUILT_FOR STREQUAL MCP_PLUGIN_TOOLCHAIN AND _plain_flags
   AND NOT MCP_PLUGIN_FROM_SOURCE)
  foreach(target IN ITEMS mcp_plugin mcp_plugin_testing)
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${MCP_PLUGIN_PREBUILT_DIR}/lib${target}.a")
  endforeach()
  set(_usage INTERFACE)
else()
  add_library(mcp_plugin STATIC EXCLUDE_FROM_ALL
    "${MCP_PLUGIN_SOURCE_DIR}/answers.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/app.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/base64.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/call.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/call_state.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/completion.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/component.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/content.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/context.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/decode.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/describe.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/dispatch.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/executor.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/export.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/input_request.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/instance.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/json_form.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/json_text.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/metadata_text.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/metrics.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/object_text.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/plugin.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/prompt.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/prompt_text.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/read_text.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/registry.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/resource.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/schema.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/store.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/tool.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/tool_result.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/variables.cpp")
  # One translation unit, because most of the time goes into reading the JSON library and making its templates.
  set_target_properties(mcp_plugin PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  add_library(mcp_plugin_testing STATIC EXCLUDE_FROM_ALL
    "${MCP_PLUGIN_SOURCE_DIR}/testing/fake_host.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/testing/harness.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/testing/memory_metrics.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/testing/memory_store.cpp"
    "${MCP_PLUGIN_SOURCE_DIR}/testing/rules.cpp")
  set_target_properties(mcp_plugin_testing PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  foreach(target IN ITEMS mcp_plugin mcp_plugin_testing)
    set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
    # Unique symbols would keep a plugin mapped after dlclose and bind the next version's statics to this one's. With a
    # section for each function, a plugin is linked with those that it uses, and each worker has less to keep in memory.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>
      $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffunction-sections;-fdata-sections>
      $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>,$<CONFIG:Release,RelWithDebInfo>>:-Os>)
  endforeach()
  set(_usage PUBLIC)
endif()
add_library(mcp::plugin ALIAS mcp_plugin)
add_library(mcp::plugin_testing ALIAS mcp_plugin_testing)
target_link_libraries(mcp_plugin ${_usage} mcp_plugin_abi nlohmann_json::nlohmann_json)
# What a host refuses comes with the host (mcp/host_rules.h); in its tree the target is made later.
if(MCP_HOST_RULES AND EXISTS "${MCP_HOST_RULES}")
  add_library(mcp_host_rules SHARED IMPORTED GLOBAL)
  set_target_properties(mcp_host_rules PROPERTIES IMPORTED_LOCATION "${MCP_HOST_RULES}")
endif()
target_link_libraries(mcp_plugin_testing ${_usage} mcp_plugin $<TARGET_NAME_IF_EXISTS:mcp_host_rules>)
target_compile_features(mcp_plugin ${_usage} cxx_std_20)
target_compile_features(mcp_plugin_testing ${_usage} cxx_std_20)
