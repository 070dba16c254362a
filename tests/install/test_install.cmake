# What a packager and a user do, in order: install, find_package, pkg-config, look at the symbols.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# the program prints the version of the library it runs with
function(check_program)
  run(${ARGV})
  if(NOT output MATCHES "daedal ${version}: fell to -4.905")
    message(FATAL_ERROR "${ARGV} said: ${output}")
  endif()
endfunction()

set(prefix ${work}/prefix)
set(lib ${prefix}/${libdir})
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})

# find_package(daedal)
run(${CMAKE_COMMAND} -S ${source} -B ${work}/program -D CMAKE_C_COMPILER=${compiler}
    -D CMAKE_C_FLAGS=${flags} -D CMAKE_PREFIX_PATH=${prefix} -D wanted=${version})
run(${CMAKE_COMMAND} --build ${work}/program)
check_program(${work}/program/with_shared)
check_program(${work}/program/with_static)

# pkg-config, shared and static
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${lib}/pkgconfig)
  run(${pkg_config} --modversion daedal)
  if(NOT output MATCHES "^${version}\n")
    message(FATAL_ERROR "pkg-config gives version ${output}")
  endif()
  run(${pkg_config} --cflags --libs daedal)
  separate_arguments(shared UNIX_COMMAND "${output}")
  run(${compiler} ${flags} ${source}/program.c -o ${work}/by_pkg_config ${shared}
      -Wl,-rpath,${lib})
  check_program(${work}/by_pkg_config)
  run(${pkg_config} --static --cflags --libs daedal)
  separate_arguments(static UNIX_COMMAND "${output}")
  list(TRANSFORM static REPLACE "^-ldaedal$" "-l:libdaedal.a")
  run(${compiler} ${flags} ${source}/program.c -o ${work}/by_pkg_config_static ${static})
  check_program(${work}/by_pkg_config_static)
endif()

# the Python module takes the library beside which it was installed
if(python)
  unset(ENV{DAEDAL_LIBRARY})
  set(ENV{PYTHONPATH} ${prefix}/${datadir}/daedal/python)
  run(${python} -B -c
      "import daedal, os\nprint(os.path.realpath(daedal._lib._name), daedal.version)")
  file(REAL_PATH ${lib}/libdaedal.so installed)
  if(NOT output MATCHES "^${installed} ${version}\n")
    message(FATAL_ERROR "the Python module uses ${output}")
  endif()
endif()

# the shared library exports the public names and nothing else
run(${nm} -D --defined-only --format=posix ${lib}/libdaedal.so)
string(REGEX MATCHALL "[^\n]+" symbols "${output}")
if(NOT output MATCHES "(^|\n)dae_version T")
  message(FATAL_ERROR "dae_version is not exported:\n${output}")
endif()
foreach(symbol IN LISTS symbols)
  if(NOT symbol MATCHES "^dae_[a-z]")
    message(FATAL_ERROR "${symbol} is exported")
  endif()
endforeach()
