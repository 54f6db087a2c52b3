/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the console asks of the board. One implementation for the nRF5340 (chip_nrf.c, edge_nrf.c, bench_nrf.c), one for
 * boards that only emulate the pins (bench_emul.c); modes, loads and vector exchange are shared.
 */
#ifndef LATENCY_BOARD_H
#define LATENCY_BOARD_H

#include "protocol.h"

#include <stdbool.h>
#include <stdint.h>

/* The conditions of the chip, each read back from its register. Words are those of the protocol's CONF? answer. */
struct conditions {
	uint32_t clock_hz;
	const char *source;
	const char *gpiote;
	const char *cache;
	const char *reset;
};

/* Stimuli fired, edges seen, stimuli without a response; a train runs. */
struct counts {
	uint32_t stimuli;
	uint32_t edges;
	uint32_t lost;
	bool busy;
};

/* chip */
int chip_init(void);
void chip_conditions(struct conditions *conditions);
/* NVIC priority of the measured interrupt as the hardware has it, 0 the most urgent. */
unsigned int chip_priority(void);
void chip_feed(void);

/* modes: index counts the modes this image has, from 0 */
int modes_init(void);
/* NULL past the last one */
const char *mode_name(unsigned int index);
/* `none` before the first one is selected and after a selection failed */
const char *mode_current_name(void);
/* 0 or a negative errno; no mode is in force after an error, and START is refused. */
int mode_select(unsigned int index);
uint32_t mode_min_gap_us(void);
/* `flash`, `ram` or `none`: where the first instruction after the vector lies. */
const char *mode_isr_place(void);
/* `ram` or `flash`: where the vector is fetched from. */
const char *mode_vector_place(void);

/* loads: index as above */
int loads_init(void);
const char *load_name(unsigned int index);
bool load_is_on(unsigned int index);
void load_set(unsigned int index, bool on);

/* bench: stimulus, capture, counts */
int bench_init(void);
/* Response low, event cleared, counts and log cleared. */
void bench_arm(void);
void bench_start(const struct train *train);
void bench_stop(void);
void bench_counts(struct counts *counts);
/* Unit of the capture log, 0 when there is none. */
uint32_t bench_log_hz(void);
bool bench_log_pop(uint32_t *delta);
/* NULL, or the word of what is wrong with the running train; told once. */
const char *bench_fault(void);

#endif
