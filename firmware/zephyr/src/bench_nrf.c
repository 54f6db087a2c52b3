/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The stimulus train and what the chip itself saw of it, on the nRF5340.
 *
 * TIMER1 runs free at 16 MHz. Two compare registers take turns to raise the stimulus through DPPI, a third lowers it
 * 2 us later: no edge is moved by what the processor does. The fourth interrupts, at the lowest priority, GUARD before
 * the next edge: response low, last stimulus booked, the edge after the next one placed. When that comes too late
 * (interrupts were masked for too long) the train ends with the fault `late`, because an edge at another time than the
 * host expects is worse than none. TIMER2 stamps both edges on a grid of 62.5 ns, TIMER0 counts the input's.
 */
#include "board.h"
#include "edge.h"
#include "wiring_nrf.h"

#include <hal/nrf_timer.h>
#include <zephyr/irq.h>

#define TICKS_PER_US 16u
#define GUARD	     (12u * TICKS_PER_US)
#define PULSE	     (2u * TICKS_PER_US)
/* A bookkeeping interrupt that is overdue by 0.1 s will not come. */
#define OVERDUE	     1600000
/* The lowest level, with and without the one that zero-latency interrupts take for themselves. */
#define BOOK_PRIORITY 5
#define LOG_ENTRIES   4096u
/* No stamp: TIMER2 is cleared by each stimulus and would need 268 s to get there. */
#define NO_STAMP      UINT32_MAX

#define CC_DOWN	    NRF_TIMER_CC_CHANNEL2
#define CC_BOOK	    NRF_TIMER_CC_CHANNEL3
#define CC_NOW_BOOK NRF_TIMER_CC_CHANNEL4
#define CC_NOW_IDLE NRF_TIMER_CC_CHANNEL5
#define CC_INPUT    NRF_TIMER_CC_CHANNEL0
#define CC_ANSWER   NRF_TIMER_CC_CHANNEL1

static struct {
	struct gaps gaps;
	/* Stimuli not booked yet. */
	uint32_t left;
	/* Time of the edge that is placed and comes next. */
	uint32_t next;
	/* Which of the two compare registers is free. */
	uint32_t free;
} schedule;

static volatile bool late;
static volatile uint32_t stimuli;
static volatile uint32_t lost;
static volatile uint32_t logged;
static uint32_t taken;
static uint32_t log_of_deltas[LOG_ENTRIES];

static uint32_t now(nrf_timer_cc_channel_t channel)
{
	nrf_timer_task_trigger(NRF_TIMER1_S, nrf_timer_capture_task_get((uint32_t)channel));
	return nrf_timer_cc_get(NRF_TIMER1_S, channel);
}

/* Whether `a` lies after `b`, as long as they are within 134 s of each other. */
static bool after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

static uint32_t next_gap(void)
{
	uint32_t gap_us = PROTOCOL_MAX_GAP_US;

	(void)gaps_next(&schedule.gaps, &gap_us);
	return gap_us * TICKS_PER_US;
}

static void place(uint32_t compare, uint32_t at)
{
	nrf_timer_cc_set(NRF_TIMER1_S, compare == 0 ? NRF_TIMER_CC_CHANNEL0 : NRF_TIMER_CC_CHANNEL1, at);
}

/* Places the first two edges; the timer stands at 0 and does not run. */
static void begin(const struct train *train)
{
	/* One gap more than stimuli: the last answer gets as long as the ones before. */
	struct train longer = *train;
	uint32_t first;

	longer.count += longer.count < UINT32_MAX ? 1 : 0;
	gaps_begin(&schedule.gaps, &longer);
	first = next_gap();
	schedule.next = first + next_gap();
	schedule.left = train->count;
	schedule.free = 0;
	place(0, first);
	place(1, train->count > 1 ? schedule.next : UINT32_MAX);
	nrf_timer_cc_set(NRF_TIMER1_S, CC_DOWN, first + PULSE);
	nrf_timer_cc_set(NRF_TIMER1_S, CC_BOOK, schedule.next - GUARD);
}

/* Places the edge after the next one. False when there is nothing left to do. */
static bool advance(void)
{
	uint32_t then;

	schedule.left--;
	if (schedule.left == 0) {
		return false;
	}
	then = schedule.next + next_gap();
	if (schedule.left > 1) {
		place(schedule.free, then);
	}
	nrf_timer_cc_set(NRF_TIMER1_S, CC_DOWN, schedule.next + PULSE);
	nrf_timer_cc_set(NRF_TIMER1_S, CC_BOOK, then - GUARD);
	late = !after(schedule.next, now(CC_NOW_BOOK));
	schedule.next = then;
	schedule.free ^= 1;
	return !late;
}

static void forget_stamps(void)
{
	nrf_timer_cc_set(NRF_TIMER2_S, CC_INPUT, NO_STAMP);
	nrf_timer_cc_set(NRF_TIMER2_S, CC_ANSWER, NO_STAMP);
}

/* Books the stimulus that is over: answered with a stamp, or lost. */
static void account(void)
{
	uint32_t input = nrf_timer_cc_get(NRF_TIMER2_S, CC_INPUT);
	uint32_t answer = nrf_timer_cc_get(NRF_TIMER2_S, CC_ANSWER);

	forget_stamps();
	stimuli++;
	if (input == NO_STAMP || answer == NO_STAMP) {
		lost++;
	} else if (logged < LOG_ENTRIES) {
		log_of_deltas[logged] = answer - input;
		logged++;
	}
}

