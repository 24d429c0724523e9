//! The checks before execution, in order (evm.md §3.3).

use rhizome_primitives::U256;

use super::{Position, Transaction};
use crate::error::{InvalidTransaction, TransactionError};
use crate::frames::Evm;
use crate::rules::MAX_INITCODE_SIZE;

/// The largest amount of gas; a sum that reaches it never fits.
const MAX_GAS: u64 = i64::MAX as u64;

impl Evm {
    pub(super) fn validate(
        &mut self,
        transaction: &Transaction,
        position: Position,
        intrinsic: u64,
    ) -> Result<(), TransactionError> {
        let host = &mut self.host;
        let length = transaction.data.len();
        if transaction.to.is_none() && host.rules.initcode_limited && length > MAX_INITCODE_SIZE {
            return Err(InvalidTransaction::InitcodeTooLong { length, limit: MAX_INITCODE_SIZE }.into());
        }
        let cumulative = transaction.gas_limit.saturating_add(position.gas_used).min(MAX_GAS);
        if cumulative > position.gas_limit || cumulative == MAX_GAS {
            return Err(InvalidTransaction::NoBlockGas {
                gas_limit: transaction.gas_limit,
                used: position.gas_used,
                available: position.gas_limit,
            }
            .into());
        }
        if transaction.gas_limit < intrinsic {
            return Err(InvalidTransaction::IntrinsicGas { gas_limit: transaction.gas_limit, intrinsic }.into());
        }
        let expected = host.journal.nonce(transaction.sender)?;
        if expected != transaction.nonce {
            return Err(InvalidTransaction::Nonce { expected, found: transaction.nonce }.into());
        }
        let required = if intrinsic == 0 {
            Some(transaction.value)
        } else {
            let gas = transaction.gas_price.checked_mul(U256::from(transaction.gas_limit));
            gas.and_then(|gas| gas.checked_add(transaction.value))
        };
        let balance = host.journal.balance(transaction.sender)?;
        if !required.is_some_and(|required| balance.covers(required)) {
            return Err(InvalidTransaction::Funds { balance, required: required.unwrap_or(U256::MAX) }.into());
        }
        if !transaction.remasc && !transaction.signature_accepted {
            return Err(InvalidTransaction::Signature.into());
        }
        Ok(())
    }
}
