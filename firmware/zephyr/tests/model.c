/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define PINS	 32
#define IRQS	 69
#define CONTEXTS 12
#define STACK	 (256 * 1024)
#define DRIVER_CHANNEL 7
#define FOREVER	 UINT64_MAX

int app_main(void);

struct model_settings model;
struct model_seen seen;
const struct device stub_device;
struct stub_scb stub_scb;
struct stub_timer stub_timers[3];
struct stub_cache stub_cache;

enum { OFF, EVENT, TASK };

static struct {
	int mode;
	uint32_t pin;
	int publish;
	int set;
	int clear;
} channels[GPIOTE_CH_NUM];

static uintptr_t flash_table[16 + IRQS];
static bool levels[PINS];
static uint32_t dppi_enabled;
static uint32_t gpiote_inten;
static int latency;
static int divider;
static struct gpio_callback *driver_callback;

static struct {
	bool enabled, pending;
	unsigned int priority;
	void (*isr)(void);
} irqs[IRQS];
static bool in_isr;
static bool locked;

/* --- threads: one context each, they run until they wait --- */

static struct {
	ucontext_t context;
	k_thread_entry_t entry;
	void *a, *b, *c;
	char *stack;
} contexts[CONTEXTS];
static int context_count;
static int current = -1;
static ucontext_t scheduler;

static void trampoline(void)
{
	contexts[current].entry(contexts[current].a, contexts[current].b, contexts[current].c);
	abort();
}

void *k_thread_create(struct k_thread *thread, char *stack, size_t size, k_thread_entry_t entry, void *a, void *b,
		      void *c, int priority, uint32_t options, int delay)
{
	int i = context_count++;

	(void)thread, (void)stack, (void)size, (void)priority, (void)options, (void)delay;
	if (i >= CONTEXTS) {
		abort();
	}
	contexts[i].entry = entry;
	contexts[i].a = a;
	contexts[i].b = b;
	contexts[i].c = c;
	if (contexts[i].stack == NULL) {
		contexts[i].stack = malloc(STACK);
	}
	getcontext(&contexts[i].context);
	contexts[i].context.uc_stack.ss_sp = contexts[i].stack;
	contexts[i].context.uc_stack.ss_size = STACK;
	makecontext(&contexts[i].context, trampoline, 0);
	return thread;
}

static void yield_thread(void)
{
	int self = current;

	if (self >= 0) {
		swapcontext(&contexts[self].context, &scheduler);
	}
}

static void run_threads(void)
{
	/* Twice: what the first round made ready runs in the second. */
	for (int i = 0; i < 2 * context_count; i++) {
		current = i % context_count;
		swapcontext(&scheduler, &contexts[current].context);
	}
	current = -1;
}

void k_sem_give(struct k_sem *sem)
{
	sem->count += sem->count < sem->limit ? 1 : 0;
}

int k_sem_take(struct k_sem *sem, int wait)
{
	(void)wait;
	while (sem->count == 0) {
		yield_thread();
	}
	sem->count--;
	return 0;
}

void k_busy_wait(uint32_t us)
{
	(void)us;
	yield_thread();
}

void k_msleep(int ms)
{
	(void)ms;
	yield_thread();
}

void k_yield(void)
{
	yield_thread();
}

int i2c_write(const struct device *device, const uint8_t *bytes, uint32_t length, uint16_t address)
{
	(void)device, (void)bytes, (void)length, (void)address;
	return -EIO;
}

/* --- work --- */

static struct k_work *queue[8];
static int queued;

void k_work_init(struct k_work *work, void (*handler)(struct k_work *))
{
	work->handler = handler;
	work->queued = false;
}

int k_work_submit(struct k_work *work)
{
	if (!work->queued && queued < 8) {
		work->queued = true;
		queue[queued++] = work;
	}
	return 1;
}

int k_work_submit_to_queue(struct k_work_q *to, struct k_work *work)
{
	(void)to;
	return k_work_submit(work);
}

