/* The kernel as this image uses it: static memory, preemption, 1 kHz tick, no checks in the measured path.
 * configASSERT stays undefined: it would lengthen what is measured, and a product ships without it. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#if defined(__ARM_ARCH_8M_MAIN__)
#define configCPU_CLOCK_HZ 128000000UL
#define configENABLE_FPU 1
#define configENABLE_MPU 0
#define configENABLE_MVE 0
#define configENABLE_TRUSTZONE 0
#define configRUN_FREERTOS_SECURE_ONLY SECURE_ONLY
#define SVC_Handler SVCall
#define PendSV_Handler PendSV
#define SysTick_Handler SysTick
#else
#define configCPU_CLOCK_HZ 12500000UL
#define vPortSVCHandler SVCall
#define xPortPendSVHandler PendSV
#define xPortSysTickHandler SysTick
#define configCHECK_HANDLER_INSTALLATION 0
#endif

#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PREEMPTION 1
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#define configMAX_PRIORITIES 8
#define configMINIMAL_STACK_SIZE 128
#define configMAX_TASK_NAME_LEN 8
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_MUTEXES 0
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY 7
#define configTIMER_QUEUE_LENGTH 8
#define configTIMER_TASK_STACK_DEPTH 256

/* Three priority bits. The kernel runs at the lowest priority; its ceiling is the priority at which every image measures
 * (MEASURED_PRIORITY of the board crates), so that only mode `direct` stands above it. */
#define configPRIO_BITS 3
#define configKERNEL_INTERRUPT_PRIORITY (7 << (8 - configPRIO_BITS))
#define configMAX_SYSCALL_INTERRUPT_PRIORITY (1 << (8 - configPRIO_BITS))

#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_xTimerPendFunctionCall 1
#endif
