/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What was fixed when the image was built: the name of the board and the build's part of the CONF? answer. */
#ifndef LATENCY_BUILD_H
#define LATENCY_BUILD_H

#include <zephyr/kernel.h>
#include <version.h>

#if defined(CONFIG_SOC_NRF5340_CPUAPP)
/* CONFIG_BOARD changed its form between Zephyr releases; the name on the wire does not. */
#define BOARD_NAME "nrf5340dk"
#else
#define BOARD_NAME CONFIG_BOARD
#endif

#if defined(CONFIG_ZERO_LATENCY_IRQS)
#define BUILD_ZLI "on"
#else
#define BUILD_ZLI "off"
#endif

#if CONFIG_LOG_DEFAULT_LEVEL >= 4
#define BUILD_LOG "dbg"
#elif CONFIG_LOG_DEFAULT_LEVEL > 0
#define BUILD_LOG "err"
#else
#define BUILD_LOG "off"
#endif

#if defined(CONFIG_FPU_SHARING)
#define BUILD_FPU "shared"
#elif defined(CONFIG_FPU)
#define BUILD_FPU "on"
#else
#define BUILD_FPU "off"
#endif

#if defined(CONFIG_THREAD_ANALYZER)
#define BUILD_ANALYZER "on"
#else
#define BUILD_ANALYZER "off"
#endif

#define BUILD_CONDITIONS                                                                                               \
	"zephyr=" KERNEL_VERSION_STRING " zli=" BUILD_ZLI " log=" BUILD_LOG " fpu=" BUILD_FPU                          \
	" analyzer=" BUILD_ANALYZER

#endif
