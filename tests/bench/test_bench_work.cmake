# bench_work on one problem at one tolerance: what it writes is whole. The peers that are not there
# are told, and have no lines.
cmake_policy(VERSION 3.21)
set(csv ${folder}/work.csv)
set(page ${folder}/work.html)
file(REMOVE ${csv} ${page})
execute_process(COMMAND ${program} --quick --tolerance 1e-6 --csv ${csv} --page ${page} pendulum
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "bench_work ended with ${result}: ${errors}")
endif()

# every line has a problem, a solver, a form, and nine numbers, of which mescd may be empty
file(STRINGS ${csv} lines)
list(POP_FRONT lines header)
string(STRIP "${header}" header)
if(NOT header STREQUAL
   "problem,solver,form,rtol,mescd,ms,steps,rejected,evaluations,jacobians,factorisations")
  message(FATAL_ERROR "an unknown header: ${header}")
endif()
set(number "[0-9]+(\\.[0-9]+)?(e-[0-9]+)?")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^pendulum,(daedal|RADAU5|IDA),\"[^\"]+\",1\\.000e-06,(-?${number})?,${number},[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+\r?$")
    message(FATAL_ERROR "not a line of results: ${line}")
  endif()
endforeach()

# who is there has lines and a ratio; who is not is told to be missing
foreach(solver daedal RADAU5 IDA)
  if(output MATCHES "${solver} is missing")
    set(expected FALSE)
  else()
    set(expected TRUE)
  endif()
  set(found FALSE)
  if("${lines}" MATCHES "pendulum,${solver},")
    set(found TRUE)
  endif()
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${solver}: lines ${found}, expected ${expected}")
  endif()
endforeach()
if(NOT "${lines}" MATCHES "\"auto \\(")
  message(FATAL_ERROR "auto has no line")
endif()

# the page is whole, and has the summary and the plot
file(READ ${page} text)
foreach(part "</html>" "Summary" "auto (" "CPU ms")
  string(FIND "${text}" "${part}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the page has no ${part}")
  endif()
endforeach()

# a name that is not known is refused, with those that are
execute_process(COMMAND ${program} nonsense RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 2 OR NOT errors MATCHES "car_axis")
  message(FATAL_ERROR "an unknown name: ${result} ${errors}")
endif()
