# cmake -DNM=nm -DOBJECT=mlp.o -DEXPECT=none|some -P symbols.cmake: does an object hold code of a backward pass? And does it
# share code of Eigen with objects that are built for other instruction sets?
execute_process(COMMAND ${NM} -C ${OBJECT} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT symbols MATCHES "predict|judge|classify")
  message(FATAL_ERROR "${NM} finds nothing in ${OBJECT}")
endif()
string(CONCAT backward "row_backward|drive_backward|MapNode|SumNode|ContractNode|ActivationNode|RowLossNode|ViewNode|"
                       "IndexNode|ExtremeNode|StridedNode|WriteNode|Engine::run")
string(REGEX MATCHALL "[^\n]*(${backward})[^\n]*" found "${symbols}")
list(LENGTH found count)
if(EXPECT STREQUAL "none" AND count GREATER 0)
  list(JOIN found "\n" found)
  message(FATAL_ERROR "a program that only predicts has ${count} symbols of a backward pass:\n${found}")
elseif(EXPECT STREQUAL "some" AND count EQUAL 0)
  message(FATAL_ERROR "a program that trains shows no backward pass: the names in this file are out of date")
endif()
message("${count} symbols of a backward pass")

# What a linker merges must carry the namespace of its build.
string(REGEX MATCHALL "[^\n]*Eigen::[^\n]*" eigen "${symbols}")
list(FILTER eigen EXCLUDE REGEX "tt::cpu_kernels::")
if(eigen)
  list(JOIN eigen "\n" eigen)
  message(FATAL_ERROR "code of Eigen that files built with other flags would share:\n${eigen}")
endif()
