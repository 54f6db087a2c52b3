//! The same image, linked with a kernel for an emulator without the Security Extension (see the build script).
#![no_std]
#![no_main]

mod image;
mod kernel;
