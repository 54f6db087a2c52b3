/* The kernel includes <stdlib.h> and uses nothing of it in this configuration. */
#ifndef FW_STDLIB_H
#define FW_STDLIB_H
#include <stddef.h>
#endif
