//! Rows come in (and results go out), in chunks, so that memory does not grow with the number of rows.
//!
//! [`Table`] opens any number of files as one table and reads it in order; [`sample`] draws a uniform sample in one
//! pass; [`writers`] stream labels and memberships out, each to a temporary file that is renamed when complete.
