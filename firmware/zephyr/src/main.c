/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Serial line of the console. Received bytes go from the UART's interrupt (lowest priority) into a queue; a driver
 * without interrupt support is polled once a millisecond. The main thread reads them and writes the answers; it has a
 * higher priority than the loads and a lower one than the threads that answer edges.
 */
#include "board.h"
#include "console.h"

#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

static const struct device *const uart = DEVICE_DT_GET(DT_CHOSEN(zephyr_console));

/* Longer than any request; a sender that does not wait for answers loses bytes, and the line they belonged to. */
K_MSGQ_DEFINE(received, sizeof(uint8_t), 512, 1);

#if defined(CONFIG_UART_INTERRUPT_DRIVEN)
static void on_uart(const struct device *device, void *context)
{
	uint8_t byte;

	ARG_UNUSED(context);
	while (uart_irq_update(device) && uart_irq_rx_ready(device)) {
		while (uart_fifo_read(device, &byte, 1) == 1) {
			(void)k_msgq_put(&received, &byte, K_NO_WAIT);
		}
	}
}

static void serial_begin(void)
{
	(void)uart_irq_callback_user_data_set(uart, on_uart, NULL);
	uart_irq_rx_enable(uart);
}

static bool serial_get(uint8_t *byte)
{
	return k_msgq_get(&received, byte, K_MSEC(100)) == 0;
}
#else
static void serial_begin(void)
{
}

static bool serial_get(uint8_t *byte)
{
	if (uart_poll_in(uart, byte) == 0) {
		return true;
	}
	k_msleep(1);
	return false;
}
#endif

static void serial_put(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uart_poll_out(uart, (unsigned char)bytes[i]);
	}
}

static const char *begin(void)
{
	/* Names the first part that could not be set up; CONF? shows it as the fault. */
	if (chip_init() != 0) {
		return "chip";
	}
	if (bench_init() != 0) {
		return "bench";
	}
	if (modes_init() != 0) {
		return "mode";
	}
	return loads_init() != 0 ? "load" : NULL;
}

int main(void)
{
	static struct console console;
	uint8_t byte;

	console_init(&console);
	console.fault = begin();
	serial_begin();
	for (;;) {
		if (serial_get(&byte)) {
			serial_put(console.answer, console_byte(&console, byte));
			console_sent(&console);
		}
		/* Also between bytes: a sender that never pauses must not starve the watchdog. */
		console_idle(&console);
	}
	return 0;
}
