# daedal_bytes(out file): the bytes of a file as numbers, each followed by a comma, for initialisers
# in C. A change of the file runs the configuration again.
function(daedal_bytes out file)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()
