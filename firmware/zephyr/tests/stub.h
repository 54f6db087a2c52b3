/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Enough of Zephyr and of the vendor's HAL to compile the application's own sources on a host. run.py makes each header
 * that the sources include out of this one. The calls end in model.c, which keeps pins, timers and their wiring. What
 * this holds is our belief about the interfaces: that the image compiles and runs is shown by Zephyr alone.
 */
#ifndef STUB_H
#define STUB_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- language --- */
#define BIT(n)		      (1u << (n))
#define ARG_UNUSED(x)	      (void)(x)
#define ARRAY_SIZE(a)	      (sizeof(a) / sizeof((a)[0]))
#define ALWAYS_INLINE	      inline __attribute__((always_inline))
#define __aligned(n)	      __attribute__((aligned(n)))
#define BUILD_ASSERT(x, text) _Static_assert(x, text)
/* IS_ENABLED as Zephyr documents it: 1 for a macro that is defined to 1, else 0. */
#define STUB_MARK_1	     0,
#define IS_ENABLED(x)	     STUB_ENABLED(x)
#define STUB_ENABLED(x)	     STUB_PICK(STUB_MARK_##x 1, 0, 0)
#define STUB_PICK(a, b, ...) STUB_SECOND(a, b, 0)
#define STUB_SECOND(a, b, ...) b
#define KERNEL_VERSION_STRING	    "99.99.99"

/* --- kernel --- */
#define K_FOREVER			    (-1)
#define K_NO_WAIT			    0
#define K_MSEC(n)			    (n)
#define K_PRIO_COOP(n)			    (-(n))
#define K_LOWEST_APPLICATION_THREAD_PRIO    14
#define K_FP_REGS			    2
struct k_sem {
	unsigned int count;
	unsigned int limit;
};
struct k_work {
	void (*handler)(struct k_work *);
	bool queued;
};
struct k_work_q {
	int unused;
};
struct k_thread {
	int unused;
};
struct k_msgq {
	int unused;
};
typedef void (*k_thread_entry_t)(void *, void *, void *);
#define K_SEM_DEFINE(name, initial, most)	struct k_sem name = {initial, most}
#define K_MSGQ_DEFINE(name, size, most, align) struct k_msgq name
#define K_THREAD_STACK_DEFINE(name, size)	char name[size]
#define K_THREAD_STACK_ARRAY_DEFINE(name, n, size) char name[n][size]
#define K_THREAD_STACK_SIZEOF(name)		sizeof(name)
void k_sem_give(struct k_sem *sem);
int k_sem_take(struct k_sem *sem, int wait);
void k_work_init(struct k_work *work, void (*handler)(struct k_work *));
int k_work_submit(struct k_work *work);
int k_work_submit_to_queue(struct k_work_q *queue, struct k_work *work);
void k_work_queue_start(struct k_work_q *queue, char *stack, size_t size, int priority, const void *config);
void *k_thread_create(struct k_thread *thread, char *stack, size_t size, k_thread_entry_t entry, void *a, void *b,
		      void *c, int priority, uint32_t options, int delay);
int k_msgq_put(struct k_msgq *queue, const void *data, int wait);
int k_msgq_get(struct k_msgq *queue, void *data, int wait);
void k_busy_wait(uint32_t us);
void k_msleep(int ms);
void k_yield(void);

/* --- devices --- */
struct device {
	int unused;
};
extern const struct device stub_device;
#define DEVICE_DT_GET(node)	   (&stub_device)
#define DT_CHOSEN(name)		   0
#define DT_ALIAS(name)		   0
#define DT_PATH(name)		   0
#define DT_NODELABEL(name)	   0
#define DT_GPIO_CTLR(node, name)   0
#define DT_SAME_NODE(a, b)	   1
#define STUB_PIN_input_gpios	   5
#define STUB_PIN_response_gpios	   4
#define STUB_PIN_stimulus_gpios	   6
#define STUB_PIN_capture_gpios	   7
#define STUB_PIN(name)		   STUB_PIN_##name
#define DT_GPIO_PIN(node, name)	   STUB_PIN(name)
#define device_is_ready(device)	   ((device) != NULL)
int i2c_write(const struct device *device, const uint8_t *bytes, uint32_t length, uint16_t address);
int uart_irq_update(const struct device *device);
int uart_irq_rx_ready(const struct device *device);
int uart_fifo_read(const struct device *device, uint8_t *bytes, int length);
int uart_irq_callback_user_data_set(const struct device *device, void (*callback)(const struct device *, void *),
				    void *context);
