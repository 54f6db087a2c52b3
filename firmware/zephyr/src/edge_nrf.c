/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Input event, response pin and their wiring on the nRF5340; see wiring_nrf.h for the channels. */
#include "edge.h"
#include "wiring_nrf.h"

#include <hal/nrf_dppi.h>
#include <zephyr/irq.h>

#include <errno.h>

BUILD_ASSERT(!IS_ENABLED(CONFIG_TRUSTED_EXECUTION_NONSECURE), "the registers used are those of the secure side");
BUILD_ASSERT(DT_SAME_NODE(DT_GPIO_CTLR(DT_PATH(zephyr_user), input_gpios), DT_NODELABEL(gpio0)) &&
		     DT_SAME_NODE(DT_GPIO_CTLR(DT_PATH(zephyr_user), response_gpios), DT_NODELABEL(gpio0)) &&
		     DT_SAME_NODE(DT_GPIO_CTLR(DT_PATH(zephyr_user), stimulus_gpios), DT_NODELABEL(gpio0)) &&
		     DT_SAME_NODE(DT_GPIO_CTLR(DT_PATH(zephyr_user), capture_gpios), DT_NODELABEL(gpio0)),
	     "all four pins are taken from port 0");

nrf_gpiote_event_t edge_event;

static const uint32_t our_channels[] = {CH_RESPONSE, CH_STIMULUS, CH_CAPTURE};

#if defined(CONFIG_LATENCY_DRIVER_PATHS)

static const struct gpio_dt_spec input = GPIO_DT_SPEC_GET(DT_PATH(zephyr_user), input_gpios);
static struct gpio_callback callback;

void edge_hand_to(gpio_callback_handler_t handler)
{
	callback.handler = handler;
}

/* The channel that the driver chose for the input. */
static int driver_channel(void)
{
	for (uint32_t channel = 0; channel < GPIOTE_CH_NUM; channel++) {
		if (nrf_gpiote_te_is_enabled(NRF_GPIOTE0_S, channel) &&
		    nrf_gpiote_event_pin_get(NRF_GPIOTE0_S, channel) == PIN_OF(input_gpios)) {
			return (int)channel;
		}
	}
	return -ENODEV;
}

static int input_init(gpio_callback_handler_t handler)
{
	int error = gpio_pin_configure_dt(&input, GPIO_INPUT | GPIO_PULL_DOWN);

	gpio_init_callback(&callback, handler, BIT(input.pin));
	error = error != 0 ? error : gpio_add_callback(input.port, &callback);
	error = error != 0 ? error : gpio_pin_interrupt_configure_dt(&input, GPIO_INT_EDGE_RISING);
	return error != 0 ? error : driver_channel();
}

#else

void edge_hand_to(gpio_callback_handler_t handler)
{
	ARG_UNUSED(handler);
}

static int input_init(gpio_callback_handler_t handler)
{
	ARG_UNUSED(handler);
	nrf_gpio_cfg_input(PIN_OF(input_gpios), NRF_GPIO_PIN_PULLDOWN);
	nrf_gpiote_event_configure(NRF_GPIOTE0_S, CH_INPUT, PIN_OF(input_gpios), NRF_GPIOTE_POLARITY_LOTOHI);
	nrf_gpiote_event_enable(NRF_GPIOTE0_S, CH_INPUT);
	nrf_gpiote_int_enable(NRF_GPIOTE0_S, BIT(CH_INPUT));
	return CH_INPUT;
}

#endif

static bool channels_are_free(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(our_channels); i++) {
		if (nrf_gpiote_te_is_enabled(NRF_GPIOTE0_S, our_channels[i])) {
			return false;
		}
	}
	for (uint8_t channel = DPPI_UP; channel <= DPPI_ANSWER; channel++) {
		if (nrf_dppi_channel_check(NRF_DPPIC_S, channel)) {
			return false;
		}
	}
	return true;
}

static void stimulus_pin_init(void)
{
	nrf_gpiote_task_configure(NRF_GPIOTE0_S, CH_STIMULUS, PIN_OF(stimulus_gpios), NRF_GPIOTE_POLARITY_TOGGLE,
				  NRF_GPIOTE_INITIAL_VALUE_LOW);
	nrf_gpiote_task_enable(NRF_GPIOTE0_S, CH_STIMULUS);
	nrf_gpiote_subscribe_set(NRF_GPIOTE0_S, nrf_gpiote_set_task_get(CH_STIMULUS), DPPI_UP);
	nrf_gpiote_subscribe_set(NRF_GPIOTE0_S, nrf_gpiote_clr_task_get(CH_STIMULUS), DPPI_DOWN);
}

static void capture_pin_init(void)
{
	nrf_gpio_cfg_input(PIN_OF(capture_gpios), NRF_GPIO_PIN_PULLDOWN);
	nrf_gpiote_event_configure(NRF_GPIOTE0_S, CH_CAPTURE, PIN_OF(capture_gpios), NRF_GPIOTE_POLARITY_LOTOHI);
	nrf_gpiote_event_enable(NRF_GPIOTE0_S, CH_CAPTURE);
	nrf_gpiote_publish_set(NRF_GPIOTE0_S, nrf_gpiote_in_event_get(CH_CAPTURE), DPPI_ANSWER);
}

int edge_init(gpio_callback_handler_t handler)
{
	int channel = input_init(handler);

	if (channel < 0) {
		return channel;
	}
	if (!channels_are_free()) {
		return -EBUSY;
	}
	/* The reset value already; written so that CONF? reports a decision. */
	nrf_gpiote_latency_set(NRF_GPIOTE0_S, NRF_GPIOTE_LATENCY_LOWLATENCY);
	edge_event = nrf_gpiote_in_event_get((uint8_t)channel);
	nrf_gpiote_publish_set(NRF_GPIOTE0_S, edge_event, DPPI_EDGE);
	stimulus_pin_init();
	capture_pin_init();
	nrf_dppi_channels_enable(NRF_DPPIC_S, DPPI_OURS);
	edge_mask();
	return 0;
}

void edge_forget(void)
{
	nrf_gpiote_event_clear(NRF_GPIOTE0_S, edge_event);
	nrf_gpiote_event_clear(NRF_GPIOTE0_S, nrf_gpiote_in_event_get(CH_CAPTURE));
	NVIC_ClearPendingIRQ(EDGE_IRQN);
}

void edge_mask(void)
{
	irq_disable(EDGE_IRQN);
	__DSB();
	__ISB();
}

void edge_unmask(void)
{
	irq_enable(EDGE_IRQN);
}

void response_low(void)
{
	nrf_gpiote_task_trigger(NRF_GPIOTE0_S, nrf_gpiote_clr_task_get(CH_RESPONSE));
	response_low_register();
}

bool response_by_hardware(bool on)
{
	nrf_gpiote_task_t raise = nrf_gpiote_set_task_get(CH_RESPONSE);

	if (on) {
		nrf_gpiote_task_configure(NRF_GPIOTE0_S, CH_RESPONSE, PIN_OF(response_gpios),
					  NRF_GPIOTE_POLARITY_TOGGLE, NRF_GPIOTE_INITIAL_VALUE_LOW);
		nrf_gpiote_task_enable(NRF_GPIOTE0_S, CH_RESPONSE);
		nrf_gpiote_subscribe_set(NRF_GPIOTE0_S, raise, DPPI_EDGE);
	} else {
		nrf_gpiote_subscribe_clear(NRF_GPIOTE0_S, raise);
		/* Task mode overrides the port: the pin is given back. */
		nrf_gpiote_te_default(NRF_GPIOTE0_S, CH_RESPONSE);
	}
	return true;
}
