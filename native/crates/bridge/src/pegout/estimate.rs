//! Estimated cost of the next peg-out (RSKIP271, RSKIP305, RSKIP540).

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_crypto::hash160;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::hex;
use rhizome_primitives::rules::Rule;

use crate::storage::Frame;
use crate::wallet::size::pegout_size;
use crate::wallet::{BuildError, FederationWallet};

/// Inputs of the peg-out that the formula assumes.
const INPUTS: usize = 2;
/// Outputs that it has besides the queued ones.
const EXTRA_OUTPUTS: usize = 2;
/// Amount of the assumed request before RSKIP540, satoshi.
const ONE_BITCOIN: i64 = 100_000_000;
/// Destination key of the assumed request.
const RECIPIENT: [u8; 33] = hex!("0329f519f8d13a7e3dd35fa5c2480c6bf6c0489da40081e8311a91813492083953");

/// Fee of a transaction of `size` bytes, satoshi.
///
/// # Errors
/// [`ContractError::Failed`] when it overflows.
pub(crate) fn fee(fee_per_kb: i64, size: usize) -> Result<i64, ContractError> {
    let fee = fee_per_kb.checked_mul(size as i64);
    fee.map(|fee| fee / 1000).ok_or_else(|| ContractError::Failed("the fee overflows".into()))
}

/// Fee of the next batch, satoshi. It is zero while nothing is queued before RSKIP385. Before RSKIP305 a formula gives
/// it; afterwards it is that of a simulated batch with one more request, or the formula's if there is no such batch.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn fee_of_next_batch(frame: &mut Frame<'_>) -> Result<i64, ContractError> {
    let queued = frame.requests()?.len();
    if !frame.active(Rule::Rskip385) && queued == 0 {
        return Ok(0);
    }
    if frame.active(Rule::Rskip305) {
        let minimum = frame.bridge().minimum_pegout.rskip219 as i64;
        let amount = if frame.active(Rule::Rskip540) { minimum } else { ONE_BITCOIN };
        if let Some(fee) = simulated_fee(frame, amount)? {
            return Ok(fee);
        }
    }
    let federation = frame.active_federation()?;
    let size = pegout_size(frame.rules, &federation, INPUTS, queued + EXTRA_OUTPUTS)?;
    fee(frame.fee_per_kb()?, size)
}

/// Fee of a batch of the queued requests and one more of `amount` satoshi; None when the batch cannot be built.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn simulated_fee(frame: &mut Frame<'_>, amount: i64) -> Result<Option<i64>, ContractError> {
    let version = frame.bridge().bitcoin.address_version;
    let requests = frame.requests()?.iter();
    let queued = requests.map(|request| (BitcoinAddress { version, hash: request.destination }, request.amount));
    let supposed = (BitcoinAddress { version, hash: hash160(&RECIPIENT) }, amount);
    let outputs: Vec<_> = queued.chain([supposed]).collect();
    let wallet = FederationWallet::active(frame)?;
    match wallet.build_with_own_change(frame, |builder| builder.pay(&outputs)) {
        Ok(release) => release.fee().map(Some),
        Err(BuildError::Contract(error)) => Err(error),
        Err(_) => Ok(None),
    }
}
