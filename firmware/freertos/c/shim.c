/* What the kernel offers as macros, as functions; and the two tasks' memory. Nothing else. */
#include "FreeRTOS.h"
#include "task.h"
#include "timers.h"

#define TASKS 2
#define WORDS 1024

static StaticTask_t control[TASKS];
static StackType_t stack[TASKS][WORDS];

/* The handle of task `slot`, or null for a slot that does not exist. To be called before the scheduler starts. */
TaskHandle_t fw_task(uint32_t slot, TaskFunction_t body, uint32_t priority) {
    if (slot >= TASKS) return NULL;
    return xTaskCreateStatic(body, "fw", WORDS, NULL, priority, stack[slot], &control[slot]);
}

/* From an interrupt: wakes `task`, which waits in fw_wait, and leaves the interrupt into it. */
void fw_notify_from_isr(TaskHandle_t task) {
    BaseType_t woken = pdFALSE;
    vTaskNotifyGiveFromISR(task, &woken);
    portYIELD_FROM_ISR(woken);
}

/* In a task: sleeps until it is notified. */
void fw_wait(void) { (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY); }

/* From an interrupt: lets the timer daemon call `function`. A full queue drops the call, which shows as a lost stimulus. */
void fw_pend_from_isr(PendedFunction_t function) {
    BaseType_t woken = pdFALSE;
    (void)xTimerPendFunctionCallFromISR(function, NULL, 0, &woken);
    portYIELD_FROM_ISR(woken);
}

void fw_run(void) { vTaskStartScheduler(); }
