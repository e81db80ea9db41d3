# Compiles FILE, which must fail, and looks for the message that its first line, "// expect: ...", says.
file(STRINGS "${FILE}" lines LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect: " "" expected "${lines}")
if(expected STREQUAL lines)
  message(FATAL_ERROR "${FILE} must begin with: // expect: the text of the message")
endif()
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${INCLUDE_DIR}" -idirafter "${JSON_INCLUDE_DIR}" "${FILE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${FILE} compiles, but should be refused with: ${expected}")
endif()
string(FIND "${output}" "mcp: ${expected}" found)
if(found EQUAL -1)
  message("${output}")
  message(FATAL_ERROR "${FILE} is refused, but not with: mcp: ${expected}")
endif()
