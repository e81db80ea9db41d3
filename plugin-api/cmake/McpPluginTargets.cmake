# The targets of the plugin API, of the headers in MCP_PLUGIN_INCLUDE_DIR and the sources in MCP_PLUGIN_SOURCE_DIR:
#   mcp::plugin_abi      the C contract alone: mcp/plugin.h
#   mcp::plugin          the C++ API with its runtime, which is linked into each plugin
#   mcp::plugin_testing  what mcp/plugin/testing.hpp needs, for an author's unit tests
if(TARGET mcp::plugin)
  return()
endif()

add_library(mcp_plugin_abi INTERFACE)
add_library(mcp::plugin_abi ALIAS mcp_plugin_abi)
target_include_directories(mcp_plugin_abi INTERFACE "${MCP_PLUGIN_INCLUDE_DIR}")

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
  "${MCP_PLUGIN_SOURCE_DIR}/export.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/input_request.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/instance.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/json_text.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/metadata_text.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/object_text.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/plugin.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/prompt.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/prompt_text.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/registry.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/resource.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/schema.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/tool.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/tool_result.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/variables.cpp")
add_library(mcp::plugin ALIAS mcp_plugin)
target_link_libraries(mcp_plugin PUBLIC mcp_plugin_abi nlohmann_json::nlohmann_json)

# Few translation units, because most of the time goes into reading the JSON library: a new project's first build takes
# seconds instead of a minute.
set_target_properties(mcp_plugin PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)

add_library(mcp_plugin_testing STATIC EXCLUDE_FROM_ALL
  "${MCP_PLUGIN_SOURCE_DIR}/testing/fake_host.cpp"
  "${MCP_PLUGIN_SOURCE_DIR}/testing/harness.cpp")
add_library(mcp::plugin_testing ALIAS mcp_plugin_testing)
target_link_libraries(mcp_plugin_testing PUBLIC mcp_plugin)

foreach(target IN ITEMS mcp_plugin mcp_plugin_testing)
  target_compile_features(${target} PUBLIC cxx_std_20)
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
