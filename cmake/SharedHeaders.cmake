# To read the headers of the API is most of what building a small plugin takes: those of a folder read them once. The first
# has no definitions and options that the others lack.
function(share_plugin_headers target)
  get_property(first DIRECTORY PROPERTY first_plugin)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE <mcp/plugin.hpp>)
    set_property(DIRECTORY PROPERTY first_plugin ${target})
  endif()
endfunction()
