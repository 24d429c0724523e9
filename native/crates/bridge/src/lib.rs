//! The Bridge, the precompiled contract of the two-way peg
