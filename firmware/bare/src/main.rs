//! The image without a kernel: what the hardware and the shortest code can do.
//!
//! On the nRF5340: `hw` (no processor at all), `reg-set`, `reg-task`, `reg-rmw` (hand-written, in RAM), `isr` (plain
//! compiled code in flash), `pendsv` (deferred to an exception of low priority). On the Cortex-M3 board of QEMU the
//! same without the first and third, which that chip has no hardware for.
#![no_std]
#![no_main]

#[cfg(all(feature = "nrf5340", feature = "lm3s6965"))]
compile_error!(
    "an image is for one board: build with --no-default-features --features lm3s6965, or with the defaults"
);

#[cfg(feature = "lm3s6965")]
mod lm3s6965;
#[cfg(feature = "nrf5340")]
mod nrf5340;