void k_work_queue_start(struct k_work_q *to, char *stack, size_t size, int priority, const void *config)
{
	(void)to, (void)stack, (void)size, (void)priority, (void)config;
}

static void run_work(void)
{
	for (int i = 0; i < queued; i++) {
		queue[i]->queued = false;
		queue[i]->handler(queue[i]);
	}
	queued = 0;
}

/* --- serial line --- */

static void (*uart_callback)(const struct device *, void *);
static const char *to_board;
static size_t to_board_left;
/* One byte an interrupt, as at 115200 baud. */
static bool byte_waits;
static char from_board[1 << 20];
static size_t from_board_length;
static uint8_t fifo[1024];
static size_t fifo_in, fifo_out;

int uart_irq_update(const struct device *device)
{
	(void)device;
	return 1;
}

int uart_irq_rx_ready(const struct device *device)
{
	(void)device;
	return byte_waits;
}

int uart_fifo_read(const struct device *device, uint8_t *bytes, int length)
{
	(void)device, (void)length;
	if (!byte_waits) {
		return 0;
	}
	byte_waits = false;
	*bytes = (uint8_t)*to_board++;
	to_board_left--;
	return 1;
}

int uart_irq_callback_user_data_set(const struct device *device, void (*callback)(const struct device *, void *),
				    void *context)
{
	(void)device, (void)context;
	uart_callback = callback;
	return 0;
}

void uart_irq_rx_enable(const struct device *device)
{
	(void)device;
}

void uart_poll_out(const struct device *device, unsigned char byte)
{
	(void)device;
	if (from_board_length < sizeof(from_board) - 1) {
		from_board[from_board_length++] = (char)byte;
	}
}

int k_msgq_put(struct k_msgq *to, const void *data, int wait)
{
	(void)to, (void)wait;
	if (fifo_in - fifo_out >= sizeof(fifo)) {
		return -ENOMSG;
	}
	fifo[fifo_in++ % sizeof(fifo)] = *(const uint8_t *)data;
	return 0;
}

int k_msgq_get(struct k_msgq *from, void *data, int wait)
{
	(void)from, (void)wait;
	if (fifo_in == fifo_out) {
		yield_thread();
	}
	if (fifo_in == fifo_out) {
		return -EAGAIN;
	}
	*(uint8_t *)data = fifo[fifo_out++ % sizeof(fifo)];
	return 0;
}

const char *model_serial(const char *bytes, size_t length)
{
	from_board_length = 0;
	to_board = bytes;
	to_board_left = length;
	while (to_board_left > 0 && uart_callback != NULL) {
		byte_waits = true;
		uart_callback(&stub_device, NULL);
		if (fifo_in - fifo_out > sizeof(fifo) / 2) {
			run_threads();
		}
	}
	run_threads();
	run_threads();
	from_board[from_board_length] = '\0';
	return from_board;
}

/* --- interrupts --- */

static void take(int irq);

static void deliver(void)
{
	if (in_isr || locked) {
		return;
	}
	for (int irq = 0; irq < IRQS; irq++) {
		if (irqs[irq].pending && irqs[irq].enabled) {
			irqs[irq].pending = false;
			take(irq);
		}
	}
}

void stub_connect(int irq, unsigned int priority, void (*isr)(const void *))
{
	irqs[irq].isr = (void (*)(void))isr;
	irqs[irq].priority = priority + _IRQ_PRIO_OFFSET;
}

void stub_direct_connect(int irq, unsigned int priority, void (*isr)(void), unsigned int flags)
{
	irqs[irq].isr = isr;
	irqs[irq].priority = flags & IRQ_ZERO_LATENCY ? 0 : priority + _IRQ_PRIO_OFFSET;
}

void irq_enable(int irq)
{
	irqs[irq].enabled = true;
	deliver();
}

void irq_disable(int irq)
{
	irqs[irq].enabled = false;
}

unsigned int irq_lock(void)
{
	unsigned int was = locked;

	locked = true;
	return was;
}

