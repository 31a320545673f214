# cmake -DCOMPILER=g++ -DINCLUDE=include -DEIGEN=/usr/include/eigen3 [-DCUDA=FOLDERS] -DFILE=axis.cpp -P compile_fail.cmake
#
# FILE must compile as it stands (the good twin). With -DTT_COMPILE_FAIL it must not, and what the compiler says must
# match each `// expect: REGEX` line and stay within the one line `// budget: 1 error, 16 lines, 4000 bytes`.
#
# Compilers echo source lines and a dot also matches a line's end, so expect words that stand in messages and types
# only. No square brackets in an expectation; write semicolons as commas.

set(ENV{LC_ALL} C)   # plain quotes and English in every locale

file(STRINGS ${FILE} expectations REGEX "^// expect: ")
file(STRINGS ${FILE} budget REGEX "^// budget: [0-9]+ errors?, [0-9]+ lines, [0-9]+ bytes$")
list(LENGTH budget budgets)
if(NOT expectations OR NOT budgets EQUAL 1)
  message(FATAL_ERROR "${FILE} needs `// expect: REGEX` lines and one `// budget: N errors, N lines, N bytes`")
endif()
string(REGEX MATCHALL "[0-9]+" budget "${budget}")
list(GET budget 0 max_errors)
list(GET budget 1 max_lines)
list(GET budget 2 max_bytes)

set(compile ${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -I ${INCLUDE} -isystem ${EIGEN})
foreach(folder IN LISTS CUDA)
  list(APPEND compile -isystem ${folder})
endforeach()

execute_process(COMMAND ${compile} ${FILE} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the good twin does not compile:\n${text}")
endif()

execute_process(COMMAND ${compile} -DTT_COMPILE_FAIL ${FILE}
                RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(status EQUAL 0)
  message(FATAL_ERROR "the mistake compiles")
endif()

string(REPLACE ";" "," flat "${text}")   # a semicolon would split CMake's lists
string(REGEX MATCHALL "error: " errors "${flat}")
string(REGEX MATCHALL "\n" lines "${flat}")
list(LENGTH errors errors)
list(LENGTH lines lines)
string(LENGTH "${text}" bytes)

set(faults "")
if(errors EQUAL 0)
  string(APPEND faults "the compiler failed without an error in FILE\n")
endif()
foreach(what errors lines bytes)
  if(${what} GREATER max_${what})
    string(APPEND faults "over budget: ${${what}} ${what}, allowed ${max_${what}}\n")
  endif()
endforeach()
foreach(line IN LISTS expectations)
  string(REPLACE "// expect: " "" regex "${line}")
  if(NOT flat MATCHES "${regex}")
    string(APPEND faults "no match for: ${regex}\n")
  endif()
endforeach()
if(faults)
  message(FATAL_ERROR "${faults}${text}")
endif()
message("${errors} error(s), ${lines} lines, ${bytes} bytes")
