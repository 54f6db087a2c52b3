/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "protocol.h"

#include <stdio.h>
#include <string.h>

uint16_t protocol_crc(const char *bytes, size_t length)
{
	uint16_t crc = 0xFFFF;

	for (size_t i = 0; i < length; i++) {
		crc ^= (uint16_t)((uint8_t)bytes[i] << 8);
		for (int bit = 0; bit < 8; bit++) {
			crc = (crc & 0x8000) ? (uint16_t)((crc << 1) ^ 0x1021) : (uint16_t)(crc << 1);
		}
	}
	return crc;
}

size_t protocol_frame(char *out, size_t size, const char *payload)
{
	unsigned int crc = protocol_crc(payload, strlen(payload));
	int n = snprintf(out, size, "%s *%04X\n", payload, crc);

	return (n < 0 || (size_t)n >= size) ? 0 : (size_t)n;
}

bool protocol_is_name(const char *text, size_t length)
{
	if (length == 0 || length > PROTOCOL_MAX_NAME) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
			return false;
		}
	}
	return true;
}

const char *protocol_refusal_text(enum refusal refusal)
{
	static const char *const texts[] = {
		[REFUSAL_NONE] = "",
		[REFUSAL_SYNTAX] = "cannot read that",
		[REFUSAL_MODE] = "no such mode",
		[REFUSAL_RANGE] = "number out of range",
		[REFUSAL_BUSY] = "busy with a train",
		[REFUSAL_LONG] = "line too long",
		[REFUSAL_LOAD] = "no such load",
	};

	return texts[refusal];
}

/* Bytes a UTF-8 sequence needs after its first one; -1 for a byte that starts none. `low` and `high` bound the second
 * byte, so that overlong forms, surrogates and values over U+10FFFF are refused.
 */
