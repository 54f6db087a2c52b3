/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Where log messages go: nowhere. The serial line belongs to the protocol, so the cost that a log statement adds to the
 * measured path (packing the message into the buffer) is paid and its output is not made.
 */
#include <zephyr/logging/log_backend.h>

static void process(const struct log_backend *const backend, union log_msg_generic *message)
{
	ARG_UNUSED(backend);
	ARG_UNUSED(message);
}

static const struct log_backend_api sink_api = {
	.process = process,
};

LOG_BACKEND_DEFINE(latency_sink, sink_api, true);
