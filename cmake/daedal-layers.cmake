# The library, put together from layers.
#
# Each folder of src/ is a layer with a CMakeLists.txt of one line,
#
#   daedal_layer(linalg dense.c pattern.c ...)
#
# and is compiled against include/ and a staging folder that holds links to the layer itself and to
# those before it, and to nothing else. Including a later layer does not compile.

function(daedal_libraries)
  set(DAEDAL_LAYERS ${ARGN})
  add_library(daedal STATIC)
  add_library(daedal_shared SHARED)
  foreach(layer IN LISTS DAEDAL_LAYERS)
    if(EXISTS ${PROJECT_SOURCE_DIR}/src/${layer}/CMakeLists.txt)
      add_subdirectory(src/${layer})
    endif()
  endforeach()
  foreach(library daedal daedal_shared)
    target_include_directories(${library} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE m)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME daedal)
  endforeach()
  # what is exported: dae_ names, not the internal dae__ ones
  set(exports ${PROJECT_SOURCE_DIR}/cmake/daedal.map)
  target_link_options(daedal_shared PRIVATE -Wl,--version-script=${exports})
  set_target_properties(daedal_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${exports})
  add_library(daedal::daedal ALIAS daedal_shared)
  add_library(daedal::static ALIAS daedal)
endfunction()

function(daedal_layer layer)
  add_library(daedal_${layer} OBJECT ${ARGN})
  daedal_stage(${layer} stage)
  target_include_directories(daedal_${layer} PRIVATE ${PROJECT_SOURCE_DIR}/include ${stage})
  set_target_properties(daedal_${layer} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  foreach(library daedal daedal_shared)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:daedal_${layer}>)
  endforeach()
  if(layer STREQUAL "linalg")
    daedal_link_numerics(daedal_${layer})
  elseif(layer STREQUAL "wave" AND DAEDAL_WITH_THREADS)
    foreach(target daedal_${layer} daedal daedal_shared)
      target_link_libraries(${target} PRIVATE Threads::Threads)
    endforeach()
  elseif(layer STREQUAL "model" AND DAEDAL_WITH_JIT)
    foreach(library daedal daedal_shared)
      target_link_libraries(${library} PRIVATE ${CMAKE_DL_LIBS}) # dlopen
    endforeach()
  endif()
endfunction()

# links to this layer and those before it
function(daedal_stage layer out)
  set(stage ${PROJECT_BINARY_DIR}/stage/${layer})
  file(REMOVE_RECURSE ${stage})
  file(MAKE_DIRECTORY ${stage})
  foreach(below IN LISTS DAEDAL_LAYERS)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${below})
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${below} ${stage}/${below} SYMBOLIC)
    endif()
    if(below STREQUAL layer)
      break()
    endif()
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
      target_link_libraries(daedal PRIVATE ${library})
      target_link_libraries(daedal_shared PRIVATE ${library})
    endif()
  endforeach()
endfunction()
