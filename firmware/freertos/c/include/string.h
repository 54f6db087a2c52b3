/* The part of <string.h> that the kernel uses; the functions come with Rust's compiler support library. With this header
 * the kernel needs a compiler and no C library. */
#ifndef FW_STRING_H
#define FW_STRING_H
#include <stddef.h>
void *memset(void *to, int value, size_t length);
void *memcpy(void *to, const void *from, size_t length);
#endif
