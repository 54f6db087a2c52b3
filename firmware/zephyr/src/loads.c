/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Background loads that can be switched while the image runs. A load that is off waits on its semaphore and costs
 * nothing. `spin` is the answer to the article's power management: with it the core never waits in WFI, without it the
 * idle thread does.
 */
#include "board.h"

#include <zephyr/device.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#if defined(CONFIG_LATENCY_LOAD_I2C)
#include <zephyr/drivers/i2c.h>
#endif

/* Below the console: it must answer while a load runs. */
#define LOWEST K_LOWEST_APPLICATION_THREAD_PRIO

#if defined(CONFIG_FPU_SHARING)
#define THREAD_OPTIONS K_FP_REGS
#else
#define THREAD_OPTIONS 0
#endif

struct load {
	const char *name;
	int priority;
	/* One round of work; the thread comes back for the next one. */
	void (*round)(void);
	struct k_sem *gate;
};

static void round_spin(void)
{
	k_busy_wait(50);
}

/* 5 us in which no interrupt but a zero-latency one is taken, then a pause long enough for everything else. */
static void round_mask(void)
{
	unsigned int key = irq_lock();

	k_busy_wait(5);
	irq_unlock(key);
	k_busy_wait(45);
}

#if defined(CONFIG_FPU_SHARING)
/* Keeps a floating-point context alive, so that each interrupt reserves room for it (lazy stacking). */
static void round_fpu(void)
{
	static volatile float value = 1.0f;

	for (unsigned int i = 0; i < 1000; i++) {
		value = value * 1.0001f + 0.25f;
	}
	if (value > 1000.0f) {
		value = 1.0f;
	}
}
#endif

#if defined(CONFIG_LATENCY_LOAD_I2C)
static const struct device *const i2c = DEVICE_DT_GET(DT_ALIAS(load_i2c));

/* Writes to the address of a common memory. With no device there the transfer ends at the address byte. */
static void round_i2c(void)
{
	uint8_t bytes[16] = {0};

	if (i2c_write(i2c, bytes, sizeof(bytes), 0x50) != 0) {
		k_msleep(1);
	}
}
#endif

#define GATE(name) static K_SEM_DEFINE(name##_gate, 0, 1)
GATE(spin);
GATE(mask);
#if defined(CONFIG_FPU_SHARING)
GATE(fpu);
#endif
#if defined(CONFIG_LATENCY_LOAD_I2C)
GATE(i2c);
#endif

static const struct load loads[] = {
	{"spin", LOWEST, round_spin, &spin_gate},
	{"mask", LOWEST, round_mask, &mask_gate},
#if defined(CONFIG_FPU_SHARING)
	{"fpu", LOWEST, round_fpu, &fpu_gate},
#endif
#if defined(CONFIG_LATENCY_LOAD_I2C)
	{"i2c", 5, round_i2c, &i2c_gate},
#endif
};

static volatile bool on[ARRAY_SIZE(loads)];
static struct k_thread threads[ARRAY_SIZE(loads)];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, ARRAY_SIZE(loads), 1024);

static void loop(void *load, void *flag, void *unused)
{
	const struct load *self = load;
	const volatile bool *self_on = flag;

	ARG_UNUSED(unused);
	for (;;) {
		if (*self_on) {
			self->round();
			/* Loads of one priority take turns. */
			k_yield();
		} else {
			(void)k_sem_take(self->gate, K_FOREVER);
		}
	}
}

const char *load_name(unsigned int index)
{
	return index < ARRAY_SIZE(loads) ? loads[index].name : NULL;
}

bool load_is_on(unsigned int index)
{
	return index < ARRAY_SIZE(loads) && on[index];
}

void load_set(unsigned int index, bool value)
{
	if (index < ARRAY_SIZE(loads)) {
		on[index] = value;
		k_sem_give(loads[index].gate);
	}
}

int loads_init(void)
{
#if defined(CONFIG_LATENCY_LOAD_I2C)
	if (!device_is_ready(i2c)) {
		return -ENODEV;
	}
#endif
	for (unsigned int i = 0; i < ARRAY_SIZE(loads); i++) {
		(void)k_thread_create(&threads[i], stacks[i], K_THREAD_STACK_SIZEOF(stacks[i]), loop,
				      (void *)&loads[i], (void *)&on[i], NULL, loads[i].priority, THREAD_OPTIONS, K_NO_WAIT);
	}
	return 0;
}