void irq_unlock(unsigned int key)
{
	locked = key != 0;
	deliver();
}

void NVIC_SetPriority(int irq, unsigned int priority)
{
	irqs[irq].priority = priority;
}

unsigned int NVIC_GetPriority(int irq)
{
	return irqs[irq].priority;
}

unsigned int model_priority(int irq)
{
	return irqs[irq].priority;
}

void NVIC_ClearPendingIRQ(int irq)
{
	irqs[irq].pending = false;
}

static void driver_isr(void)
{
	driver_callback->handler(&stub_device, driver_callback, driver_callback->pins);
}

/* --- pins, GPIOTE, DPPI --- */

static void dppi(int channel);

static void drive(uint32_t pin, bool level)
{
	if (levels[pin] == level) {
		return;
	}
	levels[pin] = level;
	if (pin == 6 && level) {
		seen.response_was_high += levels[4] ? 1 : 0;
		seen.stimulus_at[seen.stimuli++ % 64] = seen.now;
	}
	if (pin == 4 && level) {
		seen.response_at[seen.responses++ % 64] = seen.now;
	}
	if (pin == 4 && !level) {
		seen.response_fell_at[seen.response_falls++ % 64] = seen.now;
	}
	/* The two wires of the bench. */
	if (pin == 6) {
		drive(5, level);
	}
	if (pin == 4 && !model.response_wire_pulled) {
		drive(7, level);
	}
	for (int i = 0; i < GPIOTE_CH_NUM && level; i++) {
		if (channels[i].mode != EVENT || channels[i].pin != pin) {
			continue;
		}
		irqs[GPIOTE0_IRQn].pending |= (gpiote_inten & BIT(i)) != 0;
		dppi(channels[i].publish);
	}
}

/* A pin in task mode does not listen to the port. */
static void drive_port(uint32_t mask, bool level)
{
	for (uint32_t pin = 0; pin < PINS; pin++) {
		bool task = false;

		for (int i = 0; i < GPIOTE_CH_NUM; i++) {
			task |= channels[i].mode == TASK && channels[i].pin == pin;
		}
		if ((mask & BIT(pin)) && !task) {
			drive(pin, level);
		}
	}
}

static void drive_task(int channel, bool level)
{
	if (channels[channel].mode == TASK) {
		drive(channels[channel].pin, level);
	}
}

static void dppi(int channel)
{
	if (channel < 0 || !(dppi_enabled & BIT(channel))) {
		return;
	}
	for (int t = 0; t < 3; t++) {
		for (int task = 0; task < 16; task++) {
			if (stub_timers[t].subscribe[task] == channel) {
				nrf_timer_task_trigger(&stub_timers[t], (nrf_timer_task_t)task);
			}
		}
	}
	for (int i = 0; i < GPIOTE_CH_NUM; i++) {
		if (channels[i].set == channel) {
			drive_task(i, true);
		}
		if (channels[i].clear == channel) {
			drive_task(i, false);
		}
	}
}

void model_outside_edge(void)
{
	drive(5, true);
	deliver();
	drive(5, false);
}

bool model_level(uint32_t pin)
{
	return levels[pin];
}

void nrf_gpio_port_out_set(int port, uint32_t mask)
{
	(void)port;
	drive_port(mask, true);
}

void nrf_gpio_port_out_clear(int port, uint32_t mask)
{
	(void)port;
	drive_port(mask, false);
}

int gpio_pin_set_raw(const struct device *port, uint8_t pin, int value)
{
	(void)port;
	drive_port(BIT(pin), value != 0);
	return 0;
}

int gpio_pin_configure_dt(const struct gpio_dt_spec *spec, gpio_flags_t flags)
{
	(void)spec, (void)flags;
	return 0;
}

