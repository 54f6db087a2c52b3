//! The image on RTIC 2.
//!
//! Two hardware tasks at the same priority: `isr` answers itself, `task` spawns a software task that answers. RTIC binds a
//! task to an interrupt at compile time; the second one is bound to `EGU5`, which nothing else uses, and its handler as
//! RTIC made it is put into the slot of `GPIOTE0` when mode `task` is selected. So both run the framework's own entry and
//! exit code, and neither asks which mode is in force.
//!
//! RTIC counts priorities upwards: 7 here is NVIC priority 1, 1 is NVIC priority 7.
#![no_std]
#![no_main]

#[rtic::app(device = latency_board_nrf5340::pac, dispatchers = [EGU0], peripherals = false)]
mod app {
    use latency_board_nrf5340::pac::Interrupt;
    use latency_board_nrf5340::{
        Image, Input, Isr, MEASURED_PRIORITY, Mode, Nrf, Output, Shell, pins, serial, train,
    };

    const fn bound_to(name: &'static str, interrupt: Interrupt, min_gap_us: u32) -> Mode {
        let isr = Isr::Linked(interrupt);
        Mode { name, isr, output: Output::Port, input: Input::First, priority: MEASURED_PRIORITY, min_gap_us }
    }

    static IMAGE: Image = Image {
        runtime: "rtic",
        modes: &[bound_to("isr", Interrupt::GPIOTE0, 8), bound_to("task", Interrupt::EGU5, 8)],
        guard_us: 4,
        enable_edge: true,
    };

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        shell: Shell,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let reset = Nrf::prepare();
        (Shared {}, Local { shell: Shell::new(Nrf::start(&IMAGE, reset)) })
    }

    #[idle(local = [shell])]
    fn idle(context: idle::Context) -> ! {
        loop {
            context.local.shell.step();
        }
    }

    #[task(binds = GPIOTE0, priority = 7)]
    fn hardware(_: hardware::Context) {
        pins::respond();
        pins::acknowledge();
    }

    #[task(binds = EGU5, priority = 7)]
    fn spawning(_: spawning::Context) {
        // It fails only while the task before has not started; the stimulus is then counted as lost.
        let _ = deferred::spawn();
        pins::acknowledge();
    }

    #[task(priority = 5)]
    async fn deferred(_: deferred::Context) {
        pins::respond();
    }

    #[task(binds = TIMER1, priority = 1)]
    fn bookkeeping(_: bookkeeping::Context) {
        train::on_timer();
    }

    #[task(binds = SERIAL0, priority = 1)]
    fn line(_: line::Context) {
        serial::on_interrupt();
    }
}