void uart_irq_rx_enable(const struct device *device);
void uart_poll_out(const struct device *device, unsigned char byte);

/* --- gpio --- */
typedef uint32_t gpio_port_pins_t;
typedef uint32_t gpio_flags_t;
struct gpio_callback;
typedef void (*gpio_callback_handler_t)(const struct device *, struct gpio_callback *, gpio_port_pins_t);
struct gpio_callback {
	gpio_callback_handler_t handler;
	gpio_port_pins_t pins;
};
struct gpio_dt_spec {
	const struct device *port;
	uint8_t pin;
};
#define GPIO_DT_SPEC_GET(node, name) {&stub_device, STUB_PIN(name)}
#define GPIO_INPUT		     1u
#define GPIO_OUTPUT_INACTIVE	     2u
#define GPIO_PULL_DOWN		     4u
#define GPIO_INT_EDGE_RISING	     8u
int gpio_pin_configure_dt(const struct gpio_dt_spec *spec, gpio_flags_t flags);
int gpio_pin_interrupt_configure_dt(const struct gpio_dt_spec *spec, gpio_flags_t flags);
void gpio_init_callback(struct gpio_callback *callback, gpio_callback_handler_t handler, gpio_port_pins_t pins);
int gpio_add_callback(const struct device *port, struct gpio_callback *callback);
int gpio_pin_set_raw(const struct device *port, uint8_t pin, int value);

/* --- log --- */
#define LOG_MODULE_REGISTER(name, level) extern int stub_log_##name
#define LOG_DBG(...)			 ((void)0)

/* --- interrupts --- */
#define GPIOTE0_IRQn	  13
#define TIMER1_IRQn	  16
#define _IRQ_PRIO_OFFSET  2
#define IRQ_ZERO_LATENCY  1
#define CONFIG_NUM_IRQS	  69
#define ISR_DIRECT_DECLARE(name)                                                                                       \
	static int name##_body(void);                                                                                  \
	static void name(void)                                                                                         \
	{                                                                                                              \
		(void)name##_body();                                                                                   \
	}                                                                                                              \
	static int name##_body(void)
struct stub_scb {
	uintptr_t VTOR;
};
extern struct stub_scb stub_scb;
#define SCB (&stub_scb)
#define __DSB()
#define __ISB()
void stub_connect(int irq, unsigned int priority, void (*isr)(const void *));
void stub_direct_connect(int irq, unsigned int priority, void (*isr)(void), unsigned int flags);
#define IRQ_CONNECT(irq, priority, isr, arg, flags)	   stub_connect(irq, priority, isr)
#define IRQ_DIRECT_CONNECT(irq, priority, isr, flags) stub_direct_connect(irq, priority, isr, flags)
void irq_enable(int irq);
void irq_disable(int irq);
unsigned int irq_lock(void);
void irq_unlock(unsigned int key);
void NVIC_SetPriority(int irq, unsigned int priority);
unsigned int NVIC_GetPriority(int irq);
void NVIC_ClearPendingIRQ(int irq);

