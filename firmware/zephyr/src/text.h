/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A payload under construction: what does not fit is not written and is remembered. */
#ifndef LATENCY_TEXT_H
#define LATENCY_TEXT_H

#include "protocol.h"

#include <stdarg.h>
#include <stdio.h>

struct text {
	char bytes[PROTOCOL_MAX_PAYLOAD + 1];
	size_t length;
	bool cut;
};

static inline void text_clear(struct text *text)
{
	text->bytes[0] = '\0';
	text->length = 0;
	text->cut = false;
}

static inline __attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->bytes) - text->length;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text->bytes + text->length, room, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= room) {
		text->cut = true;
		text->bytes[text->length] = '\0';
	} else {
		text->length += (size_t)n;
	}
}

#endif
