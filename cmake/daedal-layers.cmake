# The library, put together from layers.
#
# A layer is a folder of src/, with its sub-folders unless these are layers themselves. Its
# CMakeLists.txt names the layers it may include and its files,
#
#   daedal_layer(onestep/gauss
#     NEEDS core quadrature linalg problem step onestep/host
#     SOURCES gauss.c ...)
#
# and it is compiled against include/ and a staging folder that holds links to itself and to those
# layers, and to nothing else: including another one does not compile.
#
# The objects of all layers are put together three times: daedal, static; daedal_shared, which exports
# the public names; daedal_internal, shared, which exports all names, for the tests. It is not
# installed. A program of 200 kB is linked to it, where the static library makes one of 30 MB.

set(DAEDAL_LIBRARIES daedal daedal_shared daedal_internal)

function(daedal_libraries)
  add_library(daedal STATIC)
  add_library(daedal_shared SHARED)
  add_library(daedal_internal SHARED EXCLUDE_FROM_ALL)
  foreach(layer IN LISTS ARGN)
    add_subdirectory(src/${layer})
  endforeach()
  foreach(library IN LISTS DAEDAL_LIBRARIES)
    target_include_directories(${library} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE m)
  endforeach()
  set_target_properties(daedal_shared PROPERTIES OUTPUT_NAME daedal)
  # what is exported: dae_ names, not the internal dae__ ones
  set(exports ${PROJECT_SOURCE_DIR}/cmake/daedal.map)
  target_link_options(daedal_shared PRIVATE -Wl,--version-script=${exports})
  # soname libdaedal.so.0.2: before 1.0 a minor version may change structs (docs/compatibility.md)
  set_target_properties(daedal_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${exports})
  daedal_own_runpath(daedal_shared)
  add_library(daedal::daedal ALIAS daedal_shared)
  add_library(daedal::static ALIAS daedal)
endfunction()

function(daedal_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS;SOURCES")
  string(REPLACE "/" "_" target daedal_${layer})
  add_library(${target} OBJECT ${arg_SOURCES})
  daedal_stage(${layer} stage ${layer} ${arg_NEEDS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${stage})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(layer MATCHES "^(quadrature|linalg|problem|step|multistep|onestep/.*|wave)$")
    target_compile_options(${target} PRIVATE ${DAEDAL_NUMERIC_FLAGS})
  endif()
  foreach(library IN LISTS DAEDAL_LIBRARIES)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
  if(layer STREQUAL "linalg")
    daedal_link_numerics(${target})
  elseif(layer STREQUAL "import" AND DAEDAL_WITH_EXPAT)
    foreach(user ${target} ${DAEDAL_LIBRARIES})
      target_link_libraries(${user} PRIVATE EXPAT::EXPAT)
    endforeach()
  elseif(layer STREQUAL "wave" AND DAEDAL_WITH_THREADS)
    foreach(user ${target} ${DAEDAL_LIBRARIES})
      target_link_libraries(${user} PRIVATE Threads::Threads)
    endforeach()
  elseif(layer STREQUAL "model" AND DAEDAL_WITH_JIT)
    foreach(library IN LISTS DAEDAL_LIBRARIES)
      target_link_libraries(${library} PRIVATE ${CMAKE_DL_LIBS}) # dlopen
    endforeach()
  endif()
endfunction()

# a folder with links to the layers that may be included
function(daedal_stage layer out)
  set(stage ${PROJECT_BINARY_DIR}/stage/${layer})
  file(REMOVE_RECURSE ${stage})
  foreach(allowed IN LISTS ARGN)
    get_filename_component(parent ${stage}/${allowed} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${allowed} ${stage}/${allowed} SYMBOLIC)
  endforeach()
  set(${out} ${stage} PARENT_SCOPE)
endfunction()

# LAPACK and KLU are known to linalg only
function(daedal_link_numerics layer)
  foreach(name LAPACK KLU)
    string(TOLOWER daedal::${name} library)
    if(DAEDAL_WITH_${name})
      target_compile_definitions(${layer} PRIVATE DAE_WITH_${name})
      target_link_libraries(${layer} PRIVATE ${library})
      foreach(user IN LISTS DAEDAL_LIBRARIES)
        if(NOT (name STREQUAL "LAPACK" AND user STREQUAL "daedal_shared" AND DAEDAL_LAPACK_LAZY))
          target_link_libraries(${user} PRIVATE ${library})
        endif()
      endforeach()
    endif()
  endforeach()
  if(DAEDAL_LAPACK_LAZY)
    daedal_load_lapack(daedal_shared)
  endif()
endfunction()

# Whether the command and the shared library load LAPACK when it is needed.
set(DAEDAL_LAPACK_LAZY OFF)
if(DAEDAL_WITH_LAPACK AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  get_target_property(DAEDAL_LAPACK_FILES daedal::lapack INTERFACE_LINK_LIBRARIES)
  list(GET DAEDAL_LAPACK_FILES 0 DAEDAL_LAPACK_FILE)
  if(DAEDAL_LAPACK_FILE MATCHES "[.]so")
    set(DAEDAL_LAPACK_LAZY ON)
  endif()
endif()

# Links functions that load LAPACK at their first call in place of LAPACK: from the file as it was
# found, or from that of the run-time package, in the folder of the former or anywhere.
function(daedal_load_lapack target)
  if(NOT TARGET daedal_lapack_lazy)
    get_filename_component(folder ${DAEDAL_LAPACK_FILE} DIRECTORY)
    set(places "\"${DAEDAL_LAPACK_FILE}\", \"liblapack.so.3\"")
    if(DAEDAL_LAPACK_FILE MATCHES "openblas")
      set(places "\"${folder}/libopenblas.so.0\", \"libopenblas.so.0\", ${places}")
    endif()
    add_library(daedal_lapack_lazy OBJECT ${PROJECT_SOURCE_DIR}/src/linalg/lapack_lazy.c)
    set_target_properties(daedal_lapack_lazy PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(daedal_lapack_lazy PRIVATE "DAE_LAPACK_PLACES=${places}")
  endif()
  target_link_libraries(${target} PRIVATE daedal_lapack_lazy ${CMAKE_DL_LIBS})
endfunction()
