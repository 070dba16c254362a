# daedal_npm(out source folder): installs the npm packages that source/package-lock.json pins into
# folder/node_modules, by `npm ci`, whose sums must agree; their scripts are not run. Nothing is
# done, and the network left alone, where that has been done before for the same lock. out is set to
# an empty string, or to the reason why the packages are not there.
function(daedal_npm out source folder)
  file(SHA256 ${source}/package-lock.json wanted)
  set(stamp ${folder}/node_modules/.daedal)
  set(${out} "" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/package-lock.json)
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
    if(installed STREQUAL wanted)
      return()
    endif()
  endif()
  find_program(DAEDAL_NPM npm)
  mark_as_advanced(DAEDAL_NPM)
  if(NOT DAEDAL_NPM)
    set(${out} "npm was not found" PARENT_SCOPE)
    return()
  endif()
  file(MAKE_DIRECTORY ${folder})
  file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${folder})
  # without a network it fails within seconds
  execute_process(
    COMMAND ${DAEDAL_NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund
            --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000
    WORKING_DIRECTORY ${folder} TIMEOUT 90
    OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(result EQUAL 0)
    file(WRITE ${stamp} ${wanted})
  else()
    string(REGEX REPLACE "\n.*" "" first "${errors}")
    set(${out} "npm ci failed (${result}): ${first}" PARENT_SCOPE)
  endif()
endfunction()

# cmake -D source=FOLDER -D folder=FOLDER -P daedal-npm.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  daedal_npm(trouble ${source} ${folder})
  if(trouble)
    message(FATAL_ERROR "${trouble}")
  endif()
endif()
