//! The fuzzer of `../tables.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| neuncut_fuzz::run(&neuncut_fuzz::tables::TARGETS, bytes));
