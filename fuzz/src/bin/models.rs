//! The fuzzer of `../models.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| neuncut_fuzz::run(&neuncut_fuzz::models::TARGETS, bytes));
