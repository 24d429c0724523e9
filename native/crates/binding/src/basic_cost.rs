//! Gas of a transaction before anything runs, for the transaction pool.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

use crate::errors::Result;
use crate::execution::{ExecutableTransaction, count};
use crate::spec::ChainSpec;

/// Gas that a transaction must provide in a block of this height; 0 for the reward transaction and for free ones to the
/// Bridge (consensus.md §5.4).
#[napi(catch_unwind)]
pub fn basic_cost(spec: &ChainSpec, number: i64, transaction: ExecutableTransaction) -> Result<BigInt> {
    let number = count("number", number)?;
    Ok(rhizome_evm::basic_cost(&spec.inner, number, &transaction.to_transaction()?).into())
}
