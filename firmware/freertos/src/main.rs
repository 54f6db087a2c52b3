//! The image on FreeRTOS V11.2.0, see `image`.
#![no_std]
#![no_main]

mod image;
mod kernel;
