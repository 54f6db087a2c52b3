/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The interrupt paths of this image. Selecting one exchanges a pointer (the driver's callback or the vector itself), so
 * that the measured path holds no branch on the mode. Each name is part of a result's name: a path that goes through a
 * thread is never called an interrupt's latency.
 */
#include "board.h"
#include "edge.h"
#include "vector.h"

#include <zephyr/logging/log.h>

LOG_MODULE_REGISTER(latency, CONFIG_LOG_DEFAULT_LEVEL);

volatile bool train_running;
volatile uint32_t edges_in_code;

static const struct gpio_dt_spec response = GPIO_DT_SPEC_GET(DT_PATH(zephyr_user), response_gpios);

#if defined(CONFIG_LATENCY_DRIVER_PATHS)

static K_SEM_DEFINE(edge_seen, 0, 64);
static struct k_work system_work;
static struct k_work dedicated_work;
static struct k_work_q dedicated_queue;
static struct k_thread answer_thread;
static K_THREAD_STACK_DEFINE(dedicated_stack, 1024);
static K_THREAD_STACK_DEFINE(answer_stack, 1024);

/* The answer that all paths of the driver give: one write through the GPIO API, and everything else after it. */
static ALWAYS_INLINE void answer(void)
{
	(void)gpio_pin_set_raw(response.port, response.pin, 1);
	LOG_DBG("answered, %u edges", edges_in_code);
	if (!train_running) {
		response_hold();
		(void)gpio_pin_set_raw(response.port, response.pin, 0);
	}
}

#define ON_EDGE(name)                                                                                                  \
	static void name(const struct device *port, struct gpio_callback *callback, gpio_port_pins_t pins)

ON_EDGE(answer_now)
{
	ARG_UNUSED(port);
	ARG_UNUSED(callback);
	ARG_UNUSED(pins);
	answer();
	edges_in_code++;
}

ON_EDGE(wake_thread)
{
	ARG_UNUSED(port);
	ARG_UNUSED(callback);
	ARG_UNUSED(pins);
	k_sem_give(&edge_seen);
	edges_in_code++;
}

ON_EDGE(submit_to_system)
{
	ARG_UNUSED(port);
	ARG_UNUSED(callback);
	ARG_UNUSED(pins);
	(void)k_work_submit(&system_work);
	edges_in_code++;
}

ON_EDGE(submit_to_dedicated)
{
	ARG_UNUSED(port);
	ARG_UNUSED(callback);
	ARG_UNUSED(pins);
	(void)k_work_submit_to_queue(&dedicated_queue, &dedicated_work);
	edges_in_code++;
}

static void answer_work(struct k_work *work)
{
	ARG_UNUSED(work);
	answer();
}

static void answer_loop(void *a, void *b, void *c)
{
	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		(void)k_sem_take(&edge_seen, K_FOREVER);
		answer();
	}
}

static void threads_init(void)
{
	k_work_init(&system_work, answer_work);
	k_work_init(&dedicated_work, answer_work);
	k_work_queue_start(&dedicated_queue, dedicated_stack, K_THREAD_STACK_SIZEOF(dedicated_stack), K_PRIO_COOP(2),
			   NULL);
	(void)k_thread_create(&answer_thread, answer_stack, K_THREAD_STACK_SIZEOF(answer_stack), answer_loop, NULL,
			      NULL, NULL, K_PRIO_COOP(1), 0, K_NO_WAIT);
}

#endif

enum path {
	PATH_CALLBACK,
	PATH_VECTOR,
	PATH_ZERO_LATENCY,
	PATH_HARDWARE,
};

struct mode {
	const char *name;
	enum path path;
	/* PATH_CALLBACK only */
	gpio_callback_handler_t handler;
	/* Smallest spacing that leaves the path and the bookkeeping room at 128 MHz, loads included. */
	uint32_t min_gap_us;
};

#define EMULATED_GAP_US 2000
#define GAP(us)		(IS_ENABLED(CONFIG_LATENCY_HARDWARE_TRAIN) ? (us) : EMULATED_GAP_US)

static const struct mode modes[] = {
#if defined(CONFIG_LATENCY_DRIVER_PATHS)
	{"direct", PATH_CALLBACK, answer_now, GAP(24)},
	{"thread", PATH_CALLBACK, wake_thread, GAP(48)},
	{"workqueue", PATH_CALLBACK, submit_to_system, GAP(96)},
	{"dedicated-queue", PATH_CALLBACK, submit_to_dedicated, GAP(96)},
#endif
#if defined(CONFIG_LATENCY_VECTOR_PATHS)
	{"irq-direct", PATH_VECTOR, NULL, GAP(24)},
#if defined(CONFIG_ZERO_LATENCY_IRQS)
	{"zero-latency", PATH_ZERO_LATENCY, NULL, GAP(24)},
#endif
#endif
#if defined(CONFIG_LATENCY_HARDWARE_TRAIN)
	{"hw", PATH_HARDWARE, NULL, GAP(24)},
#endif
};

static const struct mode *in_force;
static bool ready;

const char *mode_name(unsigned int index)
{
	return index < ARRAY_SIZE(modes) ? modes[index].name : NULL;
}

const char *mode_current_name(void)
{
	return in_force != NULL ? in_force->name : "none";
}

uint32_t mode_min_gap_us(void)
{
	return in_force != NULL ? in_force->min_gap_us : UINT32_MAX;
}

const char *mode_isr_place(void)
{
	return in_force == NULL || in_force->path == PATH_HARDWARE ? "none" : "flash";
}

const char *mode_vector_place(void)
{
	return vector_in_ram() ? "ram" : "flash";
}

/* No path answers: interrupt masked, the driver's vector and priority back, output low. */
static void none_in_force(void)
{
	in_force = NULL;
	edge_mask();
	vector_restore();
	(void)response_by_hardware(false);
	response_low();
}

static int enter(const struct mode *mode)
{
	switch (mode->path) {
	case PATH_CALLBACK:
		edge_hand_to(mode->handler);
		return 0;
	case PATH_VECTOR:
		return vector_take(false);
	case PATH_ZERO_LATENCY:
		return vector_take(true);
	default:
		return response_by_hardware(true) ? 0 : -ENOTSUP;
	}
}

int mode_select(unsigned int index)
{
	const struct mode *mode;
	int error;

	if (!ready || index >= ARRAY_SIZE(modes)) {
		return -ENODEV;
	}
	mode = &modes[index];
	none_in_force();
	error = enter(mode);
	if (error != 0) {
		none_in_force();
		return error;
	}
	edge_forget();
	if (mode->path != PATH_HARDWARE) {
		edge_unmask();
	}
	in_force = mode;
	return 0;
}

int modes_init(void)
{
	int error = gpio_pin_configure_dt(&response, GPIO_OUTPUT_INACTIVE);

	if (error != 0) {
		return error;
	}
#if defined(CONFIG_LATENCY_DRIVER_PATHS)
	threads_init();
	error = edge_init(answer_now);
#else
	error = edge_init(NULL);
#endif
	if (error != 0) {
		return error;
	}
	ready = true;
	return mode_select(0);
}
