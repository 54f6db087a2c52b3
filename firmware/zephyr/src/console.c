/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "console.h"
#include "board.h"
#include "build.h"
#include "text.h"

#include <string.h>

#ifndef FIRMWARE_BUILD
#define FIRMWARE_BUILD "local"
#endif

#define FIRMWARE_VERSION "0.1.0"

void console_init(struct console *console)
{
	memset(console, 0, sizeof(*console));
}

static void write_identity(struct text *out)
{
	text_add(out, "%s,%s,zephyr,%s,%s", PROTOCOL_PRODUCT, BOARD_NAME, FIRMWARE_VERSION, FIRMWARE_BUILD);
}

static void write_modes(struct text *out)
{
	const char *name;

	for (unsigned int i = 0; (name = mode_name(i)) != NULL; i++) {
		text_add(out, "%s%s", i > 0 ? "," : "", name);
	}
}

static void write_loads(struct text *out)
{
	const char *between = "";
	const char *name;

	for (unsigned int i = 0; (name = load_name(i)) != NULL; i++) {
		if (load_is_on(i)) {
			text_add(out, "%s%s", between, name);
			between = "+";
		}
	}
	if (between[0] == '\0') {
		text_add(out, "none");
	}
}

static void write_conditions(struct text *out, const char *fault)
{
	struct conditions c;

	chip_conditions(&c);
	text_add(out, "clock_hz=%lu gpiote=%s cache=%s isr=%s priority=%u loads=", (unsigned long)c.clock_hz, c.gpiote,
		 c.cache, mode_isr_place(), chip_priority());
	write_loads(out);
	text_add(out, " hfclk=%s min_gap_us=%lu reset=%s fault=%s", c.source, (unsigned long)mode_min_gap_us(),
		 c.reset, fault != NULL ? fault : "none");
	text_add(out, " vector=%s " BUILD_CONDITIONS, mode_vector_place());
}

static void write_counts(struct text *out)
{
	struct counts c;

	bench_counts(&c);
	text_add(out, "stimuli=%lu edges=%lu lost=%lu busy=%d", (unsigned long)c.stimuli, (unsigned long)c.edges,
		 (unsigned long)c.lost, c.busy ? 1 : 0);
}

static void write_log(struct text *out)
{
	uint32_t delta;

	if (bench_log_pop(&delta)) {
		text_add(out, "%lu", (unsigned long)delta);
	} else {
		text_add(out, "END");
	}
}

static bool busy(void)
{
	struct counts counts;

	bench_counts(&counts);
	return counts.busy;
}

/* Index of `name` in a list that ends with NULL, -1 when it is not in it. */
static int find(const char *(*list)(unsigned int), const char *name)
{
	const char *candidate;

	for (unsigned int i = 0; (candidate = list(i)) != NULL; i++) {
		if (strcmp(candidate, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

static enum refusal set_mode(struct console *console, const char *name)
{
	int index = find(mode_name, name);

	if (index < 0) {
		return REFUSAL_MODE;
	}
	if (busy()) {
		return REFUSAL_BUSY;
	}
	/* A driver that refuses leaves no mode in force: CONF? says so until a mode is set that works. */
	console->fault = mode_select((unsigned int)index) == 0 ? NULL : "mode";
	return console->fault == NULL ? REFUSAL_NONE : REFUSAL_MODE;
}

static enum refusal set_load(const struct request *request)
{
	int index = find(load_name, request->name);

	if (index < 0) {
		return REFUSAL_LOAD;
	}
	if (busy()) {
		return REFUSAL_BUSY;
	}
	load_set((unsigned int)index, request->on);
	return REFUSAL_NONE;
}

static enum refusal start(struct console *console, const struct train *train)
{
	if (busy()) {
		return REFUSAL_BUSY;
	}
	if (train->min_us < mode_min_gap_us()) {
		return REFUSAL_RANGE;
	}
	console->train = *train;
	console->pending = true;
	return REFUSAL_NONE;
}

static enum refusal arm(struct console *console)
{
	if (busy()) {
		return REFUSAL_BUSY;
	}
	bench_arm();
	console->fault = NULL;
	return REFUSAL_NONE;
}

static enum refusal change(struct console *console, const struct request *request)
{
	switch (request->kind) {
	case REQUEST_SET_MODE:
		return set_mode(console, request->name);
	case REQUEST_LOAD:
		return set_load(request);
	case REQUEST_START:
		return start(console, &request->train);
	case REQUEST_ARM:
		return arm(console);
	default:
		bench_stop();
		return REFUSAL_NONE;
	}
}

/* True when `kind` only asks; the answer is then in `out`. */
static bool answer_question(struct console *console, enum request_kind kind, struct text *out)
{
	switch (kind) {
	case REQUEST_IDENTITY:
		write_identity(out);
		return true;
	case REQUEST_CONDITIONS:
		write_conditions(out, console->fault);
		return true;
	case REQUEST_MODES:
		write_modes(out);
		return true;
	case REQUEST_MODE:
		text_add(out, "%s", mode_current_name());
		return true;
	case REQUEST_COUNT:
		write_counts(out);
		return true;
	case REQUEST_RATE:
		text_add(out, "%lu", (unsigned long)bench_log_hz());
		return true;
	case REQUEST_LOG:
		write_log(out);
		return true;
	default:
		return false;
	}
}

static enum refusal answer(struct console *console, size_t length, struct text *out)
{
	struct request request;
	enum refusal refusal = protocol_parse(console->line.bytes, length, &request);

	if (refusal != REFUSAL_NONE || answer_question(console, request.kind, out)) {
		return refusal;
	}
	refusal = change(console, &request);
	if (refusal == REFUSAL_NONE) {
		out->length = protocol_canonical(out->bytes, sizeof(out->bytes), &request);
	}
	return refusal;
}

size_t console_byte(struct console *console, uint8_t byte)
{
	enum refusal refusal;
	struct text out;
	size_t length;
	enum line_state state = line_push(&console->line, byte, &length);

	if (state == LINE_OPEN) {
		return 0;
	}
	text_clear(&out);
	refusal = state == LINE_LONG ? REFUSAL_LONG : answer(console, length, &out);
	if (out.cut) {
		/* Never half an answer that could be taken for a whole one. */
		refusal = REFUSAL_LONG;
	}
	if (refusal != REFUSAL_NONE) {
		text_clear(&out);
		text_add(&out, "ERR %d %s", (int)refusal, protocol_refusal_text(refusal));
	}
	return protocol_frame(console->answer, sizeof(console->answer), out.bytes);
}

void console_sent(struct console *console)
{
	if (console->pending) {
		console->pending = false;
		bench_start(&console->train);
	}
}

void console_idle(struct console *console)
{
	const char *fault = bench_fault();

	chip_feed();
	if (fault != NULL) {
		bench_stop();
		console->fault = fault;
	}
}
