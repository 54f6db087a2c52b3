/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The measured interrupt taken past Zephyr's dispatch. Cortex-M only; elsewhere no mode asks for it. */
#ifndef LATENCY_VECTOR_H
#define LATENCY_VECTOR_H

#include <stdbool.h>

/* The direct handler answers from now on; above every irq_lock() when `zero_latency`. Only while the line is masked. */
int vector_take(bool zero_latency);
/* Handler, table and priority as Zephyr had them. Only while the line is masked. */
void vector_restore(void);
bool vector_in_ram(void);

#endif
