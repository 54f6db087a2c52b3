/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Who uses which channel of the nRF5340. Zephyr's GPIO driver takes GPIOTE channels from the top (7 for the input);
 * ours are the low ones, and edge_init() refuses to start when one of them is taken. The same holds for DPPI: allocated
 * ones come from the top as well (the UART driver may take one), ours are the lowest. TIMER0 to TIMER2 are ours.
 *
 *   TIMER1 compare -> DPPI_UP     -> GPIOTE set P0.06 (stimulus), TIMER2 clear
 *   TIMER1 compare -> DPPI_DOWN   -> GPIOTE clear P0.06
 *   P0.05 rises    -> DPPI_EDGE   -> TIMER2 capture 0, TIMER0 count, in mode `hw` GPIOTE set P0.04
 *   P0.07 rises    -> DPPI_ANSWER -> TIMER2 capture 1
 *
 * The capture has a pin of its own (wire P0.04 to P0.07): an event channel on P0.04 would turn that pin into an input.
 */
#ifndef LATENCY_WIRING_NRF_H
#define LATENCY_WIRING_NRF_H

#define CH_INPUT    0 /* only where the driver does not choose one */
#define CH_RESPONSE 1
#define CH_STIMULUS 2
#define CH_CAPTURE  3

#define DPPI_UP	    0
#define DPPI_DOWN   1
#define DPPI_EDGE   2
#define DPPI_ANSWER 3
#define DPPI_OURS   0xFu

#endif
