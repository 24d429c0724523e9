//! The precompiled contracts of the network. [`Precompile`] finds, prices and runs them; the Bridge
//! itself lives in its own crate.

mod block_header;
mod environment;
mod ethereum;
mod hd_wallet;
mod native;
mod precompile;
mod remasc;

pub use precompile::Precompile;
