# Warnings, sanitizers and what the code counts on, for everything in this tree.

set(c_only -Wmissing-prototypes -Wstrict-prototypes)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion
                    "$<$<COMPILE_LANGUAGE:C>:${c_only}>")
if(DAEDAL_WERROR)
  add_compile_options(-Werror)
endif()
if(DAEDAL_ASSERTIONS)
  add_compile_definitions(DAE_WITH_ASSERTIONS)
endif()
if(DAEDAL_MUTANTS)
  add_compile_definitions(DAE_WITH_MUTANTS)
endif()
if(DAEDAL_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  # an access through a null pointer or past an object is found by the address sanitizer; arithmetic of
  # pointers that nothing reads through is not
  if(NOT DAEDAL_SANITIZE_POINTERS)
    add_compile_options(-fno-sanitize=null,object-size,pointer-overflow)
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()
# short loops stay loops (src/core/vec.h)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fno-tree-loop-distribute-patterns>")
endif()
# Hardening, for models and files that are not trusted: checked calls of the C library (with optimisation
# only), canaries in functions with arrays, tables of addresses that are read-only from the start. The
# sanitizers have checks of their own in these places. In the layers of numbers alone, whose sizes no text
# determines within a call, only functions with texts have canaries: all of them would take 0.6 to
# 2.9 % of the instructions of small problems.
if(DAEDAL_HARDEN AND NOT DAEDAL_SANITIZE)
  add_compile_options(-fstack-protector-strong
    "$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
  add_link_options(-Wl,-z,relro -Wl,-z,now)
  set(DAEDAL_NUMERIC_FLAGS -fno-stack-protector -fstack-protector)
endif()
# daedal_own_runpath(target...): no RUNPATH that is rewritten at installation: CMake pads it with an empty
# entry, which is the working folder of whoever starts the program. What is installed has from the start
# the folders of the libraries it is linked with, where these are not those of the system.
function(daedal_own_runpath)
  set_target_properties(${ARGN} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "" INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
