/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Bytes to answers. A train begins only when its own answer is out (console_sent), so that neither writing nor sending
 * the answer shows up in somebody's latency. What changes the board is refused while a train runs; STOP never is.
 */
#ifndef LATENCY_CONSOLE_H
#define LATENCY_CONSOLE_H

#include "protocol.h"

#define CONSOLE_ANSWER (PROTOCOL_MAX_LINE + 1)

struct console {
	struct line line;
	bool pending;
	struct train train;
	const char *fault;
	char answer[CONSOLE_ANSWER];
};

void console_init(struct console *console);

/* Takes one byte. Gives the length of the answer in `console->answer`, 0 when there is none yet. */
size_t console_byte(struct console *console, uint8_t byte);

/* The last answer has left the board. */
void console_sent(struct console *console);

/* To be called whenever nothing came in: feeds the watchdog, ends a train that does not go on. */
void console_idle(struct console *console);

#endif
