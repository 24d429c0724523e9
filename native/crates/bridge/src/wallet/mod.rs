//! Spends the federations' coins like the wallet of the reference's Bitcoin library (bridge.md §4.6).

mod build_error;
pub(crate) mod coins;
pub(crate) mod federation;
pub(crate) mod fees;
pub(crate) mod keys;
pub(crate) mod release;
pub(crate) mod size;

pub use build_error::BuildError;
pub use coins::balance;
pub(crate) use coins::{outputs_of, remove_spent};
pub(crate) use federation::FederationWallet;
pub use keys::{FederationKeys, WalletKeys};
pub(crate) use keys::{FlyoverKeys, StoredKeys};
pub use release::{Release, ReleaseBuilder};
