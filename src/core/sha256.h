/* SHA-256 of a text, by FIPS 180-4: what sha256sum prints of a file. */
#ifndef DAEDAL_CORE_SHA256_H
#define DAEDAL_CORE_SHA256_H

#include <stddef.h>

/* 64 hexadecimal digits and a 0. */
#define DAE__SHA256_TEXT 65
void dae__sha256(const void *bytes, size_t count, char text[DAE__SHA256_TEXT]);

#endif