int gpio_pin_interrupt_configure_dt(const struct gpio_dt_spec *spec, gpio_flags_t flags)
{
	nrf_gpiote_event_configure(0, DRIVER_CHANNEL, spec->pin, NRF_GPIOTE_POLARITY_LOTOHI);
	nrf_gpiote_event_enable(0, DRIVER_CHANNEL);
	gpiote_inten |= BIT(DRIVER_CHANNEL);
	if (flags != GPIO_INT_EDGE_RISING) {
		return -ENOTSUP;
	}
	irqs[GPIOTE0_IRQn].priority = _IRQ_PRIO_OFFSET;
	irqs[GPIOTE0_IRQn].isr = driver_isr;
	irqs[GPIOTE0_IRQn].enabled = true;
	return 0;
}

void gpio_init_callback(struct gpio_callback *callback, gpio_callback_handler_t handler, gpio_port_pins_t pins)
{
	callback->handler = handler;
	callback->pins = pins;
}

int gpio_add_callback(const struct device *port, struct gpio_callback *callback)
{
	(void)port;
	driver_callback = callback;
	return 0;
}

void nrf_gpio_cfg_input(uint32_t pin, int pull)
{
	(void)pin, (void)pull;
}

void nrf_gpiote_event_configure(int reg, uint32_t channel, uint32_t pin, nrf_gpiote_polarity_t polarity)
{
	(void)reg, (void)polarity;
	channels[channel].pin = pin;
}

void nrf_gpiote_event_enable(int reg, uint32_t channel)
{
	(void)reg;
	channels[channel].mode = EVENT;
}

void nrf_gpiote_event_clear(int reg, nrf_gpiote_event_t event)
{
	(void)reg, (void)event;
}

void nrf_gpiote_int_enable(int reg, uint32_t mask)
{
	(void)reg;
	gpiote_inten |= mask;
}

void nrf_gpiote_task_configure(int reg, uint32_t channel, uint32_t pin, nrf_gpiote_polarity_t polarity,
			       nrf_gpiote_outinit_t level)
{
	(void)reg, (void)polarity, (void)level;
	channels[channel].pin = pin;
}

void nrf_gpiote_task_enable(int reg, uint32_t channel)
{
	(void)reg;
	channels[channel].mode = TASK;
}

void nrf_gpiote_task_trigger(int reg, nrf_gpiote_task_t task)
{
	(void)reg;
	drive_task((int)task & 0xF, (int)task < STUB_GPIOTE_CLR);
}

void nrf_gpiote_te_default(int reg, uint32_t channel)
{
	(void)reg;
	channels[channel].mode = OFF;
}

bool nrf_gpiote_te_is_enabled(int reg, uint32_t channel)
{
	(void)reg;
	return channels[channel].mode != OFF;
}

uint32_t nrf_gpiote_event_pin_get(int reg, uint32_t channel)
{
	(void)reg;
	return channels[channel].pin;
}

void nrf_gpiote_publish_set(int reg, nrf_gpiote_event_t event, uint8_t channel)
{
	(void)reg;
	channels[event - STUB_GPIOTE_EVENT].publish = channel;
}

static int *subscriber(nrf_gpiote_task_t task)
{
	int channel = (int)task & 0xF;

	return (int)task < STUB_GPIOTE_CLR ? &channels[channel].set : &channels[channel].clear;
}

void nrf_gpiote_subscribe_set(int reg, nrf_gpiote_task_t task, uint8_t channel)
{
	(void)reg;
	*subscriber(task) = channel;
}

void nrf_gpiote_subscribe_clear(int reg, nrf_gpiote_task_t task)
{
	(void)reg;
	*subscriber(task) = -1;
}

void nrf_gpiote_latency_set(int reg, nrf_gpiote_latency_t value)
{
	(void)reg;
	latency = value;
}

nrf_gpiote_latency_t nrf_gpiote_latency_get(int reg)
{
	(void)reg;
	return (nrf_gpiote_latency_t)latency;
}

void nrf_dppi_channels_enable(int reg, uint32_t mask)
{
	(void)reg;
	dppi_enabled |= mask;
}

