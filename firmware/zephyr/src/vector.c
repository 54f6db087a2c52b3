/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Two ways to have the measured interrupt without Zephyr's dispatch.
 *
 * LATENCY_VECTOR_EXCHANGE: the vector table is copied to RAM and one word of it is exchanged while such a mode is in
 * force, so that one image has these modes beside those of the driver. The handler is what ISR_DIRECT_DECLARE makes of
 * it; only the fetch of the vector differs from IRQ_DIRECT_CONNECT (RAM instead of flash), and CONF? says so.
 *
 * LATENCY_DIRECT_CONNECT: the literal IRQ_DIRECT_CONNECT. Zephyr's GPIO driver connects the same line; both together
 * build and link without a word and leave the driver's modes dead. Hence the #error below.
 */
#include "vector.h"
#include "edge.h"

#include <zephyr/irq.h>

#include <errno.h>
#include <string.h>

#if defined(CONFIG_LATENCY_DIRECT_CONNECT) && defined(CONFIG_GPIO_NRFX_INTERRUPT)
#error "IRQ_DIRECT_CONNECT and the GPIO driver would silently share one vector: set CONFIG_GPIO_NRFX_INTERRUPT=n"
#endif

#if defined(CONFIG_LATENCY_VECTOR_PATHS)

/* Answers with one store. It makes no kernel call, so it returns 0 (no reschedule) and may be above irq_lock(). */
ISR_DIRECT_DECLARE(answer_directly)
{
	response_high_register();
	edge_clear_register();
	edges_in_code++;
	if (!train_running) {
		response_hold();
		response_low_register();
	}
	return 0;
}

#if defined(CONFIG_LATENCY_DIRECT_CONNECT)
#if defined(CONFIG_ZERO_LATENCY_IRQS)
#define CONNECT_FLAGS IRQ_ZERO_LATENCY
#else
#define CONNECT_FLAGS 0
#endif

int vector_take(bool zero_latency)
{
	IRQ_DIRECT_CONNECT(EDGE_IRQN, 0, answer_directly, CONNECT_FLAGS);
	if (!zero_latency) {
		/* The same line one step lower, where irq_lock() masks it. */
		NVIC_SetPriority(EDGE_IRQN, _IRQ_PRIO_OFFSET);
	}
	return 0;
}

void vector_restore(void)
{
}

bool vector_in_ram(void)
{
	return false;
}

#else

#define SLOT  (16 + EDGE_IRQN)
#define WORDS (16 + CONFIG_NUM_IRQS)

/* Vector table offset register: the table lies on a multiple of its size rounded up to a power of two. */
static uintptr_t table[WORDS] __aligned(512);
BUILD_ASSERT(WORDS * 4 <= 512, "the vector table does not fit its alignment");

static uintptr_t table_of_zephyr;
static uint32_t priority_of_zephyr;

static void use_table(uintptr_t address)
{
	unsigned int key = irq_lock();

	__DSB();
	SCB->VTOR = address;
	__DSB();
	__ISB();
	irq_unlock(key);
}

int vector_take(bool zero_latency)
{
	table_of_zephyr = SCB->VTOR;
	priority_of_zephyr = NVIC_GetPriority(EDGE_IRQN);
	memcpy(table, (const void *)table_of_zephyr, sizeof(table));
	table[SLOT] = (uintptr_t)answer_directly;
	use_table((uintptr_t)table);
	if (zero_latency) {
		NVIC_SetPriority(EDGE_IRQN, 0);
	}
	return 0;
}

void vector_restore(void)
{
	if (vector_in_ram()) {
		NVIC_SetPriority(EDGE_IRQN, priority_of_zephyr);
		use_table(table_of_zephyr);
	}
}

bool vector_in_ram(void)
{
	return SCB->VTOR == (uintptr_t)table;
}

#endif
#else

int vector_take(bool zero_latency)
{
	ARG_UNUSED(zero_latency);
	return -ENOTSUP;
}

void vector_restore(void)
{
}

bool vector_in_ram(void)
{
	return false;
}

#endif