static int utf8_more(uint8_t first, uint8_t *low, uint8_t *high)
{
	*low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
	*high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
	if (first < 0x80) {
		return 0;
	}
	if (first < 0xC2 || first > 0xF4) {
		return -1;
	}
	return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

/* The crate reads lines as UTF-8 and calls others unreadable before it looks at their words. */
static bool utf8_valid(const char *text, size_t length)
{
	size_t i = 0;

	while (i < length) {
		uint8_t low, high;
		int more = utf8_more((uint8_t)text[i++], &low, &high);

		if (more < 0 || length - i < (size_t)more) {
			return false;
		}
		for (; more > 0; more--, low = 0x80, high = 0xBF) {
			uint8_t next = (uint8_t)text[i++];

			if (next < low || next > high) {
				return false;
			}
		}
	}
	return true;
}

struct word {
	const char *text;
	size_t length;
};

struct reader {
	const char *at;
	size_t left;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* An empty word means that the line has no more. */
static struct word next_word(struct reader *reader)
{
	struct word word;

	while (reader->left > 0 && is_space(*reader->at)) {
		reader->at++;
		reader->left--;
	}
	word.text = reader->at;
	while (reader->left > 0 && !is_space(*reader->at)) {
		reader->at++;
		reader->left--;
	}
	word.length = (size_t)(reader->at - word.text);
	return word;
}

static bool is(struct word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* Digits alone: no sign, no fraction. Digits that do not fit 32 bits are out of range. */
static enum refusal read_number(struct reader *reader, uint32_t *value)
{
	struct word word = next_word(reader);
	uint64_t sum = 0;

	if (word.length == 0) {
		return REFUSAL_SYNTAX;
	}
	for (size_t i = 0; i < word.length; i++) {
		if (word.text[i] < '0' || word.text[i] > '9') {
			return REFUSAL_SYNTAX;
		}
		if (sum <= UINT32_MAX) {
			sum = sum * 10 + (uint64_t)(word.text[i] - '0');
		}
	}
	*value = (uint32_t)sum;
	return sum > UINT32_MAX ? REFUSAL_RANGE : REFUSAL_NONE;
}

static bool train_is_sound(const struct train *t)
{
	return t->count > 0 && t->min_us > 0 && t->min_us <= t->max_us && t->max_us <= PROTOCOL_MAX_GAP_US &&
	       t->seed > 0;
}

static enum refusal read_train(struct reader *reader, struct train *train)
{
	uint32_t *const fields[] = {&train->count, &train->min_us, &train->max_us, &train->seed};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		enum refusal refusal = read_number(reader, fields[i]);

		if (refusal != REFUSAL_NONE) {
			return refusal;
		}
	}
	return train_is_sound(train) ? REFUSAL_NONE : REFUSAL_RANGE;
}

static enum refusal read_name(struct reader *reader, struct request *request, enum refusal otherwise)
{
	struct word word = next_word(reader);

	if (!protocol_is_name(word.text, word.length)) {
		return otherwise;
	}
	memcpy(request->name, word.text, word.length);
	request->name[word.length] = '\0';
	return REFUSAL_NONE;
}

static enum refusal read_load(struct reader *reader, struct request *request)
{
	enum refusal refusal = read_name(reader, request, REFUSAL_LOAD);
	struct word word;

	if (refusal != REFUSAL_NONE) {
		return refusal;
	}
	word = next_word(reader);
	request->on = is(word, "on");
	return request->on || is(word, "off") ? REFUSAL_NONE : REFUSAL_SYNTAX;
}

static const char *const keywords[] = {
	[REQUEST_IDENTITY] = "*IDN?", [REQUEST_CONDITIONS] = "CONF?", [REQUEST_MODES] = "MODES?",
	[REQUEST_MODE] = "MODE?",     [REQUEST_SET_MODE] = "MODE",    [REQUEST_ARM] = "ARM",
	[REQUEST_START] = "START",    [REQUEST_STOP] = "STOP",	      [REQUEST_COUNT] = "COUNT?",
	[REQUEST_RATE] = "HZ?",	      [REQUEST_LOG] = "LOG?",	      [REQUEST_LOAD] = "LOAD",
};

#define KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))

static enum refusal read_arguments(struct reader *reader, struct request *request)
{
	switch (request->kind) {
	case REQUEST_SET_MODE:
		return read_name(reader, request, REFUSAL_MODE);
	case REQUEST_START:
		return read_train(reader, &request->train);
	case REQUEST_LOAD:
		return read_load(reader, request);
	default:
		return REFUSAL_NONE;
	}
}

enum refusal protocol_parse(const char *line, size_t length, struct request *request)
{
	struct reader reader = {line, length};
	enum refusal refusal = REFUSAL_SYNTAX;
	struct word word;

	memset(request, 0, sizeof(*request));
	if (!utf8_valid(line, length)) {
		return REFUSAL_SYNTAX;
	}
	word = next_word(&reader);
	for (size_t i = 0; i < KEYWORDS; i++) {
		if (is(word, keywords[i])) {
			request->kind = (enum request_kind)i;
			refusal = read_arguments(&reader, request);
		}
	}
	if (refusal != REFUSAL_NONE) {
		return refusal;
	}
	return next_word(&reader).length == 0 ? REFUSAL_NONE : REFUSAL_SYNTAX;
}

size_t protocol_canonical(char *out, size_t size, const struct request *request)
{
	const char *word = keywords[request->kind];
	const struct train *t = &request->train;
	int n;

	switch (request->kind) {
	case REQUEST_SET_MODE:
		n = snprintf(out, size, "%s %s", word, request->name);
		break;
	case REQUEST_LOAD:
		n = snprintf(out, size, "%s %s %s", word, request->name, request->on ? "on" : "off");
		break;
	case REQUEST_START:
		n = snprintf(out, size, "%s %lu %lu %lu %lu", word, (unsigned long)t->count,
			     (unsigned long)t->min_us, (unsigned long)t->max_us, (unsigned long)t->seed);
		break;
	default:
		n = snprintf(out, size, "%s", word);
		break;
	}
	return (n < 0 || (size_t)n >= size) ? 0 : (size_t)n;
}

void gaps_begin(struct gaps *gaps, const struct train *train)
{
	gaps->state = train->seed > 0 ? train->seed : 1;
	gaps->min_us = train->min_us;
	gaps->span = train->max_us - train->min_us + 1;
	gaps->left = train->count;
}

bool gaps_next(struct gaps *gaps, uint32_t *gap_us)
{
	uint32_t x = gaps->state;

	if (gaps->left == 0) {
		return false;
	}
	gaps->left--;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	gaps->state = x;
	*gap_us = gaps->min_us + x % gaps->span;
	return true;
}

enum line_state line_push(struct line *line, uint8_t byte, size_t *length)
{
	bool over = line->over;

	if (byte == '\r') {
		return LINE_OPEN;
	}
	if (byte != '\n') {
		if (line->length < PROTOCOL_MAX_LINE) {
			line->bytes[line->length++] = (char)byte;
		} else {
			line->over = true;
		}
		return LINE_OPEN;
	}
	*length = line->length;
	line->length = 0;
	line->over = false;
	return over ? LINE_LONG : LINE_READY;
}
