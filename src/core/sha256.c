#include "core/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64 /* bytes of a block */

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha256_rotate(uint32_t x, int n)
{
  return x >> n | x << (32 - n);
}

/* H = compression of H with a block. */
static void sha256_block(uint32_t H[8], const unsigned char *block)
{
  uint32_t W[64], a[8];
  for (int t = 0; t < 16; t++)
    W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
           (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    uint32_t x = W[t - 15], y = W[t - 2];
    W[t] = W[t - 16] + W[t - 7] + (sha256_rotate(x, 7) ^ sha256_rotate(x, 18) ^ x >> 3) +
           (sha256_rotate(y, 17) ^ sha256_rotate(y, 19) ^ y >> 10);
  }
  memcpy(a, H, sizeof a);
  for (int t = 0; t < 64; t++) {
    uint32_t e = a[4], s = a[0];
    uint32_t T1 = a[7] + (sha256_rotate(e, 6) ^ sha256_rotate(e, 11) ^ sha256_rotate(e, 25)) +
                  ((e & a[5]) ^ (~e & a[6])) + K[t] + W[t];
    uint32_t T2 = (sha256_rotate(s, 2) ^ sha256_rotate(s, 13) ^ sha256_rotate(s, 22)) +
                  ((s & a[1]) ^ (s & a[2]) ^ (a[1] & a[2]));
    memmove(a + 1, a, 7 * sizeof *a);
    a[4] += T1;
    a[0] = T1 + T2;
  }
  for (int i = 0; i < 8; i++)
    H[i] += a[i];
}

void dae__sha256(const void *bytes, size_t count, char text[DAE__SHA256_TEXT])
{
  /* fractional parts of the square roots of the first 8 primes */
  uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char end[2 * BLOCK] = {0};
  const unsigned char *from = bytes;
  size_t whole = count / BLOCK * BLOCK, rest = count - whole;
  size_t blocks = rest + 9 <= BLOCK ? 1 : 2;
  for (size_t i = 0; i < whole; i += BLOCK)
    sha256_block(H, from + i);
  /* the rest, a bit 1, zeros, the number of bits */
  if (rest > 0)
    memcpy(end, from + whole, rest);
  end[rest] = 0x80;
  for (size_t i = 0; i < 8; i++)
    end[blocks * BLOCK - 1 - i] = (unsigned char)((uint64_t)count * 8 >> 8 * i);
  for (size_t i = 0; i < blocks; i++)
    sha256_block(H, end + i * BLOCK);
  for (int i = 0; i < 8; i++)
    snprintf(text + 8 * i, DAE__SHA256_TEXT - (size_t)(8 * i), "%08x", (unsigned)H[i]);
}
