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
