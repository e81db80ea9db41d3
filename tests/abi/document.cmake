# Fails unless DOCUMENT contains the code of EXAMPLE as it is.
file(READ "${DOCUMENT}" document)
file(READ "${EXAMPLE}" example)
string(FIND "${document}" "```c\n${example}```" found)
if(found EQUAL -1)
  message(FATAL_ERROR "the example in ${DOCUMENT} is not ${EXAMPLE}: copy the file into it")
endif()
