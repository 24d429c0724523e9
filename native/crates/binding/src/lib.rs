//! The Node addon: converts between JavaScript and the core crates, and maps their errors
