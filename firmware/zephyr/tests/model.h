/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The bench that the application's sources run on in the host test: pins, wires, timers, one serial line. */
#ifndef MODEL_H
#define MODEL_H

#include "stub.h"

/* What the test may set. Times in ticks of 16 MHz. */
struct model_settings {
	/* From the edge to the first instruction of the measured interrupt. */
	uint32_t entry;
	/* From the interrupt to the thread or work that answers. */
	uint32_t deferral;
	/* How late the bookkeeping interrupt is taken. */
	uint32_t book_delay;
	bool book_never;
	bool response_wire_pulled;
	bool divider_stays;
	bool dppi_taken;
	uint32_t reset_reason;
};

/* What the test may look at. */
struct model_seen {
	uint32_t stimuli;
	uint64_t stimulus_at[64];
	uint64_t response_at[64];
	uint32_t responses;
	uint64_t response_fell_at[64];
	uint32_t response_falls;
	/* Stimuli that found the response high. */
	uint32_t response_was_high;
	uint32_t feeds;
	uint64_t now;
};

extern struct model_settings model;
extern struct model_seen seen;

/* Starts the application's main() afresh. */
void model_boot(void);
/* Gives `length` bytes to the serial line; what came back since the last call, closed by a NUL. */
const char *model_serial(const char *bytes, size_t length);
/* Lets time pass. */
void model_run(uint64_t ticks);
/* An edge of a generator on the input pin. */
void model_outside_edge(void);
bool model_level(uint32_t pin);
unsigned int model_priority(int irq);

#endif
