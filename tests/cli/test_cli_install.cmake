# The installed command runs by itself, and its manual page and completions are beside it.

file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix}
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the installation failed:\n${output}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH
                        ${prefix}/${bindir}/daedal --version
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output STREQUAL "daedal ${version}\n")
  message(FATAL_ERROR "the installed command says: ${output}")
endif()

foreach(file ${mandir}/man1/daedal.1 ${datadir}/bash-completion/completions/daedal
             ${datadir}/zsh/site-functions/_daedal)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
