//! The Rootstock EVM: journal, host, instruction tables, frames, transaction and block executor, tracing
