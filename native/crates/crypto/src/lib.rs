//! Keccak-256, the SHA-256 family and secp256k1 signatures, single and batched.
//!
//! Nothing here panics on input from outside and nothing needs set-up: the secp256k1 context is
//! made on first use and shared by all threads.

pub mod batch;
pub mod exchange;
pub mod keccak;
pub mod point;
pub mod recovery;
pub mod sha256;
pub mod signature;
pub mod signing;
pub mod transaction;

mod context;

pub use batch::recover_addresses;
pub use exchange::shared_abscissa;
pub use keccak::{RunningKeccak, keccak256, keccak256_batch};
pub use point::Point;
pub use recovery::{EMPTY_KEY_ADDRESS, RecoveredKey, address_of_public_key, recover_address, recover_public_key};
pub use sha256::{Sha256Midstate, hash160, ripemd160, sha256, sha256d};
pub use signature::{components_acceptable, scalar_in_range};
pub use signing::{KeyError, RecoverableSignature, address_of_private_key, public_key, sign};
pub use transaction::read_transactions;
