/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Host test of the application's own sources. First argument: firmware/protocol/vectors.txt.
 * Expected values come from those vectors, from the protocol's documentation and from the settings of the model.
 */
#include "../src/console.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

#define TICKS_PER_US 16u

static int passed, failed;

static void check_at(int line, bool ok, const char *what, const char *detail)
{
	if (ok) {
		passed++;
	} else {
		failed++;
		printf("FAILED line %d: %s [%s]\n", line, what, detail);
	}
}

#define CHECK(ok, what, detail) check_at(__LINE__, ok, what, detail)

/* --- shared vectors --- */

struct fields {
	char *at[8];
	int count;
};

static void split(char *line, struct fields *fields)
{
	fields->count = 0;
	for (char *at = line; at != NULL && fields->count < 8;) {
		fields->at[fields->count++] = at;
		at = strchr(at, '\t');
		if (at != NULL) {
			*at++ = '\0';
		}
	}
	for (int i = fields->count; i < 8; i++) {
		fields->at[i] = "";
	}
}

static void vector_crc(const struct fields *f)
{
	char hex[5];

	snprintf(hex, sizeof(hex), "%04X", protocol_crc(f->at[1], strlen(f->at[1])));
	CHECK(strcmp(hex, f->at[2]) == 0, "crc", f->at[1]);
}

static void vector_frame(const struct fields *f)
{
	char line[512];
	size_t length = protocol_frame(line, sizeof(line), f->at[1]);

	CHECK(length == strlen(f->at[2]) + 1 && line[length - 1] == '\n' && strncmp(line, f->at[2], length - 1) == 0,
	      "frame", f->at[1]);
}

/* The board never reads frames; that the damage shows in the checksum is all there is to see from here. */
static void vector_damaged(const struct fields *f)
{
	char hex[5];

	snprintf(hex, sizeof(hex), "%04X", protocol_crc(f->at[1], strlen(f->at[1]) - 6));
	CHECK(strcmp(hex, f->at[3]) == 0 && strcmp(hex, f->at[2]) != 0, "damaged", f->at[1]);
}

static void vector_request(const struct fields *f)
{
	struct request request;
	char text[256] = "";
	enum refusal refusal = protocol_parse(f->at[1], strlen(f->at[1]), &request);

	if (refusal == REFUSAL_NONE) {
		protocol_canonical(text, sizeof(text), &request);
	}
	CHECK(strcmp(text, f->at[2]) == 0, "request", f->at[1]);
}

static void vector_refuse(const struct fields *f)
{
	struct request request;
	enum refusal refusal = protocol_parse(f->at[1], strlen(f->at[1]), &request);

	CHECK((int)refusal == atoi(f->at[2]) && strcmp(protocol_refusal_text(refusal), f->at[3]) == 0, "refuse",
	      f->at[1]);
}

static void vector_gaps(const struct fields *f)
{
	struct request request;
	struct gaps gaps;
	char line[128];
	char *expected = f->at[2];
	uint32_t gap;
	bool ok;

	snprintf(line, sizeof(line), "START %s", f->at[1]);
	ok = protocol_parse(line, strlen(line), &request) == REFUSAL_NONE;
	gaps_begin(&gaps, &request.train);
	while (ok && *expected != '\0') {
		ok = gaps_next(&gaps, &gap) && gap == strtoul(expected, &expected, 10);
	}
	CHECK(ok, "gaps", f->at[1]);
}

static void vector_name(const struct fields *f)
{
	bool is = protocol_is_name(f->at[1], strlen(f->at[1]));

	CHECK(is == (strcmp(f->at[2], "yes") == 0), "name", f->at[1]);
}

static const char *ask(const char *request);

static void vector_long(const struct fields *f)
{
	size_t length = strtoul(f->at[1], NULL, 10);
	char *line = malloc(length + 1);
	char expected[64];

	memset(line, 'x', length);
	line[length] = '\0';
	snprintf(expected, sizeof(expected), "ERR %s %s", f->at[2], f->at[3]);
	CHECK(strcmp(ask(line), expected) == 0, "long", f->at[1]);
	free(line);
}

static void vector_unframed(const struct fields *f)
{
	/* Frames are read by the host only. */
	(void)f;
}

static const struct {
	const char *kind;
	void (*run)(const struct fields *);
	int seen;
} kinds[] = {
	{"crc", vector_crc, 0},	      {"frame", vector_frame, 0},   {"damaged", vector_damaged, 0},
	{"request", vector_request, 0}, {"refuse", vector_refuse, 0}, {"gaps", vector_gaps, 0},
	{"name", vector_name, 0},	      {"long", vector_long, 0},     {"unframed", vector_unframed, 0},
};