static void halt(void)
{
	nrf_timer_task_trigger(NRF_TIMER1_S, NRF_TIMER_TASK_STOP);
	/* Low also when the train was ended in the middle of a pulse. */
	nrf_gpiote_task_trigger(NRF_GPIOTE0_S, nrf_gpiote_clr_task_get(CH_STIMULUS));
	train_running = false;
}

static void on_book(const void *unused)
{
	ARG_UNUSED(unused);
	nrf_timer_event_clear(NRF_TIMER1_S, nrf_timer_compare_event_get((uint8_t)CC_BOOK));
	response_low();
	if (!train_running) {
		return;
	}
	account();
	if (!advance()) {
		halt();
	}
}

void bench_stop(void)
{
	unsigned int key = irq_lock();

	halt();
	nrf_timer_event_clear(NRF_TIMER1_S, nrf_timer_compare_event_get((uint8_t)CC_BOOK));
	NVIC_ClearPendingIRQ(TIMER1_IRQn);
	irq_unlock(key);
}

void bench_start(const struct train *train)
{
	bench_stop();
	response_low();
	late = false;
	nrf_timer_task_trigger(NRF_TIMER1_S, NRF_TIMER_TASK_CLEAR);
	begin(train);
	train_running = true;
	nrf_timer_task_trigger(NRF_TIMER1_S, NRF_TIMER_TASK_START);
}

void bench_arm(void)
{
	response_low();
	edge_forget();
	forget_stamps();
	nrf_timer_task_trigger(NRF_TIMER0_S, NRF_TIMER_TASK_CLEAR);
	edges_in_code = 0;
	stimuli = 0;
	lost = 0;
	logged = 0;
	taken = 0;
}

void bench_counts(struct counts *counts)
{
	/* `busy` first: a train that ends between the reads is then counted whole or still called busy. */
	counts->busy = train_running;
	counts->stimuli = stimuli;
	nrf_timer_task_trigger(NRF_TIMER0_S, NRF_TIMER_TASK_CAPTURE0);
	counts->edges = nrf_timer_cc_get(NRF_TIMER0_S, NRF_TIMER_CC_CHANNEL0);
	counts->lost = lost;
}

uint32_t bench_log_hz(void)
{
	return TICKS_PER_US * 1000000u;
}

bool bench_log_pop(uint32_t *delta)
{
	if (taken >= logged) {
		return false;
	}
	*delta = log_of_deltas[taken++];
	return true;
}

const char *bench_fault(void)
{
	uint32_t deadline;

	if (late) {
		late = false;
		return "late";
	}
	if (!train_running) {
		return NULL;
	}
	/* The deadline is read before the time: a bookkeeping between the two only moves the deadline on. */
	deadline = nrf_timer_cc_get(NRF_TIMER1_S, CC_BOOK);
	return (int32_t)(now(CC_NOW_IDLE) - deadline) > OVERDUE && train_running ? "stuck" : NULL;
}

static void timer_init(NRF_TIMER_Type *timer, nrf_timer_mode_t mode)
{
	nrf_timer_mode_set(timer, mode);
	nrf_timer_bit_width_set(timer, NRF_TIMER_BIT_WIDTH_32);
	/* 2 to the power of 0: the base clock of 16 MHz. */
	nrf_timer_prescaler_set(timer, 0);
	nrf_timer_task_trigger(timer, NRF_TIMER_TASK_CLEAR);
}

int bench_init(void)
{
	timer_init(NRF_TIMER0_S, NRF_TIMER_MODE_COUNTER);
	timer_init(NRF_TIMER1_S, NRF_TIMER_MODE_TIMER);
	timer_init(NRF_TIMER2_S, NRF_TIMER_MODE_TIMER);
	nrf_timer_publish_set(NRF_TIMER1_S, NRF_TIMER_EVENT_COMPARE0, DPPI_UP);
	nrf_timer_publish_set(NRF_TIMER1_S, NRF_TIMER_EVENT_COMPARE1, DPPI_UP);
	nrf_timer_publish_set(NRF_TIMER1_S, NRF_TIMER_EVENT_COMPARE2, DPPI_DOWN);
	nrf_timer_subscribe_set(NRF_TIMER0_S, NRF_TIMER_TASK_COUNT, DPPI_EDGE);
	nrf_timer_subscribe_set(NRF_TIMER2_S, NRF_TIMER_TASK_CLEAR, DPPI_UP);
	nrf_timer_subscribe_set(NRF_TIMER2_S, NRF_TIMER_TASK_CAPTURE0, DPPI_EDGE);
	nrf_timer_subscribe_set(NRF_TIMER2_S, NRF_TIMER_TASK_CAPTURE1, DPPI_ANSWER);
	nrf_timer_int_enable(NRF_TIMER1_S, NRF_TIMER_INT_COMPARE3_MASK);
	forget_stamps();
	nrf_timer_task_trigger(NRF_TIMER0_S, NRF_TIMER_TASK_START);
	nrf_timer_task_trigger(NRF_TIMER2_S, NRF_TIMER_TASK_START);
	IRQ_CONNECT(TIMER1_IRQn, BOOK_PRIORITY, on_book, NULL, 0);
	irq_enable(TIMER1_IRQn);
	return 0;
}