/* --- HAL: port and GPIOTE --- */
#define NRF_P0_S	0
#define NRF_GPIOTE0_S	0
#define GPIOTE_CH_NUM	8
#define NRF_GPIO_PIN_PULLDOWN 1
typedef enum { NRF_GPIOTE_POLARITY_LOTOHI = 1, NRF_GPIOTE_POLARITY_TOGGLE = 3 } nrf_gpiote_polarity_t;
typedef enum { NRF_GPIOTE_INITIAL_VALUE_LOW = 0 } nrf_gpiote_outinit_t;
typedef enum { NRF_GPIOTE_LATENCY_LOWPOWER = 0, NRF_GPIOTE_LATENCY_LOWLATENCY = 1 } nrf_gpiote_latency_t;
/* Numbers out of one another's way, so that a task is never taken for an event. */
typedef enum { STUB_GPIOTE_EVENT = 0x100 } nrf_gpiote_event_t;
typedef enum { STUB_GPIOTE_SET = 0x30, STUB_GPIOTE_CLR = 0x60 } nrf_gpiote_task_t;
#define nrf_gpiote_in_event_get(channel) ((nrf_gpiote_event_t)(STUB_GPIOTE_EVENT + (channel)))
#define nrf_gpiote_set_task_get(channel) ((nrf_gpiote_task_t)(STUB_GPIOTE_SET + (channel)))
#define nrf_gpiote_clr_task_get(channel) ((nrf_gpiote_task_t)(STUB_GPIOTE_CLR + (channel)))
void nrf_gpio_port_out_set(int port, uint32_t mask);
void nrf_gpio_port_out_clear(int port, uint32_t mask);
void nrf_gpio_cfg_input(uint32_t pin, int pull);
void nrf_gpiote_event_configure(int reg, uint32_t channel, uint32_t pin, nrf_gpiote_polarity_t polarity);
void nrf_gpiote_event_enable(int reg, uint32_t channel);
void nrf_gpiote_event_clear(int reg, nrf_gpiote_event_t event);
void nrf_gpiote_int_enable(int reg, uint32_t mask);
void nrf_gpiote_task_configure(int reg, uint32_t channel, uint32_t pin, nrf_gpiote_polarity_t polarity,
			       nrf_gpiote_outinit_t level);
void nrf_gpiote_task_enable(int reg, uint32_t channel);
void nrf_gpiote_task_trigger(int reg, nrf_gpiote_task_t task);
void nrf_gpiote_te_default(int reg, uint32_t channel);
bool nrf_gpiote_te_is_enabled(int reg, uint32_t channel);
uint32_t nrf_gpiote_event_pin_get(int reg, uint32_t channel);
void nrf_gpiote_publish_set(int reg, nrf_gpiote_event_t event, uint8_t dppi);
void nrf_gpiote_subscribe_set(int reg, nrf_gpiote_task_t task, uint8_t dppi);
void nrf_gpiote_subscribe_clear(int reg, nrf_gpiote_task_t task);
void nrf_gpiote_latency_set(int reg, nrf_gpiote_latency_t latency);
nrf_gpiote_latency_t nrf_gpiote_latency_get(int reg);