static void run_vector(char *line)
{
	struct fields fields;

	split(line, &fields);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, fields.at[0]) == 0) {
			kinds[i].run(&fields);
			return;
		}
	}
	CHECK(false, "a kind of vector this test does not know", fields.at[0]);
}

static void vectors(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[2048];
	int count = 0;

	CHECK(file != NULL, "vectors can be read", path);
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '\0' && line[0] != '#') {
			run_vector(line);
			count++;
		}
	}
	CHECK(count > 100, "the vectors are all there", path);
	if (file != NULL) {
		fclose(file);
	}
}

/* --- the whole application on the model --- */

/* One request; its answer without checksum, which must be right. */
static const char *ask(const char *request)
{
	static char answer[512];
	char line[1200];
	char hex[6];
	char *star;
	int n = snprintf(line, sizeof(line), "%s\n", request);

	snprintf(answer, sizeof(answer), "%s", model_serial(line, (size_t)n));
	star = strrchr(answer, '*');
	if (star == NULL || star == answer || answer[strlen(answer) - 1] != '\n') {
		return "no framed answer";
	}
	star[-1] = '\0';
	snprintf(hex, sizeof(hex), "%04X\n", protocol_crc(answer, strlen(answer)));
	return strcmp(hex, star + 1) == 0 ? answer : "wrong checksum";
}

static void expect_at(int line, const char *request, const char *expected)
{
	const char *answer = ask(request);

	check_at(line, strcmp(answer, expected) == 0, request, answer);
}

#define EXPECT(request, expected) expect_at(__LINE__, request, expected)

static bool condition(const char *pair)
{
	char text[64];
	char answer[512];

	snprintf(answer, sizeof(answer), " %s ", ask("CONF?"));
	snprintf(text, sizeof(text), " %s ", pair);
	return strstr(answer, text) != NULL;
}

#define CONDITION(pair) CHECK(condition(pair), "CONF? has " pair, ask("CONF?"))

static void boot(struct model_settings settings)
{
	model = settings;
	model_boot();
	ask("STOP");
}

static const struct model_settings normal = {.entry = 30, .deferral = 80};

/* Before any boot that works: nothing may be left of an earlier one. */
static void boards_that_fail(void)
{
	boot((struct model_settings){.divider_stays = true});
	CONDITION("clock_hz=64000000");
	CONDITION("fault=chip");
	EXPECT("START 1 1000 1000 1", "ERR 3 number out of range");
	EXPECT("MODE direct", "ERR 2 no such mode");

	boot((struct model_settings){.dppi_taken = true});
	CONDITION("fault=mode");
	EXPECT("MODE?", "none");
	EXPECT("START 1 1000 1000 1", "ERR 3 number out of range");
}

static void identity_and_conditions(void)
{
	boot((struct model_settings){.entry = 30, .reset_reason = NRF_RESET_RESETREAS_DOG0_MASK});
	EXPECT("*IDN?", "latency-firmware/1,nrf5340dk,zephyr,0.1.0,test");
	EXPECT("MODES?", MODES);
	EXPECT("HZ?", "16000000");
	CONDITION("clock_hz=128000000");
	CONDITION("gpiote=low-latency");
	CONDITION("cache=on");
	CONDITION("hfclk=xtal");
	CONDITION("reset=watchdog");
	CONDITION("fault=none");
	CONDITION("loads=none");
}

/* Gaps of `START 12 100 900 7` in the vectors. */
static const uint32_t gaps_of_7[] = {721, 503, 509, 850, 770, 637, 155, 251, 795, 309, 825, 778};

static void run_train(const char *mode)
{
	char request[64];

	snprintf(request, sizeof(request), "MODE %s", mode);
	EXPECT(request, request);
	EXPECT("ARM", "ARM");
	memset(&seen, 0, sizeof(seen));
	EXPECT("START 12 100 900 7", "START 12 100 900 7");
	model_run(20000 * TICKS_PER_US);
}

/* What the model was told an answer takes in this mode, in ticks. */
static uint32_t expected_delta(const char *mode)
{
	bool deferred = strcmp(mode, "thread") == 0 || strstr(mode, "queue") != NULL;

	if (strcmp(mode, "hw") == 0) {
		return 0;
	}
	return deferred ? normal.entry + normal.deferral : normal.entry;
}