bool nrf_dppi_channel_check(int reg, uint8_t channel)
{
	(void)reg;
	return (dppi_enabled & BIT(channel)) != 0;
}

/* --- timers --- */

void nrf_timer_mode_set(NRF_TIMER_Type *timer, nrf_timer_mode_t mode)
{
	timer->mode = mode;
}

void nrf_timer_bit_width_set(NRF_TIMER_Type *timer, int width)
{
	(void)timer, (void)width;
}

void nrf_timer_prescaler_set(NRF_TIMER_Type *timer, uint32_t factor)
{
	(void)timer, (void)factor;
}

void nrf_timer_cc_set(NRF_TIMER_Type *timer, nrf_timer_cc_channel_t channel, uint32_t value)
{
	timer->cc[channel] = value;
}

uint32_t nrf_timer_cc_get(NRF_TIMER_Type *timer, nrf_timer_cc_channel_t channel)
{
	return timer->cc[channel];
}

void nrf_timer_task_trigger(NRF_TIMER_Type *timer, nrf_timer_task_t task)
{
	switch ((int)task) {
	case NRF_TIMER_TASK_START:
	case NRF_TIMER_TASK_STOP:
		timer->running = task == NRF_TIMER_TASK_START;
		break;
	case NRF_TIMER_TASK_COUNT:
		timer->at += timer->running && timer->mode == NRF_TIMER_MODE_COUNTER ? 1 : 0;
		break;
	case NRF_TIMER_TASK_CLEAR:
		timer->at = 0;
		break;
	default:
		timer->cc[(int)task - NRF_TIMER_TASK_CAPTURE0] = timer->at;
	}
}

void nrf_timer_event_clear(NRF_TIMER_Type *timer, nrf_timer_event_t event)
{
	(void)timer, (void)event;
}

void nrf_timer_int_enable(NRF_TIMER_Type *timer, uint32_t mask)
{
	timer->inten |= mask;
}

void nrf_timer_publish_set(NRF_TIMER_Type *timer, nrf_timer_event_t event, uint8_t channel)
{
	timer->publish[event] = channel;
}

void nrf_timer_subscribe_set(NRF_TIMER_Type *timer, nrf_timer_task_t task, uint8_t channel)
{
	timer->subscribe[task] = channel;
}

/* Time of the next compare event of TIMER1 that has an effect. */
static uint64_t next_compare(void)
{
	const struct stub_timer *timer = &stub_timers[1];
	uint64_t nearest = FOREVER;

	for (int i = 0; i < 6 && timer->running; i++) {
		uint32_t away = timer->cc[i] - timer->at;

		if ((timer->publish[i] >= 0 || (timer->inten & BIT(i))) && away > 0 && away < nearest) {
			nearest = away;
		}
	}
	return nearest;
}

static void pass(uint64_t ticks)
{
	seen.now += ticks;
	for (int t = 0; t < 3; t++) {
		if (stub_timers[t].running && stub_timers[t].mode == NRF_TIMER_MODE_TIMER) {
			stub_timers[t].at += (uint32_t)ticks;
		}
	}
}

static void compare_events(void)
{
	struct stub_timer *timer = &stub_timers[1];

	for (int i = 0; i < 6; i++) {
		if (timer->cc[i] == timer->at) {
			dppi(timer->publish[i]);
			irqs[TIMER1_IRQn].pending |= (timer->inten & BIT(i)) != 0 && !model.book_never;
		}
	}
}

/* Lets hardware time pass without taking interrupts. */
static void advance(uint64_t ticks)
{
	while (ticks > 0) {
		uint64_t step = next_compare();

		if (step > ticks) {
			pass(ticks);
			return;
		}
		pass(step);
		compare_events();
		ticks -= step;
	}
}

