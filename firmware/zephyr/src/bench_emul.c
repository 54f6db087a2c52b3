/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Chip, edge and bench where there is no hardware: native_sim (pins by gpio_emul) and QEMU's LM3S6965. They serve to
 * run the console, the modes and the bookkeeping; their times mean nothing and no log of them is kept (HZ? is 0).
 * A kernel timer makes the edge, and looks for the response half a gap later.
 */
#include "board.h"
#include "edge.h"

#if defined(CONFIG_GPIO_EMUL)
#include <zephyr/drivers/gpio/gpio_emul.h>
#endif

#include <errno.h>

static const struct gpio_dt_spec input = GPIO_DT_SPEC_GET(DT_PATH(zephyr_user), input_gpios);
static const struct gpio_dt_spec response = GPIO_DT_SPEC_GET(DT_PATH(zephyr_user), response_gpios);
static struct gpio_callback callback;

static struct gaps gaps;
static volatile uint32_t stimuli;
static volatile uint32_t lost;
static uint32_t gap_us;
static bool edge_is_out;

#if defined(CONFIG_GPIO_EMUL)

static bool masked = true;

static void edge_drive(bool high)
{
	/* The emulator calls back at once: what the mask of a real line would hold back must not be raised at all. */
	if (!masked) {
		(void)gpio_emul_input_set(input.port, input.pin, high);
	}
}

static bool response_is_high(void)
{
	return gpio_emul_output_get(response.port, response.pin) == 1;
}

void edge_mask(void)
{
	masked = true;
}

void edge_unmask(void)
{
	masked = false;
}

void edge_forget(void)
{
}

#else

/* Data sheet of the LM3S6965, GPIO: GPIODIR is 0x400, GPIOIM is 0x410. */
#define LM3S_DIR LM3S_REG(0x400)
#define LM3S_IM	 LM3S_REG(0x410)

/* The port sees edges on inputs only: the pin takes its level as an output, and turning it into an input is the edge. */
static void edge_drive(bool high)
{
	uint32_t pin = BIT(input.pin);

	LM3S_DIR |= pin;
	LM3S_DATA(input.pin) = high ? pin : 0;
	LM3S_DIR &= ~pin;
}

static bool response_is_high(void)
{
	return LM3S_DATA(response.pin) != 0;
}

void edge_mask(void)
{
	irq_disable(EDGE_IRQN);
}

void edge_unmask(void)
{
	/* Zephyr's driver for this port writes the mask inverted; without this no edge arrives. */
	LM3S_IM |= BIT(input.pin);
	irq_enable(EDGE_IRQN);
}

void edge_forget(void)
{
	LM3S_ICR = BIT(input.pin);
	NVIC_ClearPendingIRQ(EDGE_IRQN);
}

#endif

int edge_init(gpio_callback_handler_t handler)
{
	int error = gpio_pin_configure_dt(&input, GPIO_INPUT);

	gpio_init_callback(&callback, handler, BIT(input.pin));
	error = error != 0 ? error : gpio_add_callback(input.port, &callback);
	error = error != 0 ? error : gpio_pin_interrupt_configure_dt(&input, GPIO_INT_EDGE_RISING);
	edge_mask();
	return error;
}

void edge_hand_to(gpio_callback_handler_t handler)
{
	callback.handler = handler;
}

void response_low(void)
{
	(void)gpio_pin_set_raw(response.port, response.pin, 0);
}

bool response_by_hardware(bool on)
{
	return !on;
}

int chip_init(void)
{
	return 0;
}

void chip_feed(void)
{
}

void chip_conditions(struct conditions *conditions)
{
	*conditions = (struct conditions){
		.clock_hz = (uint32_t)sys_clock_hw_cycles_per_sec(),
		.source = "none",
		.gpiote = "none",
		.cache = "none",
		.reset = "power",
	};
}

unsigned int chip_priority(void)
{
#if defined(EDGE_IRQN)
	return NVIC_GetPriority(EDGE_IRQN);
#else
	return 0;
#endif
}

static void on_timer(struct k_timer *timer);
static K_TIMER_DEFINE(beat, on_timer, NULL);

static void next_gap(void)
{
	if (gaps_next(&gaps, &gap_us)) {
		k_timer_start(&beat, K_USEC(gap_us / 2), K_NO_WAIT);
	} else {
		train_running = false;
	}
}

static void book(void)
{
	if (!response_is_high()) {
		lost++;
	}
	response_low();
	stimuli++;
	next_gap();
}

/* Twice a gap: first the edge of this stimulus, then, at the gap's end, its books. */
static void on_timer(struct k_timer *timer)
{
	if (!train_running) {
		return;
	}
	edge_is_out = !edge_is_out;
	if (edge_is_out) {
		k_timer_start(timer, K_USEC(gap_us - gap_us / 2), K_NO_WAIT);
		edge_drive(false);
		edge_drive(true);
	} else {
		book();
	}
}

int bench_init(void)
{
	return 0;
}

void bench_arm(void)
{
	response_low();
	edge_forget();
	edges_in_code = 0;
	stimuli = 0;
	lost = 0;
}

void bench_start(const struct train *train)
{
	bench_stop();
	response_low();
	gaps_begin(&gaps, train);
	edge_is_out = false;
	train_running = true;
	next_gap();
}

void bench_stop(void)
{
	k_timer_stop(&beat);
	train_running = false;
}

void bench_counts(struct counts *counts)
{
	counts->busy = train_running;
	counts->stimuli = stimuli;
	counts->edges = edges_in_code;
	counts->lost = lost;
}

uint32_t bench_log_hz(void)
{
	return 0;
}

bool bench_log_pop(uint32_t *delta)
{
	ARG_UNUSED(delta);
	return false;
}

const char *bench_fault(void)
{
	return NULL;
}