static void mode_answers_every_stimulus(const char *mode)
{
	char delta[16];
	uint64_t at = 0;
	bool in_place = true;

	boot(normal);
	run_train(mode);
	EXPECT("COUNT?", "stimuli=12 edges=12 lost=0 busy=0");
	for (size_t i = 0; i < ARRAY_SIZE(gaps_of_7); i++) {
		at += gaps_of_7[i] * TICKS_PER_US;
		in_place &= seen.stimulus_at[i] == at;
	}
	CHECK(in_place && seen.stimuli == 12, "stimuli come when the host expects them", mode);
	CHECK(seen.response_was_high == 0, "the response is low before each stimulus", mode);
	snprintf(delta, sizeof(delta), "%u", expected_delta(mode));
	for (int i = 0; i < 12; i++) {
		EXPECT("LOG?", delta);
	}
	EXPECT("LOG?", "END");
	CHECK(!model_level(4) && !model_level(6), "both outputs are low after the train", mode);
}

static void every_mode(void)
{
	char modes[] = MODES;

	for (char *mode = strtok(modes, ","); mode != NULL; mode = strtok(NULL, ",")) {
		mode_answers_every_stimulus(mode);
	}
}

static void pulled_response_wire(void)
{
	boot((struct model_settings){.entry = 30, .response_wire_pulled = true});
	run_train(FIRST_MODE);
	EXPECT("COUNT?", "stimuli=12 edges=12 lost=12 busy=0");
	EXPECT("LOG?", "END");
}

/* 12 us is the guard: bookkeeping that comes 13 us late cannot place the next edge any more. */
static void late_bookkeeping_ends_the_train(void)
{
	boot((struct model_settings){.entry = 30, .book_delay = 13 * TICKS_PER_US});
	run_train(FIRST_MODE);
	CONDITION("fault=late");
	CHECK(strstr(ask("COUNT?"), "busy=0") != NULL, "a late train ends", ask("COUNT?"));
	EXPECT("ARM", "ARM");
	CONDITION("fault=none");
}

static void bookkeeping_within_the_guard_is_fine(void)
{
	boot((struct model_settings){.entry = 30, .book_delay = 8 * TICKS_PER_US});
	run_train(FIRST_MODE);
	EXPECT("COUNT?", "stimuli=12 edges=12 lost=0 busy=0");
	CONDITION("fault=none");
}

static void stuck_bookkeeping_is_noticed(void)
{
	boot((struct model_settings){.entry = 30, .book_never = true});
	run_train(FIRST_MODE);
	CHECK(strstr(ask("COUNT?"), "busy=1") != NULL, "not yet", ask("COUNT?"));
	model_run(200000 * TICKS_PER_US);
	ask("COUNT?");
	CONDITION("fault=stuck");
	CHECK(strstr(ask("COUNT?"), "busy=0") != NULL, "a stuck train is ended", ask("COUNT?"));
}

static void busy_and_stop(void)
{
	boot((struct model_settings){.entry = 4});
	EXPECT("START 5 1000 1000 1", "START 5 1000 1000 1");
	EXPECT("MODE " FIRST_MODE, "ERR 4 busy with a train");
	EXPECT("ARM", "ERR 4 busy with a train");
	EXPECT("LOAD spin on", "ERR 4 busy with a train");
	EXPECT("START 5 1000 1000 1", "ERR 4 busy with a train");
	EXPECT("MODE nonsense", "ERR 2 no such mode");
	/* In the middle of the pulse, which is 2 us wide. */
	model_run(1001 * TICKS_PER_US);
	CHECK(model_level(6), "the stimulus is high", "");
	EXPECT("STOP", "STOP");
	CHECK(!model_level(6), "STOP leaves the stimulus low", "");
	model_run(10000 * TICKS_PER_US);
	CHECK(seen.stimuli == 1, "no stimulus after STOP", "");
	EXPECT("START 5 23 1000 1", "ERR 3 number out of range");
	CONDITION("min_gap_us=24");
}

/* Without a train nobody else lowers the response: each path does itself, so that an outside generator works. */
static void outside_stimulus(void)
{
	char modes[] = MODES;
	char request[64];

	boot(normal);
	for (char *mode = strtok(modes, ","); strcmp(mode, "hw") != 0; mode = strtok(NULL, ",")) {
		snprintf(request, sizeof(request), "MODE %s", mode);
		EXPECT(request, request);
		memset(&seen, 0, sizeof(seen));
		for (int i = 0; i < 3; i++) {
			model_outside_edge();
		}
		CHECK(seen.responses == 3 && !model_level(4), "three edges, three responses, low again", mode);
	}
}