static void take(int irq)
{
	void (*isr)(void) = irqs[irq].isr;

	if (irq == GPIOTE0_IRQn && SCB->VTOR != (uintptr_t)flash_table) {
		isr = (void (*)(void))((uintptr_t *)SCB->VTOR)[16 + irq];
	}
	in_isr = true;
	advance(irq == GPIOTE0_IRQn ? model.entry : model.book_delay);
	isr();
	in_isr = false;
	if (irq == GPIOTE0_IRQn) {
		advance(model.deferral);
		run_work();
		run_threads();
	}
}

void model_run(uint64_t ticks)
{
	uint64_t end = seen.now + ticks;

	while (seen.now < end) {
		uint64_t step = next_compare();
		uint64_t left = end - seen.now;

		advance(step < left ? step : left);
		deliver();
	}
}

/* --- clock, watchdog, reset --- */

struct onoff_manager *z_nrf_clock_control_get_onoff(int subsystem)
{
	(void)subsystem;
	return NULL;
}

void sys_notify_init_spinwait(int *notify)
{
	*notify = 1;
}

int onoff_request(struct onoff_manager *manager, struct onoff_client *client)
{
	(void)manager, (void)client;
	return 0;
}

int nrfx_clock_divider_set(int domain, nrf_clock_hfclk_div_t value)
{
	(void)domain;
	divider = model.divider_stays ? divider : (int)value;
	return 0;
}

nrf_clock_hfclk_div_t nrf_clock_hfclk_div_get(int reg)
{
	(void)reg;
	return (nrf_clock_hfclk_div_t)divider;
}

int nrf_clock_hf_src_get(int reg)
{
	(void)reg;
	return NRF_CLOCK_HFCLK_HIGH_ACCURACY;
}

bool nrf_wdt_started_check(int reg)
{
	(void)reg;
	return false;
}

void nrf_wdt_behaviour_set(int reg, uint32_t mask)
{
	(void)reg, (void)mask;
}

void nrf_wdt_reload_value_set(int reg, uint32_t ticks)
{
	(void)reg, (void)ticks;
}

void nrf_wdt_reload_request_enable(int reg, int channel)
{
	(void)reg, (void)channel;
}

void nrf_wdt_reload_request_set(int reg, int channel)
{
	(void)reg, (void)channel;
	seen.feeds++;
}

void nrf_wdt_task_trigger(int reg, int task)
{
	(void)reg, (void)task;
}

uint32_t nrf_reset_resetreas_get(int reg)
{
	(void)reg;
	return model.reset_reason;
}

void nrf_reset_resetreas_clear(int reg, uint32_t mask)
{
	(void)reg, (void)mask;
}

/* --- start --- */

static void application(void *a, void *b, void *c)
{
	(void)a, (void)b, (void)c;
	app_main();
}

static void unwire(void)
{
	for (int i = 0; i < GPIOTE_CH_NUM; i++) {
		channels[i].mode = OFF;
		channels[i].publish = channels[i].set = channels[i].clear = -1;
	}
	for (int t = 0; t < 3; t++) {
		memset(&stub_timers[t], 0, sizeof(stub_timers[t]));
		for (int i = 0; i < 16; i++) {
			stub_timers[t].subscribe[i] = -1;
			stub_timers[t].publish[i % 6] = -1;
		}
	}
}

void model_boot(void)
{
	memset(&seen, 0, sizeof(seen));
	memset(irqs, 0, sizeof(irqs));
	memset(levels, 0, sizeof(levels));
	unwire();
	dppi_enabled = model.dppi_taken ? BIT(2) : 0;
	gpiote_inten = 0;
	/* Reset values: divided by two, and not what the application is to set. */
	divider = NRF_CLOCK_HFCLK_DIV_2;
	latency = NRF_GPIOTE_LATENCY_LOWPOWER;
	stub_cache.ENABLE = 1;
	stub_scb.VTOR = (uintptr_t)flash_table;
	context_count = 0;
	queued = 0;
	in_isr = locked = false;
	fifo_in = fifo_out = 0;
	(void)k_thread_create(NULL, NULL, 0, application, NULL, NULL, NULL, 0, 0, 0);
	run_threads();
}
