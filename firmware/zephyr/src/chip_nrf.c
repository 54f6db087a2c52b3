/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Clock, cache, watchdog and reset reason of the nRF5340's application core.
 *
 * Zephyr leaves the core at 64 MHz and has no option for 128 MHz. The divider is set through nrfx_clock_divider_set,
 * the one nrfx driver call here: it also applies the workaround of erratum 4 and corrects SystemCoreClock, on which
 * k_busy_wait() depends. Its return type differs between nrfx 3 and 4, so the register is asked instead.
 */
#include "board.h"
#include "edge.h"

#include <hal/nrf_clock.h>
#include <hal/nrf_reset.h>
#include <hal/nrf_wdt.h>
#include <nrfx_clock.h>
#include <zephyr/drivers/clock_control.h>
#include <zephyr/drivers/clock_control/nrf_clock_control.h>

#include <errno.h>

/* Two seconds of the 32 768 Hz clock. The console feeds it at least ten times a second. */
#define WATCHDOG_TICKS 65536u

static uint32_t reset_reason;

static bool divider_is_one(void)
{
	return nrf_clock_hfclk_div_get(NRF_CLOCK_S) == NRF_CLOCK_HFCLK_DIV_1;
}

/* The crystal, so that times on the chip are those of the scope; it stays on. */
static void crystal_on(void)
{
	static struct onoff_client client;
	struct onoff_manager *manager = z_nrf_clock_control_get_onoff(CLOCK_CONTROL_NRF_SUBSYS_HF);

	sys_notify_init_spinwait(&client.notify);
	(void)onoff_request(manager, &client);
}

static void watchdog_on(void)
{
	if (nrf_wdt_started_check(NRF_WDT0_S)) {
		return;
	}
	/* Paused while the debugger halts the core; running in sleep. */
	nrf_wdt_behaviour_set(NRF_WDT0_S, NRF_WDT_BEHAVIOUR_RUN_SLEEP_MASK);
	nrf_wdt_reload_value_set(NRF_WDT0_S, WATCHDOG_TICKS);
	nrf_wdt_reload_request_enable(NRF_WDT0_S, NRF_WDT_RR0);
	nrf_wdt_task_trigger(NRF_WDT0_S, NRF_WDT_TASK_START);
}

int chip_init(void)
{
	reset_reason = nrf_reset_resetreas_get(NRF_RESET_S);
	nrf_reset_resetreas_clear(NRF_RESET_S, reset_reason);
	(void)nrfx_clock_divider_set(NRF_CLOCK_DOMAIN_HFCLK, NRF_CLOCK_HFCLK_DIV_1);
	crystal_on();
	watchdog_on();
	return divider_is_one() ? 0 : -EIO;
}

void chip_feed(void)
{
	nrf_wdt_reload_request_set(NRF_WDT0_S, NRF_WDT_RR0);
}

static const char *reset_word(void)
{
	if (reset_reason & NRF_RESET_RESETREAS_DOG0_MASK) {
		return "watchdog";
	}
	if (reset_reason & NRF_RESET_RESETREAS_LOCKUP_MASK) {
		return "lockup";
	}
	if (reset_reason & NRF_RESET_RESETREAS_SREQ_MASK) {
		return "soft";
	}
	return reset_reason & NRF_RESET_RESETREAS_RESETPIN_MASK ? "pin" : "power";
}

void chip_conditions(struct conditions *conditions)
{
	bool crystal = nrf_clock_hf_src_get(NRF_CLOCK_S) == NRF_CLOCK_HFCLK_HIGH_ACCURACY;
	bool low_latency = nrf_gpiote_latency_get(NRF_GPIOTE0_S) == NRF_GPIOTE_LATENCY_LOWLATENCY;

	conditions->clock_hz = divider_is_one() ? 128000000u : 64000000u;
	conditions->source = crystal ? "xtal" : "rc";
	conditions->gpiote = low_latency ? "low-latency" : "low-power";
	conditions->cache = NRF_CACHE_S->ENABLE != 0 ? "on" : "off";
	conditions->reset = reset_word();
}

unsigned int chip_priority(void)
{
	return NVIC_GetPriority(EDGE_IRQN);
}
