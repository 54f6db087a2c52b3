/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The line protocol between latency-cli and its companion firmware, in C.
 *
 * The law is the Rust crate firmware/protocol; its vectors.txt is run against this file too. Here are: the checksum,
 * the reading of requests, the texts of refusals, the collection of bytes into lines, and the gap generator. This file
 * refuses what the crate refuses, for the same reason and in the same order. It knows nothing of Zephyr.
 */
#ifndef LATENCY_PROTOCOL_H
#define LATENCY_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_PRODUCT  "latency-firmware/1"
/* Longest line in bytes, terminator not counted. */
#define PROTOCOL_MAX_LINE 240
/* Longest name of a mode or load. */
#define PROTOCOL_MAX_NAME 24
/* Space, asterisk, four digits, line feed. */
#define PROTOCOL_FRAME    7
/* Longest payload of an answer that still fits a line with its frame. */
#define PROTOCOL_MAX_PAYLOAD (PROTOCOL_MAX_LINE - PROTOCOL_FRAME)
/* Longest gap of a train in microseconds. */
#define PROTOCOL_MAX_GAP_US  10000000u

/* The numbers are those on the wire. */
enum refusal {
	REFUSAL_NONE = 0,
	REFUSAL_SYNTAX = 1,
	REFUSAL_MODE = 2,
	REFUSAL_RANGE = 3,
	REFUSAL_BUSY = 4,
	REFUSAL_LONG = 5,
	REFUSAL_LOAD = 6,
};

enum request_kind {
	REQUEST_IDENTITY,
	REQUEST_CONDITIONS,
	REQUEST_MODES,
	REQUEST_MODE,
	REQUEST_SET_MODE,
	REQUEST_ARM,
	REQUEST_START,
	REQUEST_STOP,
	REQUEST_COUNT,
	REQUEST_RATE,
	REQUEST_LOG,
	REQUEST_LOAD,
};

/* `count` stimuli, gaps in microseconds from `min_us` to `max_us`. */
struct train {
	uint32_t count;
	uint32_t min_us;
	uint32_t max_us;
	uint32_t seed;
};

struct request {
	enum request_kind kind;
	/* REQUEST_SET_MODE and REQUEST_LOAD */
	char name[PROTOCOL_MAX_NAME + 1];
	/* REQUEST_LOAD */
	bool on;
	/* REQUEST_START */
	struct train train;
};

/* CRC-16/IBM-3740: polynomial 0x1021, start 0xFFFF. */
uint16_t protocol_crc(const char *bytes, size_t length);

/* Writes `payload *XXXX` and a line feed, closed by a NUL. Gives the length, 0 when `size` is too small. */
size_t protocol_frame(char *out, size_t size, const char *payload);

/* 1 to 24 characters out of [a-z0-9-]. */
bool protocol_is_name(const char *text, size_t length);

/* Text of a refusal, as in `ERR n text`. */
const char *protocol_refusal_text(enum refusal refusal);

/* Reads a line of `length` bytes without its terminator. The bytes may be anything. */
enum refusal protocol_parse(const char *line, size_t length, struct request *request);

/* The request as the host writes it, closed by a NUL. Gives the length, 0 when `size` is too small. */
size_t protocol_canonical(char *out, size_t size, const struct request *request);

/* The gaps of a train: xorshift32 (13, 17, 5) reduced to min..max by remainder. */
struct gaps {
	uint32_t state;
	uint32_t min_us;
	uint32_t span;
	uint32_t left;
};

void gaps_begin(struct gaps *gaps, const struct train *train);

/* False when the train has no further gap. */
bool gaps_next(struct gaps *gaps, uint32_t *gap_us);

/* Bytes become lines: CR is ignored, an over-long line is dropped whole. */
struct line {
	char bytes[PROTOCOL_MAX_LINE];
	uint16_t length;
	bool over;
};

enum line_state {
	LINE_OPEN,
	/* `bytes` and `length` hold a line until the next byte is pushed. */
	LINE_READY,
	LINE_LONG,
};

enum line_state line_push(struct line *line, uint8_t byte, size_t *length);

#endif
