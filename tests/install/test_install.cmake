# The steps of a packager and a user, in order: install, find_package, pkg-config, examples, models,
# pages, Python, exported symbols.

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

# libraries are searched in no folder that a user could be lured into: an empty entry of RUNPATH is the
# working folder, a relative one depends on it
find_program(readelf readelf)
function(check_runpath file)
  if(readelf AND EXISTS ${file})
    run(${readelf} -d ${file})
    if(output MATCHES "R(UN)?PATH\\)[^[]*\\[([^]]*)\\]")
      string(REPLACE ":" "|" entries "|${CMAKE_MATCH_2}|")
      if(entries MATCHES "[|][|]|[|][^/$|]")
        message(FATAL_ERROR "${file} has the RUNPATH ${CMAKE_MATCH_2}")
      endif()
    endif()
  endif()
endfunction()
file(GLOB programs ${build}/cli/daedal ${build}/*.so ${build}/bench/bench_* ${build}/tests/unit/test_*
  ${prefix}/${bindir}/daedal ${lib}/*.so)
foreach(program IN LISTS programs)
  if(NOT IS_DIRECTORY ${program} AND NOT program MATCHES "[.](cmake|c|o|txt)$")
    check_runpath(${program})
  endif()
endforeach()
# a library planted in the working folder is not loaded: this one is not even one
if(command)
  file(MAKE_DIRECTORY ${work}/planted)
  foreach(name libklu.so.1 libbtf.so.1 libamd.so.2 libcolamd.so.2 libopenblas.so.0 libexpat.so.1 libm.so.6)
    file(WRITE ${work}/planted/${name} "planted")
  endforeach()
  foreach(program ${build}/cli/daedal ${prefix}/${bindir}/daedal)
    execute_process(COMMAND ${program} --version WORKING_DIRECTORY ${work}/planted
                    RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_VARIABLE output)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${program} looks for libraries in the working folder: ${output}")
    endif()
  endforeach()
endif()

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

  # the installed C examples, as README.md says
  set(examples ${prefix}/${datadir}/daedal/examples)
  file(GLOB programs ${examples}/*.c)
  list(LENGTH programs count)
  if(count LESS 5)
    message(FATAL_ERROR "${count} C examples are installed")
  endif()
  foreach(program IN LISTS programs)
    get_filename_component(name ${program} NAME_WE)
    file(MAKE_DIRECTORY ${work}/${name})
    run(${compiler} ${flags} ${program} ${shared} -Wl,-rpath,${lib} -lm -o ${work}/${name}/${name})
    run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${CMAKE_COMMAND} -E chdir ${work}/${name}
        ./${name})
  endforeach()
endif()

# every installed model loads, and the installed command runs some of them, one with an import
if(command)
  set(daedal ${prefix}/${bindir}/daedal)
  file(GLOB models ${prefix}/${datadir}/daedal/examples/models/*.dae)
  list(LENGTH models count)
  if(count LESS 40)
    message(FATAL_ERROR "${count} models are installed")
  endif()
  foreach(model IN LISTS models)
    run(${daedal} check ${model})
  endforeach()
  foreach(model pendulum drive_train two_circuits bouncing_ball)
    run(${daedal} run ${prefix}/${datadir}/daedal/examples/models/${model}.dae
        --out ${work}/${model}.csv)
  endforeach()
endif()

# pages and editor files; links of installed pages to other pages and to images lead somewhere
set(doc ${prefix}/${docdir})
foreach(file ${doc}/docs/references.bib ${doc}/docs/images/report.png
             ${prefix}/${datadir}/daedal/editors/vim/syntax/dae.vim
             ${prefix}/${datadir}/daedal/editors/vscode/package.json)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
file(GLOB_RECURSE pages ${doc}/*.md)
foreach(page IN LISTS pages)
  get_filename_component(folder ${page} DIRECTORY)
  file(READ ${page} text)
  string(REPLACE "](" "link<" text "${text}") # a bracket would join the elements of a list
  string(REGEX MATCHALL "link<[A-Za-z0-9_./-]+" links "${text}")
  list(TRANSFORM links REPLACE "^link<" "")
  foreach(link IN LISTS links)
    if(NOT EXISTS "${folder}/${link}" AND NOT link MATCHES "^https?$")
      message(FATAL_ERROR "${page}: the link ${link} leads nowhere")
    endif()
  endforeach()
endforeach()

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