/* In a train the response stays up until 12 us before the next stimulus: wide enough for a slowly sampling scope. */
static void response_stays_up(void)
{
	bool in_place = true;

	boot(normal);
	run_train(FIRST_MODE);
	for (size_t i = 1; i < ARRAY_SIZE(gaps_of_7); i++) {
		in_place &= seen.response_fell_at[i - 1] == seen.stimulus_at[i] - 12 * TICKS_PER_US;
	}
	CHECK(in_place, "the response falls 12 us before the next stimulus", FIRST_MODE);
}

/* Mode `hw` takes the pin from the port; the next mode must have it back. */
static void pin_comes_back_from_hardware(void)
{
	boot(normal);
	run_train("hw");
	run_train(FIRST_MODE);
	EXPECT("COUNT?", "stimuli=12 edges=12 lost=0 busy=0");
	EXPECT("LOG?", "30");
}

static void loads(void)
{
	boot(normal);
	EXPECT("LOAD nothing on", "ERR 6 no such load");
	EXPECT("LOAD spin on", "LOAD spin on");
	EXPECT("LOAD mask on", "LOAD mask on");
	EXPECT("LOAD i2c on", "LOAD i2c on");
	EXPECT("LOAD fpu on", "LOAD fpu on");
	/* Also shows that the longest answer fits a line. */
	CONDITION("loads=spin+mask+fpu+i2c");
	EXPECT("LOAD spin off", "LOAD spin off");
	EXPECT("LOAD fpu off", "LOAD fpu off");
	CONDITION("loads=mask+i2c");
	EXPECT("LOAD mask off", "LOAD mask off");
	EXPECT("LOAD i2c off", "LOAD i2c off");
}

static void priorities(void)
{
	boot(normal);
	EXPECT("MODE irq-direct", "MODE irq-direct");
	CHECK(model_priority(GPIOTE0_IRQn) == _IRQ_PRIO_OFFSET, "the level irq_lock() masks", "irq-direct");
	EXPECT("MODE zero-latency", "MODE zero-latency");
	CHECK(model_priority(GPIOTE0_IRQn) == 0, "above irq_lock()", "zero-latency");
	CONDITION("priority=0");
	CHECK(model_priority(TIMER1_IRQn) == 7, "bookkeeping has the lowest of 8 levels", "");
	EXPECT("MODE irq-direct", "MODE irq-direct");
	CHECK(model_priority(GPIOTE0_IRQn) == _IRQ_PRIO_OFFSET, "the level comes back", "irq-direct");
#if defined(CONFIG_LATENCY_DRIVER_PATHS)
	CONDITION("vector=ram");
	EXPECT("MODE direct", "MODE direct");
#endif
	CONDITION("vector=flash");
}

/* Any bytes at all, LF among them: one framed answer for each line, and the board still answers afterwards. */
static void noise(void)
{
	static char bytes[200000];
	const char *answers;
	uint32_t x = 2463534242u;
	size_t lines = 0, framed = 0;
	char detail[64];

	boot(normal);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		/* A twentieth of the bytes ends a line, half of the rest is printable. */
		bytes[i] = (char)(x % 20 == 0 ? '\n' : x & 0x100 ? 32 + (x >> 9) % 95 : (x >> 9) & 0xFF);
		lines += bytes[i] == '\n' ? 1 : 0;
	}
	answers = model_serial(bytes, sizeof(bytes));
	for (const char *end; (end = strchr(answers, '\n')) != NULL; answers = end + 1) {
		framed += end - answers >= 6 && end[-5] == '*' && end[-6] == ' ' ? 1 : 0;
	}
	snprintf(detail, sizeof(detail), "%zu lines, %zu answers", lines, framed);
	CHECK(framed == lines && lines > 5000, "one framed answer a line", detail);
	ask("");
	EXPECT("MODE?", FIRST_MODE);
	CHECK(seen.feeds > 0, "the watchdog is fed", "");
}

int main(int argc, char **argv)
{
	boards_that_fail();
	identity_and_conditions();
	vectors(argc > 1 ? argv[1] : "vectors.txt");
	every_mode();
	pulled_response_wire();
	late_bookkeeping_ends_the_train();
	bookkeeping_within_the_guard_is_fine();
	stuck_bookkeeping_is_noticed();
	busy_and_stop();
	outside_stimulus();
	response_stays_up();
	pin_comes_back_from_hardware();
	loads();
	priorities();
	noise();
	printf("%d passed, %d failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}
