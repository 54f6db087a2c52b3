/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The measured interrupt and the response pin as registers, for the code that bypasses the GPIO driver, and the little
 * that all paths share. The inlines are those of the vendor's HAL, which nrfx 3 and nrfx 4 both have; drivers of nrfx
 * are not called, because their signatures changed between the two.
 */
#ifndef LATENCY_EDGE_H
#define LATENCY_EDGE_H

#include <zephyr/drivers/gpio.h>
#include <zephyr/kernel.h>

#include <stdbool.h>
#include <stdint.h>

#define PIN_OF(property) DT_GPIO_PIN(DT_PATH(zephyr_user), property)

/* Connects input event and interrupt. 0 or a negative errno. */
int edge_init(gpio_callback_handler_t handler);
/* The next edges go to `handler`, called from the driver's interrupt. Only while the interrupt is masked. */
void edge_hand_to(gpio_callback_handler_t handler);
/* Drops an edge that was seen and not yet answered. */
void edge_forget(void);
void edge_mask(void);
void edge_unmask(void);
/* Response low, whoever drives it. */
void response_low(void);
/* The edge raises the response in hardware, without the processor. False where the board cannot. */
bool response_by_hardware(bool on);

/* A train runs: the response is lowered by its bookkeeping, not by the code that raised it. */
extern volatile bool train_running;
/* Edges that reached code; written by one path at a time. */
extern volatile uint32_t edges_in_code;

#if defined(CONFIG_SOC_NRF5340_CPUAPP)

#include <hal/nrf_gpio.h>
#include <hal/nrf_gpiote.h>

#define EDGE_IRQN GPIOTE0_IRQn

/* Event of the GPIOTE channel that watches the input; the driver chooses the channel. */
extern nrf_gpiote_event_t edge_event;

static ALWAYS_INLINE void response_high_register(void)
{
	nrf_gpio_port_out_set(NRF_P0_S, BIT(PIN_OF(response_gpios)));
}

static ALWAYS_INLINE void response_low_register(void)
{
	nrf_gpio_port_out_clear(NRF_P0_S, BIT(PIN_OF(response_gpios)));
}

/* The inline reads the event back: without that the interrupt would be entered a second time. */
static ALWAYS_INLINE void edge_clear_register(void)
{
	nrf_gpiote_event_clear(NRF_GPIOTE0_S, edge_event);
}

#elif defined(CONFIG_SOC_TI_LM3S6965)

/* GPIO port A of the LM3S6965 (data sheet, GPIO): a data access is masked by its address, GPIOICR is 0x41C. */
#define EDGE_IRQN	 0
#define LM3S_PORT	 0x40004000u
#define LM3S_REG(offset) (*(volatile uint32_t *)(LM3S_PORT + (offset)))
#define LM3S_DATA(pin)	 LM3S_REG(BIT(pin) << 2)
#define LM3S_ICR	 LM3S_REG(0x41C)

static ALWAYS_INLINE void response_high_register(void)
{
	LM3S_DATA(PIN_OF(response_gpios)) = BIT(PIN_OF(response_gpios));
}

static ALWAYS_INLINE void response_low_register(void)
{
	LM3S_DATA(PIN_OF(response_gpios)) = 0;
}

static ALWAYS_INLINE void edge_clear_register(void)
{
	LM3S_ICR = BIT(PIN_OF(input_gpios));
}

#endif

/* How long the response stays high when nobody else lowers it. Also called above the kernel: no kernel service here. */
static inline void response_hold(void)
{
	for (volatile unsigned int i = 0; i < 100; i++) {
	}
}

#endif
