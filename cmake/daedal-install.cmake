# Installation: headers, both libraries, the CMake package and the pkg-config file; the command with
# its manual page and completions; the Python module; examples, documentation and editor files.
# find_package(daedal) gives daedal::daedal (shared) and daedal::static.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)
set_target_properties(daedal_shared PROPERTIES EXPORT_NAME daedal)
set_target_properties(daedal PROPERTIES EXPORT_NAME static)

install(DIRECTORY include/daedal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(TARGETS daedal_shared daedal EXPORT daedal-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT daedal-targets NAMESPACE daedal:: DESTINATION ${package_dir})

configure_package_config_file(cmake/daedal-config.cmake.in ${PROJECT_BINARY_DIR}/daedal-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/daedal-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/daedal-config.cmake
  ${PROJECT_BINARY_DIR}/daedal-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/daedal-dependencies.cmake
  DESTINATION ${package_dir})

# what a static link needs beside libdaedal.a, as linker flags
set(DAEDAL_PRIVATE_LIBS)
foreach(library klu lapack)
  if(TARGET daedal::${library})
    get_target_property(files daedal::${library} INTERFACE_LINK_LIBRARIES)
    foreach(file IN LISTS files)
      get_filename_component(name "${file}" NAME_WE)
      string(REGEX REPLACE "^(lib|-l)" "" name "${name}")
      string(APPEND DAEDAL_PRIVATE_LIBS "-l${name} ")
    endforeach()
  endif()
endforeach()
if(DAEDAL_WITH_EXPAT)
  string(APPEND DAEDAL_PRIVATE_LIBS "-lexpat ")
endif()
if(DAEDAL_WITH_THREADS)
  string(APPEND DAEDAL_PRIVATE_LIBS "-pthread ")
endif()
if(DAEDAL_WITH_JIT AND CMAKE_DL_LIBS)
  string(APPEND DAEDAL_PRIVATE_LIBS "-l${CMAKE_DL_LIBS} ")
endif()
string(APPEND DAEDAL_PRIVATE_LIBS -lm)
file(RELATIVE_PATH DAEDAL_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/daedal.pc.in ${PROJECT_BINARY_DIR}/daedal.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/daedal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET daedal_command)
  install(TARGETS daedal_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/daedal.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES completions/daedal.bash RENAME daedal
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES completions/_daedal DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# one file: PYTHONPATH leads to it, and it finds the library relative to its own place
install(FILES python/daedal.py DESTINATION ${CMAKE_INSTALL_DATADIR}/daedal/python)

install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/daedal
  FILES_MATCHING PATTERN *.c PATTERN *.dae PATTERN *.csv PATTERN *.urdf)
install(DIRECTORY editors DESTINATION ${CMAKE_INSTALL_DATADIR}/daedal)

# pages in the same places relative to each other as in the sources: their links stay valid
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.bib PATTERN daedal.1)
