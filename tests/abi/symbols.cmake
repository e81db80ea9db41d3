# Fails unless PLUGIN exports mcp_plugin_entry_v1 and nothing else, and has no GNU-unique symbol.
execute_process(COMMAND "${NM}" -D --defined-only "${PLUGIN}" OUTPUT_VARIABLE exported COMMAND_ERROR_IS_FATAL ANY)
if(NOT exported MATCHES "^[0-9a-f]+ T mcp_plugin_entry_v1\n$")
  message(FATAL_ERROR "${PLUGIN} must export mcp_plugin_entry_v1 alone, but exports:\n${exported}")
endif()
execute_process(COMMAND "${READELF}" -Ws "${PLUGIN}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(symbols MATCHES "[^\n]* UNIQUE [^\n]*")
  message(FATAL_ERROR "${PLUGIN} could never be unloaded, because of this symbol:\n${CMAKE_MATCH_0}")
endif()