/* --- HAL: DPPI and TIMER --- */
#define NRF_DPPIC_S 0
void nrf_dppi_channels_enable(int reg, uint32_t mask);
bool nrf_dppi_channel_check(int reg, uint8_t channel);
struct stub_timer {
	int mode;
	bool running;
	uint32_t at;
	uint32_t cc[6];
	uint32_t inten;
	int publish[6];
	int subscribe[16];
};
typedef struct stub_timer NRF_TIMER_Type;
extern struct stub_timer stub_timers[3];
#define NRF_TIMER0_S (&stub_timers[0])
#define NRF_TIMER1_S (&stub_timers[1])
#define NRF_TIMER2_S (&stub_timers[2])
typedef enum {
	NRF_TIMER_CC_CHANNEL0, NRF_TIMER_CC_CHANNEL1, NRF_TIMER_CC_CHANNEL2,
	NRF_TIMER_CC_CHANNEL3, NRF_TIMER_CC_CHANNEL4, NRF_TIMER_CC_CHANNEL5,
} nrf_timer_cc_channel_t;
typedef enum { NRF_TIMER_MODE_TIMER = 0, NRF_TIMER_MODE_COUNTER = 1 } nrf_timer_mode_t;
typedef enum {
	NRF_TIMER_TASK_START, NRF_TIMER_TASK_STOP, NRF_TIMER_TASK_COUNT, NRF_TIMER_TASK_CLEAR,
	NRF_TIMER_TASK_CAPTURE0 = 8, NRF_TIMER_TASK_CAPTURE1 = 9,
} nrf_timer_task_t;
typedef enum { NRF_TIMER_EVENT_COMPARE0, NRF_TIMER_EVENT_COMPARE1, NRF_TIMER_EVENT_COMPARE2 } nrf_timer_event_t;
#define NRF_TIMER_BIT_WIDTH_32	       3
#define NRF_TIMER_INT_COMPARE3_MASK    BIT(3)
#define nrf_timer_capture_task_get(n)  ((nrf_timer_task_t)(NRF_TIMER_TASK_CAPTURE0 + (n)))
#define nrf_timer_compare_event_get(n) ((nrf_timer_event_t)(n))
void nrf_timer_mode_set(NRF_TIMER_Type *timer, nrf_timer_mode_t mode);
void nrf_timer_bit_width_set(NRF_TIMER_Type *timer, int width);
void nrf_timer_prescaler_set(NRF_TIMER_Type *timer, uint32_t factor);
void nrf_timer_cc_set(NRF_TIMER_Type *timer, nrf_timer_cc_channel_t channel, uint32_t value);
uint32_t nrf_timer_cc_get(NRF_TIMER_Type *timer, nrf_timer_cc_channel_t channel);
void nrf_timer_task_trigger(NRF_TIMER_Type *timer, nrf_timer_task_t task);
void nrf_timer_event_clear(NRF_TIMER_Type *timer, nrf_timer_event_t event);
void nrf_timer_int_enable(NRF_TIMER_Type *timer, uint32_t mask);
void nrf_timer_publish_set(NRF_TIMER_Type *timer, nrf_timer_event_t event, uint8_t dppi);
void nrf_timer_subscribe_set(NRF_TIMER_Type *timer, nrf_timer_task_t task, uint8_t dppi);

/* --- HAL: clock, cache, reset, watchdog --- */
#define NRF_CLOCK_S 0
#define NRF_WDT0_S  0
#define NRF_RESET_S 0
struct stub_cache {
	uint32_t ENABLE;
};
extern struct stub_cache stub_cache;
#define NRF_CACHE_S (&stub_cache)
typedef enum { NRF_CLOCK_HFCLK_DIV_1 = 0, NRF_CLOCK_HFCLK_DIV_2 = 1 } nrf_clock_hfclk_div_t;
enum { NRF_CLOCK_HFCLK_LOW_ACCURACY, NRF_CLOCK_HFCLK_HIGH_ACCURACY };
enum { NRF_CLOCK_DOMAIN_HFCLK };
enum { NRF_WDT_BEHAVIOUR_RUN_SLEEP_MASK = 1, NRF_WDT_RR0 = 0, NRF_WDT_TASK_START = 0 };
enum {
	NRF_RESET_RESETREAS_RESETPIN_MASK = 1, NRF_RESET_RESETREAS_DOG0_MASK = 2,
	NRF_RESET_RESETREAS_SREQ_MASK = 8, NRF_RESET_RESETREAS_LOCKUP_MASK = 16,
};
struct onoff_manager {
	int unused;
};
struct onoff_client {
	int notify;
};
#define CLOCK_CONTROL_NRF_SUBSYS_HF 0
struct onoff_manager *z_nrf_clock_control_get_onoff(int subsystem);
void sys_notify_init_spinwait(int *notify);
int onoff_request(struct onoff_manager *manager, struct onoff_client *client);
int nrfx_clock_divider_set(int domain, nrf_clock_hfclk_div_t divider);
nrf_clock_hfclk_div_t nrf_clock_hfclk_div_get(int reg);
int nrf_clock_hf_src_get(int reg);
bool nrf_wdt_started_check(int reg);
void nrf_wdt_behaviour_set(int reg, uint32_t mask);
void nrf_wdt_reload_value_set(int reg, uint32_t ticks);
void nrf_wdt_reload_request_enable(int reg, int channel);
void nrf_wdt_reload_request_set(int reg, int channel);
void nrf_wdt_task_trigger(int reg, int task);
uint32_t nrf_reset_resetreas_get(int reg);
void nrf_reset_resetreas_clear(int reg, uint32_t mask);

#endif
