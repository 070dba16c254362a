# The numerical libraries as imported targets daedal::lapack and daedal::klu, expat as EXPAT::EXPAT,
# and POSIX threads as Threads::Threads. Used by the build and, installed beside the package file, by programs that link
# the static library.

# OpenBLAS carries LAPACK; the serial one is preferred, threads are daedal's own business
function(daedal_find_lapack)
  find_library(DAEDAL_OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-serial)
  mark_as_advanced(DAEDAL_OPENBLAS_LIBRARY)
  if(DAEDAL_OPENBLAS_LIBRARY)
    set(libraries ${DAEDAL_OPENBLAS_LIBRARY})
  else()
    find_package(LAPACK QUIET)
    if(NOT LAPACK_FOUND)
      message(FATAL_ERROR "LAPACK was not found: install libopenblas-serial-dev "
                          "or configure with -DDAEDAL_WITH_LAPACK=OFF")
    endif()
    set(libraries ${LAPACK_LIBRARIES})
  endif()
  add_library(daedal::lapack INTERFACE IMPORTED GLOBAL)
  set_target_properties(daedal::lapack PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endfunction()

# SuiteSparse 5 has no package file for KLU
function(daedal_find_klu)
  find_path(DAEDAL_KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
  mark_as_advanced(DAEDAL_KLU_INCLUDE_DIR)
  set(libraries)
  foreach(name klu btf amd colamd suitesparseconfig)
    string(TOUPPER DAEDAL_${name}_LIBRARY variable)
    find_library(${variable} ${name})
    mark_as_advanced(${variable})
    if(NOT ${variable} OR NOT DAEDAL_KLU_INCLUDE_DIR)
      message(FATAL_ERROR "KLU (${name}) was not found: install libsuitesparse-dev "
                          "or configure with -DDAEDAL_WITH_KLU=OFF")
    endif()
    list(APPEND libraries ${${variable}})
  endforeach()
  add_library(daedal::klu INTERFACE IMPORTED GLOBAL)
  set_target_properties(daedal::klu PROPERTIES
    INTERFACE_LINK_LIBRARIES "${libraries}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${DAEDAL_KLU_INCLUDE_DIR}"
    INTERFACE_INCLUDE_DIRECTORIES "${DAEDAL_KLU_INCLUDE_DIR}")
endfunction()

if(DAEDAL_WITH_LAPACK AND NOT TARGET daedal::lapack)
  daedal_find_lapack()
endif()
if(DAEDAL_WITH_KLU AND NOT TARGET daedal::klu)
  daedal_find_klu()
endif()
if(DAEDAL_WITH_EXPAT)
  find_package(EXPAT QUIET)
  if(NOT EXPAT_FOUND)
    message(FATAL_ERROR "expat was not found: install libexpat1-dev "
                        "or configure with -DDAEDAL_WITH_EXPAT=OFF")
  endif()
endif()
if(DAEDAL_WITH_THREADS)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads QUIET)
  if(NOT CMAKE_USE_PTHREADS_INIT)
    message(FATAL_ERROR "POSIX threads were not found: configure with -DDAEDAL_WITH_THREADS=OFF")
  endif()
endif()
