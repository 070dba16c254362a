/* One input of the fuzzer: linked with libFuzzer, or with the driver of this folder. */
#ifndef DAEDAL_TESTS_FUZZ_MODEL_H
#define DAEDAL_TESTS_FUZZ_MODEL_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
