# What every target of this project, and none of a plugin author's, is compiled with: link to mcp_project_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# What clang says of a lock that is not held where it should be: host/base/mutex.hpp.
set(MCP_THREAD_SAFETY_WARNINGS -Wthread-safety -Wthread-safety-beta)

# A compiler that is newer than these sources may warn of more.
option(MCP_WARNINGS_AS_ERRORS "A warning of the compiler ends the build" ${PROJECT_IS_TOP_LEVEL})
add_library(mcp_project_options INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(mcp_project_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${MCP_WARNINGS_AS_ERRORS}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(mcp_project_options INTERFACE ${MCP_THREAD_SAFETY_WARNINGS})
    # In one unit a local name may hide one of another file, of which clang tells more than gcc; it is none that the
    # author could see.
    if(MCP_UNITY_BUILD)
      target_compile_options(mcp_project_options INTERFACE -Wno-shadow)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False positives of gcc 12 in the inlined standard library.
    target_compile_options(mcp_project_options INTERFACE
      -Wno-restrict -Wno-maybe-uninitialized $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-pointer>)
    # gcc collects its garbage only where there is much of it: a twelfth less time, a quarter more memory (at most 2 GB).
    target_compile_options(mcp_project_options INTERFACE
      "SHELL:--param ggc-min-heapsize=1048576" "SHELL:--param ggc-min-expand=100")
  endif()
endif()

# What the tests' own sources are compiled with: to optimise them fully takes longer than to run them, and -O1 takes half as
# long again. Not less than this, because templates that they share with what they test (the JSON parser) may be linked as
# they have compiled them.
add_library(mcp_test_options INTERFACE)
target_link_libraries(mcp_test_options INTERFACE mcp_project_options)
target_compile_options(mcp_test_options INTERFACE $<$<CONFIG:Release>:-Og>)

if(MCP_BUILD_FUZZ)
  # So that libFuzzer sees which of our branches an input takes.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(MCP_SANITIZER)
  # A plugin is a plain library to its author, so the flag reaches every target, ours and add_mcp_plugin's.
  add_compile_options(-fsanitize=${MCP_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MCP_SANITIZER})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15 AND MCP_SANITIZER MATCHES "undefined")
    # Its check of function types makes clang 14 fail on coroutines: "Cannot represent a difference across sections".
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Asio's fence, which gcc's ThreadSanitizer does not model; and more false positives of gcc 12: in Asio's coroutines,
    # and in std::string where its header is precompiled.
    target_compile_options(mcp_project_options INTERFACE
      -Wno-tsan -Wno-array-bounds -Wno-stringop-overflow $<$<COMPILE_LANGUAGE:CXX>:-Wno-mismatched-new-delete>)
  endif()
endif()
